"""What was played, for scripts: the JSON of `rehearse`, which is also the shape of recorded truth."""

import re
from collections.abc import Sequence

from msgspec import Struct

from watchbill.lifecycle.client import Step
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.play import Played, objects


class ReleaseState(Struct, frozen=True):
    revision: int
    status: str


class Outcome(Struct, frozen=True):
    """One move and what came of it."""

    move: str
    ok: bool
    error: str
    release: ReleaseState | None  # its last revision
    ran: tuple[str, ...]
    objects: tuple[str, ...]
    writes: tuple[str, ...]


class Report(Struct, frozen=True):
    schema: int
    tool: str
    moves: tuple[Outcome, ...]


def report(played: Sequence[Played], lab: Lab) -> Report:
    return Report(1, str(lab.tool), tuple(map(_outcome, played)))


def _outcome(played: Played) -> Outcome:
    release = played.release
    return Outcome(
        move=played.move.text,
        ok=played.ok,
        error=played.error.strip(),
        release=ReleaseState(release.revision, release.status) if release else None,
        ran=tuple(f"{key.namespace}/{_name(key)}" for key in played.ran),
        # Kinds of the same name in two groups have one name here.
        objects=tuple(sorted(set(map(str, objects(played.world))))),
        writes=tuple(map(_write, played.steps)),
    )


def _name(key: Key) -> str:
    """One star for all that the server named itself."""
    return re.sub(r"\*+$", "*", key.name)


def _write(step: Step) -> str:
    return re.sub(r"\*+(?= refused$|$)", "*", str(step))
