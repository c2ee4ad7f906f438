"""Jobs one at a time: what befalls one of many that share nothing makes no difference to the others.

At most one Job has a fault in what the explorer plays. Instead of playing each fault with all Jobs there, which takes
the square of their number, it is played with its Job alone; the traces are then played again with all of them, and only
what shows there too is found. Tests hold both ways equal.
"""

from collections.abc import Iterator, Mapping, Set

from msgspec import Struct
from msgspec.structs import replace

from watchbill.lifecycle.folding import install, probes_of
from watchbill.lifecycle.lab import Lab, ReleaseName, Versions
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.play import is_job
from watchbill.lifecycle.references import needs
from watchbill.lifecycle.world import Hook, Manifest, Rendered, World

MANY = 8  # fewer Jobs are played together

Place = int  # of a Job among the others of its version


class Separate(Struct, frozen=True):
    """A lab with less Jobs in it, and the names of those that something may befall."""

    lab: Lab
    names: frozenset[Key]


class Apart(Struct, frozen=True):
    """Jobs that have nothing to do with each other."""

    names: Mapping[Place, frozenset[Key]]  # in all versions
    examples: frozenset[
        Key
    ]  # the first and the last one for each event: what a fault in them does to all others


def jobs_apart(lab: Lab) -> Apart | None:
    """Return the Jobs of a lab; None where they are few or may have to do with each other, or are never installed."""
    probes = list(probes_of(lab, World()))
    if lab.contracts or any(probe.error for probe in probes):
        return None
    names: dict[Place, frozenset[Key]] = {}
    for probe in probes:
        for place, key in _jobs(probe):
            names[place] = names.get(place, frozenset()) | {key}
    if len(names) <= MANY or not all(_has_each_once(probe, len(names)) for probe in probes):
        return None
    every = frozenset[Key]().union(*names.values())
    if len(every) != sum(map(len, names.values())) or _is_needed(probes, every):
        return None
    installed = install(lab)
    if not installed.ok or [*probes_of(lab, installed.world)] != probes:
        return None
    examples = {key for probe in probes for key in _examples(probe)}
    return Apart(names, frozenset(examples))


def _examples(rendered: Rendered) -> Iterator[Key]:
    by_event: dict[str, list[Key]] = {"": [one.key for one in rendered.manifests if is_job(one.key)]}
    for hook in rendered.hooks:
        for event in hook.events:
            by_event.setdefault(event, []).extend(one.key for one in hook.objects if is_job(one.key))
    for keys in by_event.values():
        yield from (*keys[:1], *keys[-1:])


def separate(lab: Lab, jobs: Apart, failing: Set[Key | None]) -> list[Separate]:
    """Return a lab for each Job. Those that make operations fail by themselves are in all of them: what happens to the
    others depends on them."""
    always = {place for place, names in jobs.names.items() if not names.isdisjoint(failing)}
    own = frozenset[Key]().union(*(jobs.names[place] for place in always))
    each = [
        Separate(replace(lab, versions=_With(lab.versions, always | {place})), names)
        for place, names in jobs.names.items()
        if place not in always
    ]
    return [Separate(replace(lab, versions=_With(lab.versions, always)), own), *each] if always else each


class _With:
    """Versions without any Jobs but these."""

    def __init__(self, versions: Versions, places: Set[Place]) -> None:
        self._versions = versions
        self._places = places
        self._known: dict[int, tuple[Rendered, Rendered]] = {}

    def __len__(self) -> int:
        return len(self._versions)

    def render(
        self, version: int, release: ReleaseName, *, upgrade: bool, revision: int, world: World
    ) -> Rendered:
        full = self._versions.render(version, release, upgrade=upgrade, revision=revision, world=world)
        known = self._known.get(id(full))
        if known is None:
            # Together with what it was made of, or another could come to have its id.
            known = self._known[id(full)] = (full, self._without_others(full))
        return known[1]

    def _without_others(self, full: Rendered) -> Rendered:
        others = {key for place, key in _jobs(full) if place not in self._places}
        hooks = [_without(hook, others) for hook in full.hooks]
        return Rendered(
            tuple(manifest for manifest in full.manifests if manifest.key not in others),
            tuple(hook for hook in hooks if hook is not None),
            full.crds,
            full.error,
        )


def _without(hook: Hook, others: set[Key]) -> Hook | None:
    left = tuple(one for one in hook.objects if one.key not in others)
    if left == hook.objects:
        return hook
    return replace(hook, objects=left) if left else None


def _jobs(rendered: Rendered) -> Iterator[tuple[Place, Key]]:
    """Yield the Jobs by their order: their names may go by the version."""
    jobs = (manifest.key for manifest in _plain_and_hooks(rendered) if is_job(manifest.key))
    yield from enumerate(jobs)


def _plain_and_hooks(rendered: Rendered) -> Iterator[Manifest]:
    yield from rendered.manifests
    for hook in rendered.hooks:
        yield from hook.objects


def _has_each_once(probe: Rendered, places: int) -> bool:
    keys = [key for _, key in _jobs(probe)]
    return len(keys) == places == len(set(keys))


def _is_needed(probes: list[Rendered], jobs: frozenset[Key]) -> bool:
    return any(
        needed in jobs
        for probe in probes
        for manifest in probe.everything()
        for needed in needs(manifest.body, manifest.key.namespace)
    )
