"""A difference told to a person: a title, the moves on which both tools agree, and what each makes of the last."""

from collections.abc import Iterator, Sequence

from watchbill.checking.comparing.parting import DOOMED
from watchbill.checking.comparing.result import Difference
from watchbill.checking.comparing.seen import Seen
from watchbill.checking.evidence import BRINGS, MOST_OBJECTS, did, taken, words
from watchbill.checking.result import Row
from watchbill.lifecycle.fates import RUNS_TO_COMPLETION
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import REMOVES
from watchbill.lifecycle.world import World
from watchbill.rules.words import listed, named, short, tools_named

ENDS = {
    "succeeded": "succeeds",
    "failed": "fails",
    "running": "does not end",
    "waiting": "never starts",
    "suspended": "is suspended",
    "": "is not there",
}
MOST_SHOWN = 2
LINE = 100


def tell(group: Sequence[Seen], profiles: frozenset[str]) -> Difference:
    """Of paths that show the same, the best evidence first; `profiles` are all there are."""
    best = group[0]
    shown = _each(one.field.profile for one in group)
    return Difference(
        title=_title(best),
        what=best.parting.what,
        objects=_each(short(key) for one in group for key in one.parting.objects),
        handed_over=bool(best.handed_over),
        rows=tuple(_rows(best)),
        move=_move(best),
        sides=(_side(best, 0), _side(best, 1)),
        moves=(_texts(best, 0), _texts(best, 1)),
        versions=tuple(
            best.field.versions[number] for number in taken([moves[best.told] for moves in best.trace])
        ),
        also=tuple(words for words in _each(one.operation for one in group) if words != best.operation),
        scenarios=_each(one.scenario for one in group if one.scenario),
        changes=_each(change for one in group if len(one.field.changes) == 1 for change in one.field.changes),
        profiles=() if profiles <= set(shown) else tuple(name or "values.yaml" for name in shown),
    )


