"""A sighting told to a person: the moves in order, what each did, and the world before and after the last."""

from collections.abc import Iterator, Sequence

from watchbill.checking.result import GIVEN, Row, Trace, Which
from watchbill.lifecycle.fates import RUNS_TO_COMPLETION
from watchbill.lifecycle.flags import DEFAULT_TIMEOUT
from watchbill.lifecycle.jobs import missing
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import Move
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.play import Played, play
from watchbill.lifecycle.scenarios import LONGEST_NAME
from watchbill.lifecycle.workloads import WORKLOADS
from watchbill.lifecycle.world import Live, World
from watchbill.rules.rule import Claim
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import short

BRINGS = ("install", "upgrade", "apply")  # a version
MOST_OBJECTS = 8


def trace(sighting: Sighting, claim: Claim, versions: Sequence[Which], repaired: Sequence[Key] = ()) -> Trace:
    """`versions`: what those of its lab are to the person who reads. With `repaired` objects it shows what comes after
    an install that fails as the chart is; nobody can rehearse these moves before the chart is changed."""
    keys = _concerned(sighting, claim)
    rows, world, version = list(_repairs(repaired)), World(), -1
    for place, played in enumerate(sighting.plays):
        last = place == len(sighting.plays) - 1
        deeds = list(did(played, world, keys, sighting.lab))
        done = [*deeds, *_afterwards(played, sighting, last=last)]
        text = words(played, version, sighting.changes, versions)
        works = played.ok if played.move.of_tool else None
        tells_why = last or not deeds
        rows.append(Row(text, works, tuple(done), played.error.strip() if tells_why else ""))
        if played.move.verb in BRINGS:
            version = played.move.version
        world = played.world
    return Trace(
        str(sighting.lab.tool),
        tuple(rows),
        () if repaired else tuple(_rehearsed(move, sighting.lab) for move in sighting.violation.trace),
        tuple(_state(sighting.before, keys, sighting.lab)),
        tuple(_state(sighting.last.world, keys, sighting.lab)),
        () if repaired else tuple(versions[number] for number in taken(sighting.violation.trace)),
    )


def _rehearsed(move: Move, lab: Lab) -> str:
    """The move as `rehearse` takes it, with the timeout that the user's flags give."""
    if not move.of_tool or lab.timeout == DEFAULT_TIMEOUT or "--timeout" in move.given:
        return move.text
    return f"{move.text} --timeout {lab.timeout:g}s"


def _repairs(repaired: Sequence[Key]) -> Iterator[Row]:
    if repaired:
        first, *others = map(short, repaired)
        more = f" and {len(others)} more" if others else ""
        yield Row(f"{GIVEN}Kubernetes accepts {first}{more}", None, (), "")


def taken(moves: Sequence[Move]) -> list[int]:
    """The versions one after the other, as a rehearsal of the moves has to be given them."""
    chosen, at = dict[int, int](), dict[str, int]()
    for move in moves:
        if move.verb in BRINGS:
            at[move.release] = 0 if move.verb == "install" else at.get(move.release, -1) + 1
            chosen.setdefault(at[move.release], move.version)
    found = list(chosen.values())
    while len(found) > 1 and found[-1] == found[-2]:
        found.pop()
    return found


def _concerned(sighting: Sighting, claim: Claim) -> list[Key]:
    pointed = [pointer.key for pointer in claim.related]
    cause = [sighting.key] if sighting.key is not None else []
    return list(dict.fromkeys([claim.subject, *cause, *pointed]))[:MOST_OBJECTS]


def words(played: Played, version: int, changes: Sequence[str], versions: Sequence[Which]) -> str:
    """`upgrade, new image`; `version` is the one that was brought last, if any was."""
    move = played.move
    if not move.of_tool:
        return _happening(move)
    text = _command(move)
    if move.verb in ("upgrade", "apply") and version >= 0:
        news = "same version" if move.version == version else _news(changes)
        text += f", {news if move.version >= version else 'the old version again'}"
    if move.verb in BRINGS and version < 0 and versions[move.version] == "before":
        text += ", the version before"
    return text


def _command(move: Move) -> str:
    """`install as a release with 53 characters`: nobody reads a name that only had to be long."""
    if move.release != LONGEST_NAME:
        return move.text
    command = move.text.replace(f"release {move.release} ", "")
    return f"{command} as a release with {len(move.release)} characters"


