"""What of a world decides its future: worlds with the same sketch are one world to the explorer."""

from collections.abc import Hashable
from functools import lru_cache

from watchbill.lifecycle.fates import Fates
from watchbill.lifecycle.world import Release, World

OLDER = -2


def sketch(world: World, *, numbers: bool, whole: bool) -> Hashable:
    """Timers in a world are relative already, and nothing in it has a uid.

    `numbers`: templates see revision numbers, so they decide what comes next. `whole`: a move may reach
    further back in the history than plain ones do (see `_history`).
    """
    histories = frozenset(
        [
            (name, _whole(history) if whole else _history(history, numbers))
            for name, history in world.releases.items()
        ]
    )
    return frozenset(world.objects.items()), histories, _fates(world.fates) if world.fates else ()


@lru_cache(1 << 12)
def _whole(history: tuple[Release, ...]) -> Hashable:
    return tuple((known.revision, known.status, known.rendered, known.server_side) for known in history)


@lru_cache(1 << 12)
def _history(history: tuple[Release, ...], numbers: bool) -> Hashable:
    """What operations without flags can still ask for.

    They look at the last revision, at the one before (rollback; its status only counts if it is deployed) and
    at what is deployed, however long ago. The rest they only forget.
    """
    last = history[-1].revision
    seen: list[Hashable] = [last if numbers else 0]
    for known in history:
        age = known.revision - last
        deployed = known.status == "deployed"
        if age == 0:
            seen.append((0, known.status, known.rendered, known.server_side))
        elif age == -1 or deployed:
            seen.append((max(age, OLDER), deployed, known.rendered, known.server_side))
    return tuple(seen)


def _fates(fates: Fates) -> Fates:
    """To succeed is what everything does: said before anything else is said, it says nothing."""
    position = 0
    while position < len(fates) and fates[position][1] == "succeed":
        position += 1
    return fates[position:]
