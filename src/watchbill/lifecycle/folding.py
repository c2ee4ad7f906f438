"""Objects that decide nothing are left out while the explorer plays, and are back in the traces it shows.

Objects are inert if every version has them as plain objects, none of them is a Job, nothing else refers to them
and they refer to nothing else, and a chart of nothing but them goes through every plain operation. What is found
without them is found with them: tests hold both equal.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from watchbill.lifecycle.kube import catalog
from watchbill.lifecycle.lab import Lab, ReleaseName, Versions
from watchbill.lifecycle.moves import Move, parse
from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.play import Played, play
from watchbill.lifecycle.references import needs
from watchbill.lifecycle.stage import Stage
from watchbill.lifecycle.world import Manifest, Rendered, World

# What a whole life asks of an object: to come, to change, to come back, to go.
LIVES = {
    "helm": ("install", "upgrade", "rollback", "upgrade", "uninstall", "install"),
    "kubectl": ("apply", "apply", "delete", "apply"),
}
DEFINITION = "CustomResourceDefinition"
DECIDES = frozenset({"Job", "Pod", "Namespace", DEFINITION})
POLICY = "helm.sh/resource-policy"
START = World()
# Revisions nobody would mistake for each other: what differs between them is rendered with its number.
REVISIONS = (2, 7)


class Unforeseen(Exception):  # noqa: N818 - nothing is wrong, but folding was
    """A template gave something in some world that it had not given before: nothing can be left out."""


class Folded:
    """Versions without their inert objects."""

    def __init__(self, versions: Versions, bodies: dict[Key, frozenset[Body]]) -> None:
        self._versions = versions
        self._bodies = bodies
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
            known = self._known[id(full)] = (full, self._without(full))
        return known[1]

    def _without(self, full: Rendered) -> Rendered:
        inert = [manifest for manifest in full.manifests if manifest.key in self._bodies]
        if not full.error and (
            len(inert) != len(self._bodies)
            or any(manifest.body not in self._bodies[manifest.key] for manifest in inert)
        ):
            raise Unforeseen
        return _only(full, [manifest for manifest in full.manifests if manifest.key not in self._bodies])


class _Alone:
    """Versions of nothing but these objects."""

    def __init__(self, versions: Versions, keys: frozenset[Key]) -> None:
        self._versions = versions
        self._keys = keys

    def __len__(self) -> int:
        return len(self._versions)

    def render(
        self, version: int, release: ReleaseName, *, upgrade: bool, revision: int, world: World
    ) -> Rendered:
        full = self._versions.render(version, release, upgrade=upgrade, revision=revision, world=world)
        alone = tuple(manifest for manifest in full.manifests if manifest.key in self._keys)
        return Rendered(alone, error=full.error)


def fold(lab: Lab) -> tuple[Lab, frozenset[Key]]:
    """The same lab with less in it, and what was left out."""
    probes = list(probes_of(lab, World()))
    inert = _apart(probes, _never_refused(lab, _candidates(probes)))
    if not inert or [*probes_of(lab, install(lab).world)] != probes:
        return lab, frozenset()
    # kubectl fails where it is given nothing at all.
    if lab.tool.name == "kubectl" and any(
        inert.issuperset(one.key for one in probe.everything()) for probe in probes
    ):
        return lab, frozenset()
    bodies = {
        key: frozenset(
            manifest.body for probe in probes for manifest in probe.manifests if manifest.key == key
        )
        for key in inert
    }
    return replace(lab, versions=Folded(lab.versions, bodies)), inert


def unfold(
    trace: Sequence[Move], stage: Stage, inert: frozenset[Key], step: int
) -> tuple[tuple[Move, ...], int]:
    """A trace of the folded lab in the lab itself, which is on the stage: writes of inert objects count there."""
    world, moves, kept = START, list[Move](), list[int]()
    for move in trace:
        played = stage.play(world, replace(move, dies_after=0, text=_undisturbed(move)))
        kept = [number for number, write in enumerate(played.steps, 1) if write.key not in inert]
        real = move
        if move.dies_after:
            writes = kept[move.dies_after - 1]
            real = replace(move, dies_after=writes, text=killing(move, writes))
            played = stage.play(world, real)
        moves.append(real)
        world = played.world
    return tuple(moves), kept[step - 1] if step else 0


def killing(move: Move, writes: int) -> str:
    return f"kill {writes} {_undisturbed(move)}"


def _undisturbed(move: Move) -> str:
    return move.text.split(" ", 2)[2] if move.dies_after else move.text


def probes_of(lab: Lab, world: World) -> Iterable[Rendered]:
    for version in range(len(lab.versions)):
        yield lab.versions.render(version, lab.named(""), upgrade=False, revision=1, world=world)
        for revision in REVISIONS:
            yield lab.versions.render(version, lab.named(""), upgrade=True, revision=revision, world=world)


def install(lab: Lab) -> Played:
    """What leads to a world in which templates that look for objects would find them."""
    first = LIVES[lab.tool.name][0]
    return play(World(), parse(first, lab.tool.name), lab)


def _candidates(probes: Sequence[Rendered]) -> frozenset[Key]:
    if any(probe.error for probe in probes):
        return frozenset()
    everywhere = frozenset.intersection(
        *(frozenset(manifest.key for manifest in probe.manifests) for probe in probes)
    )
    defines = any(manifest.key.kind == DEFINITION for probe in probes for manifest in probe.everything())
    namespaces = {
        manifest.key.name
        for probe in probes
        for manifest in probe.everything()
        if manifest.key.kind == "Namespace"
    }
    busy = {
        manifest.key
        for probe in probes
        for others in (probe.crds, *(hook.objects for hook in probe.hooks))
        for manifest in others
    }
    for probe in probes:
        busy.update(manifest.key for manifest in probe.manifests if _decides(manifest, namespaces, defines))
        busy.update(_twice(probe.manifests))
    by_revision = {
        one.key
        for first, second in zip(probes[1::3], probes[2::3], strict=True)
        for one, other in zip(first.manifests, second.manifests, strict=False)
        if one.body is not other.body
    }
    return _apart(probes, everywhere - busy - by_revision)


def _apart(probes: Sequence[Rendered], keys: frozenset[Key]) -> frozenset[Key]:
    """Those that nothing else refers to, and that refer to nothing else."""
    references = {
        (manifest.key, needed)
        for probe in probes
        for manifest in probe.everything()
        for needed in needs(manifest.body, manifest.key.namespace)
    }
    brought = frozenset(manifest.key for probe in probes for manifest in probe.everything())
    while True:
        crossing = {
            end
            for user, needed in references
            if needed in brought and (user in keys) != (needed in keys)
            for end in (user, needed)
        }
        if keys.isdisjoint(crossing):
            return keys
        keys -= crossing


def _decides(manifest: Manifest, namespaces: set[str], defines: bool) -> bool:
    key = manifest.key
    return (
        key.kind in DECIDES
        or not key.name
        or POLICY in manifest.body.annotations
        or key.namespace in namespaces
        or (defines and catalog.find(manifest.body.api_version, key.kind) is None)
    )


def _twice(manifests: Sequence[Manifest]) -> Iterable[Key]:
    seen = set[Key]()
    for manifest in manifests:
        if manifest.key in seen:
            yield manifest.key
        seen.add(manifest.key)


def _never_refused(lab: Lab, keys: frozenset[Key]) -> frozenset[Key]:
    """Those that go through every life of a chart that has nothing else."""
    while keys:
        refused = _refused(lab, keys)
        if refused is None:
            return frozenset()
        if not refused:
            break
        keys -= refused
    return keys


def _refused(lab: Lab, keys: frozenset[Key]) -> frozenset[Key] | None:
    """None: something failed, and it cannot be said because of which."""
    alone = replace(lab, versions=_Alone(lab.versions, keys))
    refused = set[Key]()
    for first in range(len(lab.versions)):
        for second in range(first, len(lab.versions)):
            world = World()
            for text in LIVES[lab.tool.name]:
                move = parse(text, lab.tool.name)
                version = first if move.verb == "install" or not world.objects else second
                played = play(world, replace(move, version=version), alone)
                culprits = {
                    step.key
                    for step in played.steps
                    if step.key and step.refused and step.refused in played.error
                }
                if not played.ok and not culprits:
                    return None
                refused |= culprits
                world = played.world
    return frozenset(refused)


def _only(full: Rendered, manifests: Sequence[Manifest]) -> Rendered:
    return Rendered(tuple(manifests), full.hooks, full.crds, full.error)