def _news(changes: Sequence[str]) -> str:
    if "image" in changes:
        return "new image"
    if any(change.endswith("version") for change in changes):
        return "new version"
    values = [change.removeprefix("value ") for change in changes if change.startswith("value ")]
    return f"another {values[0]}" if values else "new version"


def _happening(move: Move) -> str:
    is_workload = move.pattern.partition("/")[0] in WORKLOADS
    meanings = {
        "fail": "fails",
        "hang": "never becomes ready" if is_workload else "never ends",
        "late": f"{'becomes ready' if is_workload else 'ends'} only after the timeout",
        "succeed": f"{'becomes ready' if is_workload else 'succeeds'} from now on",
    }
    if move.verb not in meanings:
        return move.text
    if (move.verb, move.pattern) == ("hang", "*"):
        return f"{GIVEN}no Job ends"
    kind = "" if "/" in move.pattern else "Job/"
    what = "every Job" if move.pattern == "*" else f"{kind}{move.pattern}"
    return f"{GIVEN}{what} {meanings[move.verb]}"


def did(played: Played, before: World, keys: Sequence[Key], lab: Lab) -> Iterator[str]:
    """What became of these objects."""
    for place, step in enumerate(played.steps):
        if step.key not in keys or step.key is None or step.refused:
            continue
        if step.created:
            yield f"{short(step.key)} {_became(played, place, step.key, lab)}"
        elif step.deleted is not None:
            ran = step.deleted.run is not None and step.deleted.run.phase == "running"
            why = f" ({step.why})" if step.why else ""
            yield f"{short(step.key)} is deleted{' while it runs' if ran else ''}{why}"
        elif step.why.startswith("hook"):
            runs = " and does not run" if step.key.kind in RUNS_TO_COMPLETION else ""
            yield f"{short(step.key)} is there already{runs}"
    for key in keys:
        there = key in before.objects and key not in played.world.objects
        if there and not any(step.key == key for step in played.steps):
            yield f"{short(key)} is gone"


def _became(played: Played, place: int, key: Key, lab: Lab) -> str:
    live: Live | None = played.world.objects.get(key)
    for later in played.steps[place + 1 :]:
        if later.key == key and later.deleted is not None:
            live = later.deleted
            break
    if live is None:
        return "runs"
    if live.run is None:
        return "is created"
    if live.run.phase in ("waiting", "failed") and not live.run.started:
        absent = missing(played.world, lab.cluster, key, live.body) or missing(
            played.steps[place].world, lab.cluster, key, live.body
        )
        until = " until its deadline" if live.run.finished else ""
        return f"waits for {', '.join(map(short, absent))}{until}" if absent else f"waits{until}"
    return {"succeeded": "runs", "failed": "fails", "running": "does not end", "suspended": "is suspended"}[
        live.run.phase
    ]


def _afterwards(played: Played, sighting: Sighting, *, last: bool) -> Iterator[str]:
    """What else a failed operation leaves."""
    if played.ok or not played.move.of_tool:
        return
    world = sighting.plays[-2].world if last and len(sighting.plays) > 1 else World()
    changed = [
        step.key
        for step in played.steps
        if step.key is not None
        and step.key.kind in WORKLOADS
        and not step.refused
        and step.key in world.objects
        and step.key in step.world.objects
        and step.world.objects[step.key].body is not world.objects[step.key].body
    ]
    if last and changed:
        more = f" and {len(changed) - 1} more are" if len(changed) > 1 else " is"
        yield f"{short(changed[0])}{more} already on the new version"
    release = played.release
    if release is not None and played.steps:
        yield f"revision {release.revision} is {release.status}"
    if last and not played.killed and not played.move.dies_after:
        again = play(played.world, played.move, sighting.lab)
        if again.error == played.error and not sighting.faults:
            yield "retrying fails the same way"


def _state(world: World, keys: Sequence[Key], lab: Lab) -> Iterator[str]:
    for key in keys:
        live = world.objects.get(key)
        phase = "absent" if live is None else live.run.phase if live.run is not None else "there"
        yield f"{short(key)} {phase}"
    history = world.history(lab.release)
    if history:
        yield f"revision {history[-1].revision} {history[-1].status}"
