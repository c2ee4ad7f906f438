"""What hooks read before their own upgrade changes it: contents of ConfigMaps and Secrets that are plain objects."""

from collections.abc import Hashable, Iterator

from watchbill.charts.reach import Watched
from watchbill.charts.render import Rendering, Resource
from watchbill.lifecycle.contents import HOLD_DATA, Read, entries, reads
from watchbill.lifecycle.fates import RUNS_TO_COMPLETION
from watchbill.lifecycle.kube.decode import decode_error
from watchbill.lifecycle.objects import Body, Key


def read_by_hooks(rendering: Rendering) -> dict[Hashable, Watched]:
    plain = {
        Key("", one.kind, one.namespace, one.name): one
        for one in rendering.resources
        # Nobody can say what stands in an object that the server cannot read.
        if one.hook is None and one.kind in HOLD_DATA and not decode_error(one.object)
    }
    return {
        read: Watched(source.origin.template, _content(source, read.names))
        for read in _reads(rendering)
        if (source := plain.get(read.key)) is not None
    }


def _reads(rendering: Rendering) -> Iterator[Read]:
    for one in rendering.resources:
        early = one.hook is not None and "pre-upgrade" in one.hook.events
        if early and one.kind in RUNS_TO_COMPLETION:
            yield from reads(Body.of(one.object), one.namespace)


def _content(source: Resource, names: frozenset[str]) -> dict[str, str | None]:
    held = entries(Body.of(source.object))
    return {name: held.get(name) for name in names or held}