def _each(names: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def labels(seen: Seen) -> tuple[str, str]:
    """`helm 3.19` and `helm 4.3`; of one that goes on with another's release and one that does not, which is which."""
    one, other = tools_named([str(lab.tool) for lab in seen.field.labs])
    return (f"{other} after {one}", f"{other} alone") if seen.handed_over else (one, other)


def _under(seen: Seen) -> tuple[str, str]:
    one, other = labels(seen)
    after = one.partition(" after ")[2]
    return (f"after {after}" if after else f"under {one}", f"under {other}")


def _title(seen: Seen) -> str:
    """The first of its sentences that fits into a line, or else the shortest."""
    operations = dict.fromkeys((f"{_supposing(seen)}{seen.operation}", seen.operation))
    titles = [text for operation in operations for text in _sentences(seen, operation)]
    return next((text for text in titles if len(text) <= LINE), min(titles, key=len))


def _sentences(seen: Seen, operation: str) -> Iterator[str]:
    """The more is said the sooner."""
    keys, under = seen.parting.objects, _under(seen)
    match seen.parting.what:
        case "outcome":
            loses, works = under[seen.parting.fails], under[1 - seen.parting.fails]
            if keys and _skips(seen, 1 - seen.parting.fails, keys[0]):
                works += " without running it"
            at = f" at {named(keys[0])}" if keys else ""
            if (why := seen.parting.why) and why != DOOMED:
                yield f"{operation} fails {loses}{at} ({why}), works {works}"
            yield f"{operation} fails {loses}{at}, works {works}"
            yield f"{operation} fails only {loses}{at}"
        case "ends":
            ends = [_end(seen, side, keys[0]) for side in (0, 1)]
            yield f"in {operation} {named(keys[0])} {ends[0]} {under[0]} and {ends[1]} {under[1]}"
        case what:
            yield from _uneven(seen, under, f"{operation} {'runs' if what == 'runs' else 'leaves'}")


def _skips(seen: Seen, side: int, key: Key) -> bool:
    """Whether the tool takes the hook's Job of an earlier run for the new one."""
    played = seen.plays[side][-1]
    if key.kind not in RUNS_TO_COMPLETION or key in played.ran:
        return False
    return any(step.key == key and step.why.startswith("hook") for step in played.steps)


def _supposing(seen: Seen) -> str:
    """What has to go wrong for it, if it is not over by then."""
    world = seen.plays[seen.told][-2].world if len(seen.trace) > 1 else World()
    for pattern, fate in world.fates:
        if fate != "succeed":
            kind = pattern.rpartition("/")[0] or "Job"
            return f"if a {kind} {'is late' if fate == 'late' else f'{fate}s'}, "
    return ""


def _uneven(seen: Seen, under: tuple[str, str], begins: str) -> Iterator[str]:
    """Jobs that run, or objects that are left, on one side more than on the other."""
    keys = seen.parting.objects
    only = [[key for key in keys if _has_more(seen, side, key)] for side in (0, 1)]
    for most in (2, 1):
        parts = [f"{listed(some, most)} {where}" for some, where in zip(only, under, strict=True) if some]
        if all(only):
            yield f"{begins} {', '.join(parts)}"
        else:
            yield f"{begins} {parts[0]}, not {under[bool(only[0])]}"
    side = int(not only[0])
    yield f"{begins} {listed(only[side], 1)} only {under[side]}"


def _has_more(seen: Seen, side: int, key: Key) -> bool:
    """Whether the Job runs, or the object is there, more than on the other side."""
    own, other = (plays[-1] for plays in (seen.plays[side], seen.plays[1 - side]))
    if seen.parting.what == "runs":
        return own.ran.count(key) > other.ran.count(key)
    return key in own.world.objects and not own.world.objects[key].terminating


def _end(seen: Seen, side: int, key: Key) -> str:
    """How the Job ended at last."""
    played = seen.plays[side][-1]
    live = played.world.objects.get(key)
    for step in played.steps:
        if live is None and step.key == key:
            live = step.deleted
    return ENDS[live.run.phase if live is not None and live.run is not None else ""]


def _rows(seen: Seen) -> Iterator[Row]:
    """All moves but the last."""
    side, keys = seen.told, seen.parting.objects[:MOST_OBJECTS]
    world, version = World(), -1
    for place, played in enumerate(seen.plays[side][:-1]):
        if seen.handed_over and place == seen.handed_over:
            yield Row(f"{labels(seen)[1].removesuffix(' alone')} takes over", None)
        done = tuple(did(played, world, keys, seen.lab(side, place)))
        works = played.ok if played.move.of_tool else None
        yield Row(words(played, version, seen.field.changes, seen.field.versions), works, done)
        version = _version(seen, place, version)
        world = played.world


def _version(seen: Seen, place: int, version: int) -> int:
    move = seen.trace[place][seen.told]
    return move.version if move.verb in BRINGS else version


def _move(seen: Seen) -> str:
    version = -1
    for place in range(len(seen.trace) - 1):
        version = _version(seen, place, version)
    return words(seen.plays[seen.told][-1], version, seen.field.changes, seen.field.versions)


def _side(seen: Seen, side: int) -> Row:
    played = seen.plays[side][-1]
    works = played.ok if played.move.of_tool else None
    return Row(labels(seen)[side], works, tuple(_deeds(seen, side)), played.error.strip())


def _deeds(seen: Seen, side: int) -> Iterator[str]:
    """What was done to the objects in which it shows, or at least how they are now."""
    played, what = seen.plays[side][-1], seen.parting.what
    before = seen.plays[side][-2].world if len(seen.trace) > 1 else World()
    removes = seen.trace[-1][seen.told].verb in REMOVES
    for key in seen.parting.objects[:MOST_SHOWN]:
        done = list(did(played, before, [key], seen.lab(side, len(seen.trace) - 1)))
        if what == "remains" and _has_more(seen, side, key):
            yield f"{short(key)} {'is left behind' if removes else 'is there'}"
        elif what == "remains":
            yield done[-1] if done else f"{short(key)} {'is gone' if removes else 'is not there'}"
        elif done or what == "outcome":
            yield from done
        else:
            yield f"{short(key)} {'does not run' if what == 'runs' else _end(seen, side, key)}"
    if more := len(seen.parting.objects[MOST_SHOWN:]):
        yield f"and {more} more"


def _texts(seen: Seen, side: int) -> tuple[str, ...]:
    return tuple(moves[side].text for moves in seen.trace)
