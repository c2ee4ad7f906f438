"""A violation as it was seen: the moves that led to it, played again, and what a rule may ask about them."""

from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct

from watchbill.lifecycle.client import Step
from watchbill.lifecycle.hash_names import differ_in_a_hash
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import Move
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.play import Played, play
from watchbill.lifecycle.properties import Property, Violation
from watchbill.lifecycle.world import Hook, Manifest, Rendered, World

FAULTS = ("fail", "hang", "late")
# They ask for nothing that could be a reason to fail.
HARMLESS = frozenset({"--install", "-i", "--create-namespace", "--debug", "--description", "--timeout"})


class Sighting(Struct, frozen=True, dict=True):
    violation: Violation
    lab: Lab
    scenario: str = ""  # the named path that shows it; empty: the explorer found it
    changes: tuple[str, ...] = ()  # what differs in a made-up next version: image, chart version
    walked: tuple[Played, ...] = ()  # where the trace was just played: what came of it, and of moves after it
    alike: tuple[str, ...] = ()  # changes with the same effect, of which only the first was played

    @property
    def broke(self) -> Property:
        return self.violation.property

    @property
    def key(self) -> Key | None:
        """The object of the cause."""
        return self.violation.cause.key

    @property
    def what(self) -> str:
        return self.violation.cause.what

    @cached_property
    def plays(self) -> tuple[Played, ...]:
        """One a move of the trace."""
        if self.walked:
            return self.walked[: len(self.violation.trace)]
        world, plays = World(), list[Played]()
        for move in self.violation.trace:
            plays.append(play(world, move, self.lab))
            world = plays[-1].world
        return tuple(plays)

    @property
    def last(self) -> Played:
        """The operation that shows it."""
        return self.plays[-1]

    @property
    def move(self) -> Move:
        return self.last.move

    @property
    def before(self) -> World:
        return self.plays[-2].world if len(self.plays) > 1 else World()

    @property
    def step(self) -> Step | None:
        """The write at which it shows."""
        number = self.violation.step
        return self.last.steps[number - 1] if 0 < number <= len(self.last.steps) else None

    @property
    def just_before(self) -> World:
        """The world as that write met it."""
        number = self.violation.step
        return self.last.steps[number - 2].world if number > 1 else self.before

    @property
    def error(self) -> str:
        return self.last.error

    @cached_property
    def rendered(self) -> Rendered:
        """The version that the last operation is about."""
        return self.version(self.move.version)

    def version(self, number: int) -> Rendered:
        release = self.lab.named(self.move.release)
        # What kubectl applies is rendered without a release: an install each time.
        first = self.is_of_kubectl or (number == 0 and self.move.verb == "install")
        return self.lab.versions.render(
            number, release, upgrade=not first, revision=1 if first else 2, world=self.before
        )

    @cached_property
    def recorded(self) -> Rendered:
        """The version as the release has it on record at that write: hooks are those of the record."""
        world = self.step.world if self.step is not None else self.last.world
        history = world.history(self.lab.records(self.lab.named(self.move.release)))
        return history[-1].rendered if history else self.rendered

    @cached_property
    def newest(self) -> int:
        """The highest version that the trace has to do with."""
        return max((move.version for move in self.violation.trace if move.of_tool), default=0)

    @cached_property
    def changes_version(self) -> bool:
        """Whether the trace deploys more than one version."""
        return len({move.version for move in self.violation.trace if move.of_tool}) > 1

    @property
    def needed_changes(self) -> tuple[str, ...]:
        """The changes of the next version that it takes: none if one version alone shows it, without any fault."""
        return self.changes if self.changes_version or self.faults else ()

    @property
    def next_upgrade(self) -> Rendered:
        """What the next upgrade to the same version would bring."""
        last = self.last.release.revision if self.last.release else 0
        release = self.lab.named(self.move.release)
        return self.lab.versions.render(
            self.move.version, release, upgrade=True, revision=last + 1, world=self.last.world
        )

    def as_checked(self, key: Key) -> Key:
        """The object that its template makes in the version that is checked: its name may differ in each version."""
        versions = (self.recorded, *(self.version(number) for number in range(len(self.lab.versions))))
        known = (one for rendered in versions for one in rendered.everything())
        path = next((one.path for one in known if one.key == key), "")
        # Made-up versions come after the checked one, real ones before it.
        number = 0 if self.changes else len(self.lab.versions) - 1
        rendered = self.lab.versions.render(
            number, self.lab.named(self.move.release), upgrade=False, revision=1, world=World()
        )
        made = [one.key for one in rendered.everything() if (one.path, one.key.kind) == (path, key.kind)]
        if len(made) > 1:
            made = [one for one in made if one == key or differ_in_a_hash(one.name, key.name)]
        return made[0] if path and len(made) == 1 else key

    def manifest(self, key: Key) -> Manifest | None:
        """An object as the version has it, be it plain or a hook's."""
        return next((one for one in self.rendered.everything() if one.key == key), None)

    @property
    def is_of_kubectl(self) -> bool:
        """To which hooks are objects like all others."""
        return self.lab.tool.name == "kubectl"

    def is_plain(self, key: Key) -> bool:
        if self.is_of_kubectl:
            return self.manifest(key) is not None
        return any(one.key == key for one in self.rendered.manifests)

    def hook(self, key: Key) -> Hook | None:
        """The hook that makes it."""
        return None if self.is_of_kubectl else hook_of(self.rendered, key)

    @cached_property
    def flags(self) -> frozenset[str]:
        """Flags that are needed to see it, but for harmless ones."""
        return frozenset(flag for move in self.violation.trace for flag in move.given) - HARMLESS

    @cached_property
    def faults(self) -> frozenset[str]:
        """What has to go wrong before: fail, hang, late, kill; and edit or delete, if somebody interferes."""
        found = {move.verb for move in self.violation.trace if move.verb in FAULTS}
        found |= {"kill" for move in self.violation.trace if move.dies_after}
        found |= {
            move.verb for move in self.violation.trace if not move.of_tool and move.verb in ("edit", "delete")
        }
        return frozenset(found)

    @property
    def outcome(self) -> str:
        """`works` or `fails`, as the trace shows of the last operation."""
        return "works" if self.last.ok else "fails"

    @property
    def operation(self) -> str:
        """The last move in words, as the subject of a sentence: `the image upgrade`, `the retry`."""
        return operation(self.plays, self.changes)


