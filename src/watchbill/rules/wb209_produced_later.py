"""WB209: a hook needs a Secret that a custom resource of the chart produces, and that resource comes after it."""

from collections.abc import Iterator

from watchbill.lifecycle.kube import catalog
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.references import places
from watchbill.lifecycle.world import Manifest
from watchbill.rules.early import Early, early
from watchbill.rules.hosts import mentions
from watchbill.rules.look import Look
from watchbill.rules.mends import with_events, without
from watchbill.rules.policies import EVENTS
from watchbill.rules.products import products
from watchbill.rules.rule import Claim, Path, Pointer, Rule, Severity
from watchbill.rules.wb203_hook_needs_plain_object import LATER
from watchbill.rules.words import named


def _inspect(look: Look) -> Iterator[Claim]:
    for one in early(look):
        found = list(_late(one))
        if not found:
            continue
        pod, (needed, _, source) = one.pod.key, found[0]
        yield Claim(
            subject=pod,
            title=f"{one.operation} hangs: hook {named(pod)} needs {named(needed)}, produced after it",
            because=f"{one.event} hook, and {named(source)}, which produces it, is a plain object",
            fix=_fix(one, source),
            mends=(with_events(pod, LATER), without(pod)),
            path=EVENTS,
            related=tuple(_pointers(pod, found)),
            # Somebody may have made it by hand before.
            severity=Severity.WARNING,
            confidence="medium",
        )


def _late(one: Early) -> Iterator[tuple[Key, Path, Key]]:
    """What the pod needs, where it says so, and the custom resource that produces it too late."""
    namespace = one.pod.key.namespace
    rendered = {manifest.key for manifest in one.rendered.everything()}
    sources: dict[Key, Manifest] = {}
    for manifest in one.late.values():
        if catalog.find(manifest.body.api_version, manifest.key.kind) is None:
            for product in products(manifest.key, manifest.body, namespace):
                sources.setdefault(product, manifest)
    sources = {product: source for product, source in sources.items() if product not in rendered}
    if not sources:
        return
    needed = places(one.pod.body, namespace)
    for key, path in needed.items():
        # Whose class it mounts itself, that Secret comes with the pod.
        if key in sources and sources[key].key not in needed:
            yield key, path, sources[key].key
    services = [
        Manifest(product, source.body) for product, source in sources.items() if product.kind == "Service"
    ]
    for mention in mentions(one.pod, services, {m.key: m for m in one.rendered.everything()}):
        yield mention.service, mention.path, sources[mention.service].key


def _fix(one: Early, source: Key) -> str:
    return (
        f"make {named(source)} a hook of {','.join(one.hook.events)} with a weight below {one.hook.weight} "
        "(the pod then waits until it is there), or run the hook after the plain objects"
    )


def _pointers(pod: Key, found: list[tuple[Key, Path, Key]]) -> Iterator[Pointer]:
    for key, path, source in found:
        yield Pointer(pod, path, f"needs {named(key)}")
        yield Pointer(source, (), f"produces {named(key)}")


RULE = Rule(
    "WB209",
    "produced-later",
    "a hook needs what a custom resource of the chart produces after it",
    inspect=_inspect,
)
