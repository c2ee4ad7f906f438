"""Where in the user's files something stands, and what is wrong there."""

import os
from collections.abc import Iterable

from msgspec import Struct

from watchbill.errors import UserError

MOST_TOLD = 20


class Place(Struct, frozen=True, order=True):
    file: str
    line: int

    def __str__(self) -> str:
        """As a person here would name the file."""
        return f"{near(self.file)}:{self.line}"


class Mistake(Struct, frozen=True, order=True):
    place: Place | None  # None: it is the bill that names what is not there
    what: str
    then: str = ""


def near(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def refusal(mistakes: Iterable[Mistake]) -> UserError:
    """All of them at once."""
    ordered = sorted(mistakes, key=lambda mistake: mistake.place or Place("", 0))
    if len(ordered) == 1:
        return UserError(_told(ordered[0]), then=ordered[0].then or None)
    lines = []
    for mistake in ordered[:MOST_TOLD]:
        lines.append(_told(mistake))
        lines += (f"  {words}" for words in mistake.then.splitlines())
    if len(ordered) > MOST_TOLD:
        lines.append(f"… and {len(ordered) - MOST_TOLD} more")
    return UserError(f"the jobs have {len(ordered)} mistakes", where="\n".join(lines))


def _told(mistake: Mistake) -> str:
    return f"{mistake.place}: {mistake.what}" if mistake.place else mistake.what
