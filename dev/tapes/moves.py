"""The words of a move list: what a tool is told to do, and what happens to the world beside it."""

import re
import shlex
from dataclasses import dataclass

TOOL_WORDS = ("install", "upgrade", "rollback", "uninstall", "test", "apply", "delete")
FATE_WORDS = ("succeed", "fail", "hang", "late")
# Durations as Helm and Go write them; days as people do.
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class MoveError(ValueError):
    """A move list that cannot be played; the text says why."""


@dataclass(frozen=True)
class Act:
    """The tool is called."""

    text: str
    verb: str
    arguments: tuple[str, ...] = ()
    release: str = ""  # empty: the case's own
    dies_after: int | None = None  # writes


@dataclass(frozen=True)
class Fates:
    """Jobs of those names end like this until another word changes it."""

    text: str
    fate: str
    pattern: str


@dataclass(frozen=True)
class Wait:
    text: str
    seconds: float


@dataclass(frozen=True)
class Remove:
    """Somebody deletes an object by hand."""

    text: str
    kind: str
    name: str


@dataclass(frozen=True)
class Edit:
    """Somebody changes a field by hand."""

    text: str
    kind: str
    name: str
    path: tuple[str, ...]
    value: str


Move = Act | Fates | Wait | Remove | Edit


def parse(text: str) -> Move:
    words = shlex.split(text)
    if not words:
        raise MoveError("a move is empty")
    verb, rest = words[0], words[1:]
    if verb in FATE_WORDS:
        return Fates(text, verb, _one(text, rest))
    if verb == "wait":
        return Wait(text, seconds(_one(text, rest)))
    if verb == "delete" and rest and not rest[0].startswith("-"):
        return Remove(text, *_object(text, _one(text, rest)))
    if verb == "edit":
        return _edit(text, rest)
    return _act(text, words)


def seconds(duration: str) -> float:
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|[smhd])", duration)
    if not parts or "".join(number + unit for number, unit in parts) != duration:
        raise MoveError(f"{duration!r} is no duration; write it like 90s, 5m or 2h")
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _act(text: str, words: list[str]) -> Act:
    release, dies_after = "", None
    while words and words[0] in ("release", "kill"):
        if len(words) < 3:
            raise MoveError(f"{text!r} lacks the move it is about")
        if words[0] == "release":
            release = words[1]
        elif words[1].isdigit() and int(words[1]) > 0:
            dies_after = int(words[1])
        else:
            raise MoveError(f"{text!r}: {words[1]!r} is no number of writes")
        words = words[2:]
    if words[0] not in TOOL_WORDS:
        raise MoveError(f"{text!r}: {words[0]!r} is no move")
    return Act(text, words[0], tuple(words[1:]), release, dies_after)


def _edit(text: str, rest: list[str]) -> Edit:
    if len(rest) != 2 or "=" not in rest[1]:
        raise MoveError(f"{text!r} is not `edit KIND/NAME PATH=VALUE`")
    path, _, value = rest[1].partition("=")
    return Edit(text, *_object(text, rest[0]), path=split_path(path), value=value)


def split_path(path: str) -> tuple[str, ...]:
    r"""`metadata.labels.a\.b` has three parts: a dot that belongs to a name is escaped, as in --set.

    A move is split as a shell does it, so the backslash is doubled there (or the word is quoted).
    """
    return tuple(part.replace("\\.", ".") for part in re.split(r"(?<!\\)\.", path))


def _object(text: str, named: str) -> tuple[str, str]:
    kind, slash, name = named.partition("/")
    if not (kind and slash and name):
        raise MoveError(f"{text!r}: {named!r} is not KIND/NAME")
    return kind, name


def _one(text: str, rest: list[str]) -> str:
    if len(rest) != 1:
        raise MoveError(f"{text!r} needs exactly one word behind the verb")
    return rest[0]
