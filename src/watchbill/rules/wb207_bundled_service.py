"""WB207: a pre-install hook needs what the chart brings along itself, a database mostly, and that comes after it."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from watchbill.lifecycle.objects import Key, at
from watchbill.lifecycle.world import Manifest, Rendered
from watchbill.rules.early import early
from watchbill.rules.hosts import Mention, mentions
from watchbill.rules.lacking import lacking, pointers
from watchbill.rules.look import Look
from watchbill.rules.mends import with_events, without
from watchbill.rules.policies import EVENTS
from watchbill.rules.rule import Claim, Pointer, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.wb203_hook_needs_plain_object import LATER, fix
from watchbill.rules.words import listed, named

# Where databases, queues and caches are asked.
STORES = frozenset(
    {1433, 1521, 2181, 2379, 3306, 4222, 5432, 5433, 5672, 6379, 6432, 6650, 7687, 8086, 8123}
    | {8529, 9000, 9042, 9092, 9093, 9200, 11211, 19530, 26257, 27017, 28015}
)


def _claim(sighting: Sighting) -> Claim | None:
    """A Secret of the bundled chart is missing, or any other object of a hook that talks to a bundled Service."""
    found = lacking(sighting)
    if found is None or found.event not in LATER or found.asked not in found.plain:
        return None
    rendered = sighting.recorded
    paths = {one.key: one.path for one in rendered.manifests}
    bundled = [key for key in found.plain if _subchart(paths[key]) not in ("", _subchart(found.pod.path))]
    there = sighting.just_before.objects
    talks = _talks_to(found.pod, rendered, {k: m for k, m in _plain(rendered).items() if k not in there})
    if not bundled and not talks:
        return None
    pod, needed = found.pod.key, tuple(dict.fromkeys((*bundled, *found.plain)))
    return Claim(
        subject=pod,
        title=f"{sighting.operation} hangs: hook {named(pod)} needs {named(needed[0])}, made after it",
        because=_because(found.event, [*needed, *(one.service for one in talks)]),
        fix=fix(found.hook.events),
        mends=(with_events(pod, LATER), without(pod)),
        path=EVENTS,
        related=(*pointers(found.pod, needed, "plain: made after the hooks"), *_pointers(pod, talks)),
    )


def _inspect(look: Look) -> Iterator[Claim]:
    for one in early(look):
        talks = _talks_to(one.pod, one.rendered, one.late)
        if not talks:
            continue
        pod, first = one.pod.key, talks[0].service
        yield Claim(
            subject=pod,
            title=f"{one.operation} fails: hook {named(pod)} talks to {named(first)}, made after it",
            because=_because(one.event, [mention.service for mention in talks]),
            fix=fix(one.hook.events),
            mends=(with_events(pod, LATER), without(pod)),
            path=EVENTS,
            related=_pointers(pod, talks),
            severity=_severity(one.late, talks),
            confidence="medium",
        )


def _severity(late: Mapping[Key, Manifest], talks: list[Mention]) -> Severity:
    """Nobody has seen it happen: a host that is named need not be asked.

    A migration asks its database, and a script whom it is told to. Of an application's own address in variables that
    it shares with its hooks one cannot say so.
    """
    for talk in talks:
        ports = at(late[talk.service].body.object, "spec", "ports") or ()
        if any(port.get("port") in STORES for port in ports) or not {"command", "args"}.isdisjoint(talk.path):
            return Severity.WARNING
    return Severity.NOTE


def _because(event: str, needed: list[Key]) -> str:
    plain = "as a plain object" if len(needed) == 1 else "as plain objects"
    return f"{event} hook, and the chart brings {listed(needed)} along {plain}"


def _plain(rendered: Rendered) -> dict[Key, Manifest]:
    return {one.key: one for one in rendered.manifests}


def _talks_to(pod: Manifest, rendered: Rendered, late: Mapping[Key, Manifest]) -> list[Mention]:
    """Services among what is late. One that a hook makes is not: it may well be there."""
    services = [one for key, one in late.items() if key[:2] == ("", "Service")]
    if not services:
        return []
    return mentions(pod, services, {one.key: one for one in rendered.everything()})


def _pointers(pod: Key, talks: list[Mention]) -> tuple[Pointer, ...]:
    fields = tuple(Pointer(pod, talk.path, f"names {named(talk.service)}") for talk in talks)
    return (*fields, *(Pointer(talk.service, (), "plain: made after the hooks") for talk in talks))


def _subchart(path: str) -> str:
    """`app/charts/postgresql/templates/secret.yaml` is of `postgresql`."""
    folders = path.split("/")[:-1]
    return "/".join(name for before, name in pairwise(folders) if before == "charts")


RULE = Rule(
    "WB207",
    "bundled-service",
    "a hook needs a database or another service that its own chart makes after it",
    rows=(19,),
    claim=_claim,
    inspect=_inspect,
)