def hook_of(rendered: Rendered, key: Key) -> Hook | None:
    return next((hook for hook in rendered.hooks if any(one.key == key for one in hook.objects)), None)


def operation(plays: Sequence[Played], changes: Sequence[str]) -> str:
    """The last of these plays as the subject of a sentence; `changes` make the next version differ."""
    move = plays[-1].move
    before = [played for played in plays[:-1] if played.move.of_tool]
    flags = " ".join(flag for flag in move.given if flag not in HARMLESS)
    suffix = f" with {flags}" if flags else ""
    failed = bool(before) and not before[-1].ok
    if move.verb == "upgrade":
        if failed and before[-1].move.verb in ("upgrade", "install"):
            return f"the retry{suffix}"
        return f"{_upgrade(plays, before, changes)}{suffix}"
    if move.verb == "install":
        return f"{'the re-install' if before else 'the install'}{suffix}"
    if move.verb in ("apply", "delete"):
        return f"kubectl {move.verb}{suffix}"
    return f"{'the ' if move.verb != 'uninstall' else ''}{move.verb}{suffix}"


def _upgrade(plays: Sequence[Played], before: Sequence[Played], changes: Sequence[str]) -> str:
    move = plays[-1].move
    last = before[-1].move.version if before else 0
    if move.version != last or (move.version and not before):
        if "image" in changes:
            return "the image upgrade"
        if any(change.endswith("version") for change in changes):
            return "the version upgrade"
        if changes:
            return "an upgrade with another value"
        return "the upgrade"
    if any(played.move.verb == "wait" for played in plays):
        return "a later upgrade"
    upgrades = sum(played.move.verb == "upgrade" for played in before)
    return "the second upgrade" if upgrades == 1 else "every upgrade" if not upgrades else "a later upgrade"
