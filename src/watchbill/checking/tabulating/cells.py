"""What becomes of one Job at the end of one scenario: a cell of the matrix."""

from collections.abc import Callable, Sequence
from typing import Literal, Self

from msgspec import Struct
from msgspec.structs import replace

from watchbill.checking.tabulating.reasons import NAMELESS, UNKNOWN, reason
from watchbill.checking.tabulating.runners import Part, Roster
from watchbill.lifecycle.client import Step
from watchbill.lifecycle.jobs import missing
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.objects import Key, at
from watchbill.lifecycle.play import Played
from watchbill.lifecycle.properties import REMOVES, failed
from watchbill.lifecycle.scenarios import Walked, excused
from watchbill.lifecycle.world import Live, Rendered, World
from watchbill.rules.words import short

PRUNED = "no longer in the chart"  # as the model's Helm says why it deletes

Outcome = Literal[
    "runs", "runs again", "does not run", "fails", "refused", "is deleted", "left behind", "nothing"
]


class Cell(Struct, frozen=True, rename="camel"):
    tool: str
    outcome: Outcome
    says: str  # as it stands in the table
    reason: str = ""  # a sentence
    error: str = ""  # in the tool's words
    rule: str = ""  # that says so
    moves: tuple[str, ...] = ()  # in the words of `rehearse`


class View(Struct, frozen=True):
    """One Job in one scenario that was played."""

    lab: Lab
    walked: Walked
    mine: Callable[[Key], bool]  # whether an object is this Job
    part: Part | None  # what it is in the version that the last move is about

    @classmethod
    def of(cls, lab: Lab, walked: Walked, roster: Roster, number: int) -> Self:
        """All versions on the way are looked at: in each of them the Job may have another name."""
        part = None
        for place, played in enumerate(walked.plays):
            if played.move.of_tool:
                part = roster.parts(_version(lab, walked.before(place), played)).get(number)
        return cls(lab, walked, lambda key: roster.who(key) == number, part)

    @property
    def last(self) -> Played:
        return self.walked.plays[-1]

    @property
    def before(self) -> World:
        return self.walked.before(len(self.walked.plays) - 1)

    @property
    def steps(self) -> list[Step]:
        """Of the last move, those of this Job."""
        return [step for step in self.last.steps if step.key is not None and self.mine(step.key)]


def _version(lab: Lab, before: World, played: Played) -> Rendered:
    """What the operation was about: its revision, or the one it removed; what it was asked to bring if there is none."""
    release = lab.named(played.move.release)
    history = (*before.history(lab.records(release)), *([played.release] if played.release else []))
    if history and lab.tool.name == "helm":
        return history[-1].rendered
    return lab.versions.render(played.move.version, release, upgrade=False, revision=1, world=before)


def nothing(tool: str, says: str = "-") -> Cell:
    return Cell(tool, "nothing", says)


def cell(view: View) -> Cell:
    found = _too_early(view) or _cell(view)
    return replace(found, moves=tuple(played.move.text for played in view.walked.plays))


def _too_early(view: View) -> Cell | None:
    """What comes after an install that fails is no news, but for getting rid of it; kubectl goes on all the same."""
    plays = view.walked.plays
    place = next(number for number, played in enumerate(plays) if played.move.of_tool)
    first = plays[place]
    if place == len(plays) - 1 or first.ok or excused(view.walked.before(place), first):
        return None
    if view.last.move.verb in REMOVES or view.lab.tool.name == "kubectl":
        return None
    why = f"the {first.move.verb} before it fails already"
    return Cell(str(view.lab.tool), "fails", "FAILS earlier", why, _words(first))


def _cell(view: View) -> Cell:
    tool, last = str(view.lab.tool), view.last
    if not last.ok and not excused(view.before, last):
        return _failed(view)
    if any(step.created for step in view.steps):
        return _ran(view)
    if last.move.verb in REMOVES:
        outcome, says = _remains(view)
        return Cell(tool, outcome, says)
    if deleted := [step.deleted for step in view.steps if step.deleted is not None]:
        return Cell(tool, "is deleted", "is deleted", _deleted_early(deleted))
    why = "one of an earlier run is still there, and is taken for this one's" if _is_taken(view) else ""
    return Cell(tool, "does not run", "does not run", why)


def _failed(view: View) -> Cell:
    tool, error = str(view.lab.tool), _words(view.last)
    ran = _ran(view) if any(step.created for step in view.steps) else None
    told = reason(view.last.error)
    if told.refused:
        return Cell(tool, "refused", f"{ran.says}, then REFUSED" if ran else "REFUSED", told.sentence, error)
    own = _own_failure(view)
    if own is None:
        return _failed_elsewhere(view, ran)
    if absent := _absent(view):
        return Cell(tool, "fails", "FAILS, never starts", f"its pod waits for {absent}", own)
    if ran is None and _is_taken(view):
        why = "the one of an earlier run is still there with its failure, and is taken for this one's"
        return Cell(tool, "fails", "FAILS, does not run", why, own)
    told = reason(own)
    says = " ".join(filter(None, ("FAILS", told.short)))
    return Cell(tool, "fails", f"{ran.says}, then {says}" if ran else says, told.sentence, own)


