"""What is told below a move: each write with its reason, what became of Jobs, and what happened meanwhile."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from watchbill.lifecycle.fates import RUNS_TO_COMPLETION, fate_of
from watchbill.lifecycle.jobs import missing
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.play import Played
from watchbill.lifecycle.world import Live, World
from watchbill.report.counting import listed
from watchbill.report.terminal import printable

MOST_ALIKE = 4  # rows that differ in nothing but the object; more are folded into one
MOST_KINDS = 5
NOT_THERE = "not found"
UNFINISHED = {"suspended": "never ran", "waiting": "never started", "running": "was still running"}


class Row(NamedTuple):
    verb: str
    what: str
    remark: str = ""
    color: str = ""
    kind: str = ""  # of an object that does not run: it may be folded with its like


def rows(played: Played, before: World, lab: Lab, *, verbose: bool) -> Iterator[Row]:
    """`before` is the world in which the move began."""
    told = _writes(played, before, lab, verbose=verbose)
    yield from told if verbose else _folded(told)
    yield from _meanwhile(played, before, lab)


def name(key: Key, lab: Lab) -> str:
    """The release's own namespace goes without saying."""
    within = f"{key.namespace}/" if key.namespace not in ("", lab.namespace) else ""
    return printable(f"{key.kind}/{within}{key.name}")


def _writes(played: Played, world: World, lab: Lab, *, verbose: bool) -> Iterator[Row]:
    for place, step in enumerate(played.steps):
        if step.key is None:
            if verbose:
                verb, record, *status = str(step).split(" ", 2)
                yield Row(verb, record, *status)
        elif step.verb == "delete" and step.refused == NOT_THERE:
            if verbose:
                yield Row(step.verb, name(step.key, lab), _joined(step.why, "is not there"))
        else:
            yield _write(played, place, step.key, world, lab)
        world = step.world


def _write(played: Played, place: int, key: Key, world: World, lab: Lab) -> Row:
    step = played.steps[place]
    verb, what = "create" if step.created else step.verb, name(key, lab)
    if step.refused:
        # Tools put words of their own around the server's; what the error says anyway is said once.
        known = step.refused.partition(": ")[2] or step.refused
        words = "" if known in played.error else f": {printable(step.refused)}"
        return Row(verb, what, _joined(step.why, f"refused{words}"), "red")
    became, color = "", ""
    if step.created:
        became, color = _run(played, place, key, lab)
    elif step.deleted is not None:
        if step.deleted.run is not None and not step.deleted.run.finished:
            became, color = UNFINISHED[step.deleted.run.phase], "yellow"
    elif step.verb != "delete":
        same = world.objects[key].body is step.world.objects[key].body
        became = "unchanged" if same else "changed"
    runs = key.kind in RUNS_TO_COMPLETION
    return Row(verb, what, _joined(step.why, became), color, "" if runs else key.kind)


def _run(played: Played, place: int, key: Key, lab: Lab) -> tuple[str, str]:
    """What became of a Job that this step created, as far as this move goes; nothing for what does not run."""
    for later in played.steps[place + 1 :]:
        if later.key == key and later.deleted is not None:
            return _words(later.deleted, key, later.world, lab)
    live = played.world.objects.get(key)
    if live is not None:
        return _words(live, key, played.world, lab)
    runs = played.steps[place].world.objects[key].run is not None
    return ("ran, gone as soon as it finished" if runs else ""), ""


def _words(live: Live, key: Key, world: World, lab: Lab) -> tuple[str, str]:
    run = live.run
    if run is None:
        return "", ""
    if run.phase == "succeeded":
        late = fate_of(key.kind, key.name, world.fates) == "late"
        return ("ran, succeeded late" if late else "ran, succeeded"), ""
    if run.phase == "failed":
        return f"ran, failed: {run.reason}" if run.reason else "ran, failed", "red"
    if run.phase == "suspended":
        return "is suspended, does not run", "yellow"
    if run.phase == "waiting":
        absent = [name(needed, lab) for needed in missing(world, lab.cluster, key, live.body)]
        return f"waits for {listed(absent)}", "yellow"
    return "still runs", "yellow"


def _meanwhile(played: Played, before: World, lab: Lab) -> Iterator[Row]:
    """What became of objects that the move itself did not write."""
    written = {step.key for step in played.steps if not step.refused}
    for key, old in before.objects.items():
        if key in written:
            continue
        new = played.world.objects.get(key)
        if new is None:
            expired = old.run is not None and old.run.expires_in is not None and played.move.verb == "wait"
            yield Row("gone", name(key, lab), "its time to live is over" if expired else "")
        elif new.run is not None and old.run is not None and new.run.phase != old.run.phase:
            yield Row("then", name(key, lab), *_words(new, key, played.world, lab))
        elif new.body is not old.body:
            yield Row("change", name(key, lab))


def _folded(told: Iterator[Row]) -> Iterator[Row]:
    """Objects that go the same way between two Jobs are told by number."""
    stretch: list[Row] = []
    for row in told:
        if row.kind:
            stretch.append(row)
            continue
        yield from _by_number(stretch)
        stretch = []
        yield row
    yield from _by_number(stretch)


def _by_number(stretch: Sequence[Row]) -> Iterator[Row]:
    """Too many of a sort are one row, where the first of them stood."""
    alike: dict[tuple[str, str], list[Row]] = {}
    for row in stretch:
        alike.setdefault((row.verb, row.remark), []).append(row)
    for row in stretch:
        same = alike[row.verb, row.remark]
        if len(same) <= (1 if row.remark == "unchanged" else MOST_ALIKE):
            yield row
        elif row is same[0]:
            yield Row(row.verb, f"{len(same)} objects", _joined(row.remark, _kinds(same)))


def _kinds(same: Sequence[Row]) -> str:
    counts: dict[str, int] = {}
    for row in same:
        counts[row.kind] = counts.get(row.kind, 0) + 1
    kinds = [f"{number} {kind}" if number > 1 else kind for kind, number in counts.items()]
    more = len(kinds) - MOST_KINDS
    return ", ".join(kinds[:MOST_KINDS]) + (f" and {more} more kinds" if more > 0 else "")


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