def _failed_elsewhere(view: View, ran: Cell | None) -> Cell:
    error, key = _words(view.last), failed(view.last).cause.key
    told = reason(error) if key is None else UNKNOWN
    why = told.sentence or f"the {view.last.move.verb} fails" + (
        f" at {short(key)}" if key is not None else ""
    )
    if ran is not None:
        says = f"{ran.says}, then FAILS"
    elif any(step.deleted is not None for step in view.steps):
        says = "is deleted, then FAILS"
    elif _was_to_run(view):
        says = "FAILS before it"
    else:
        says = "FAILS elsewhere" if key is not None else "FAILS"
    return Cell(str(view.lab.tool), "fails", says, why, error)


def _is_taken(view: View) -> bool:
    """A hook that is there already is applied again by Helm 4, and waited for as if it had just begun."""
    return any(
        step.why.startswith("hook") and not step.created and not step.refused and step.verb != "delete"
        for step in view.steps
    )


def _own_failure(view: View) -> str | None:
    """The words in which it is told that this Job makes the operation fail; None if it is not this one."""
    error = _words(view.last)
    refused = [step for step in view.last.steps if step.refused and step.verb != "delete"]
    for step in refused:
        # Tools put words of their own before the server's, and kubectl leaves out how those begin.
        told = (step.refused.partition(": ")[2] or step.refused) in view.last.error
        if told and step.key is not None and view.mine(step.key):
            return error if len(refused) == 1 else step.refused
    if reason(error) is NAMELESS and view.part is not None and view.part.is_unnamed and _was_to_run(view):
        return error
    key = failed(view.last).cause.key
    return error if key is not None and view.mine(key) else None


def _was_to_run(view: View) -> bool:
    """Had the operation come so far."""
    part = view.part
    if part is None:
        return False
    if part.hook is None or view.lab.tool.name == "kubectl":
        return view.last.move.verb not in REMOVES and part.key not in view.before.objects
    stage = {"uninstall": "delete"}.get(view.last.move.verb, view.last.move.verb)
    return any(event.removeprefix("pre-").removeprefix("post-") == stage for event in part.hook.events)


def _ran(view: View) -> Cell:
    tool = str(view.lab.tool)
    outcome: Outcome = "runs again" if _ran_before(view) else "runs"
    last = _what_became(view)
    if last is not None and last.run is not None:
        if last.run.phase == "suspended":
            return Cell(tool, "does not run", "is suspended")
        if last.run.phase == "waiting" and (absent := _absent(view)):
            return Cell(tool, "does not run", "never starts", f"its pod waits for {absent}")
    says = f"{outcome}, left behind" if view.last.move.verb in REMOVES and _is_left(view) else outcome
    return Cell(tool, outcome, says, _what_is_odd(view))


def _ran_before(view: View) -> bool:
    return any(
        step.created and step.key is not None and view.mine(step.key)
        for played in view.walked.plays[:-1]
        for step in played.steps
    )


def _what_is_odd(view: View) -> str:
    """That another one of it still runs, or is deleted while it does; that this one is deleted when it has run."""
    created = {step.key for step in view.steps if step.created}
    if odd := _deleted_early([step.deleted for step in view.steps if step.deleted is not None]):
        return f"{odd}; its pod may still run beside the new one's"
    for key, live in view.last.world.objects.items():
        if view.mine(key) and key not in created and _runs(live):
            return "the one before still runs beside it"
    for step in view.steps:
        gone = step.deleted is not None and step.key in created and step.key not in view.last.world.objects
        if gone and step.why == PRUNED:
            return "it is deleted after it ran, with its logs: the revision before has it as a plain object"
    return ""


def _deleted_early(deleted: Sequence[Live]) -> str:
    return "the one before is deleted while it runs" if any(map(_runs, deleted)) else ""


def _runs(live: Live) -> bool:
    return live.run is not None and live.run.phase == "running"


def _what_became(view: View) -> Live | None:
    """Of the last one that was created: as it is now, or as it was when it was deleted."""
    for step in reversed(view.steps):
        if step.deleted is not None:
            return step.deleted
        if step.created and step.key is not None:
            return view.last.world.objects.get(step.key)
    return None


def _absent(view: View) -> str:
    """What its pod needs and is not there when it is created, or ever."""
    for step in reversed(view.steps):
        if step.created and step.key is not None:
            live = step.world.objects[step.key]
            return ", ".join(map(short, missing(step.world, view.lab.cluster, step.key, live.body)))
    return ""


def _remains(view: View) -> tuple[Outcome, str]:
    if any(step.deleted is not None for step in view.steps):
        return "is deleted", "is deleted"
    if not any(map(view.mine, view.last.world.objects)):
        return "nothing", "is gone already" if _ran_before(view) else "is not there"
    return "left behind", "left behind" if _is_left(view) else "goes with its TTL"


def _is_left(view: View) -> bool:
    """For ever."""
    bodies = [live.body for key, live in view.last.world.objects.items() if view.mine(key)]
    return any(at(body.object, "spec", "ttlSecondsAfterFinished") is None for body in bodies)


def _words(played: Played) -> str:
    return " ".join(played.error.split())
