"""Moves: what people write (`upgrade --force`, `fail *-migrate`, `wait 2h`) as values the model plays."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from watchbill.durations import seconds
from watchbill.lifecycle.fates import FATES, Fate
from watchbill.lifecycle.flags import HELM_FLAGS, KUBECTL_FLAGS, VALUE_FLAGS, Flag, Flags

HELM_VERBS = ("install", "upgrade", "rollback", "uninstall", "test")
KUBECTL_VERBS = ("apply", "delete")
WORLD_VERBS = (*FATES, "wait", "delete", "edit")
PREFIXES = ("kill", "release")
USAGE = {
    "fail": "fail PATTERN",
    "hang": "hang PATTERN",
    "late": "late PATTERN",
    "succeed": "succeed PATTERN",
    "wait": "wait DURATION, like wait 2h",
    "delete": "delete KIND/NAME",
    "edit": "edit KIND/NAME PATH=VALUE, like edit Deployment/web spec.replicas=3",
    "kill": "kill N MOVE, like kill 3 upgrade",
    "release": "release NAME MOVE, like release other install; NAMESPACE/NAME for one in another namespace",
}


class BadMove(Exception):  # noqa: N818 - it is the move that is bad
    """A move nobody can play: what is wrong with it, and what might have been meant."""

    def __init__(self, what: str, then: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.then = then


class Move(Struct, frozen=True, cache_hash=True):
    text: str  # as it was written
    verb: str
    flags: Flags = Flags()
    given: tuple[str, ...] = ()  # the names of the flags, as written
    refused: str = ""  # a flag the tool would not take, in its words
    version: int = 0  # the one that is installed, upgraded to or applied
    revision: int = 0  # to roll back to; 0: the one before
    pattern: str = ""
    fate: Fate = "succeed"
    seconds: float = 0
    kind: str = ""
    name: str = ""
    path: tuple[str | int, ...] = ()
    value: Any = None
    dies_after: int = 0  # writes, after which the client is killed; 0: it lives
    release: str = ""  # another release of the same versions; empty: the one it is all about

    @property
    def of_tool(self) -> bool:
        """A move of the tool; the others are what happens in the cluster meanwhile."""
        return self.verb in HELM_VERBS or self.verb == "apply" or (self.verb == "delete" and not self.kind)


@lru_cache(1 << 12)
def parse(text: str, tool: str) -> Move:
    """One move, for this tool: helm or kubectl."""
    words = _quoted(text) if any(mark in text for mark in "\"'\\") else text.split()
    if not words:
        raise BadMove("a move is empty", f"moves are: {_all(tool)}")
    return replace(_parse(words, text, tool), text=text)


def to_the_next(tool: str) -> tuple[Move, Move]:
    """The first version comes, then the second, as the tool calls that."""
    first, then = ("install", "upgrade") if tool == "helm" else ("apply", "apply")
    return parse(first, tool), replace(parse(then, tool), version=1)


def _quoted(text: str) -> list[str]:
    import shlex  # moves with quotes in them are rare

    try:
        return shlex.split(text)
    except ValueError as error:
        raise BadMove(f"the move {text!r} cannot be read: {error}") from None


def is_move(text: str, tool: str) -> bool:
    """Whether an argument is a move rather than a version."""
    verb = text.split(maxsplit=1)[0] if text.split() else ""
    return verb in verbs(tool)


def number(moves: Sequence[Move], versions: int) -> list[Move]:
    """Install and the first apply take the first version, each upgrade the next; the last repeats."""
    numbered, at = [], dict[str, int]()
    for move in moves:
        if move.verb == "install":
            at[move.release] = 0
        elif move.verb in ("upgrade", "apply"):
            at[move.release] = min(at.get(move.release, -1) + 1, versions - 1)
        numbered.append(replace(move, version=max(0, at.get(move.release, 0))))
    return numbered


def verbs(tool: str) -> tuple[str, ...]:
    """Return the words that a move of this tool can begin with."""
    of_tool = HELM_VERBS if tool == "helm" else KUBECTL_VERBS
    return tuple(dict.fromkeys((*of_tool, *WORLD_VERBS, *PREFIXES)))


def _all(tool: str) -> str:
    return ", ".join(verbs(tool))


def _parse(words: list[str], text: str, tool: str) -> Move:
    verb, rest = words[0], words[1:]
    if verb == "kill":
        if len(rest) < 2 or not rest[0].isdecimal() or int(rest[0]) < 1:
            raise _usage(verb, text)
        inner = _parse(rest[1:], text, tool)
        if not inner.of_tool:
            raise BadMove(
                f"the move {text!r} kills nothing: {inner.verb!r} is not an operation of {tool}",
                USAGE["kill"],
            )
        return replace(inner, dies_after=int(rest[0]))
    if verb == "release":
        if len(rest) < 2:
            raise _usage(verb, text)
        return replace(_parse(rest[1:], text, tool), release=rest[0])
    if verb in FATES:
        if len(rest) != 1:
            raise _usage(verb, text)
        fate: Fate = verb
        return Move(text, verb, pattern=rest[0], fate=fate)
    if verb == "wait":
        given = seconds(rest[0]) if len(rest) == 1 else None
        if given is None:
            raise _usage(verb, text)
        return Move(text, verb, seconds=given)
    if verb == "edit" or (verb == "delete" and rest and "/" in rest[0]):
        return _edit(verb, rest, text)
    if verb == "delete" and tool == "helm":
        raise _usage(verb, text)
    if verb in (HELM_VERBS if tool == "helm" else KUBECTL_VERBS):
        return _operation(verb, rest, text, tool)
    close = closest(verb, verbs(tool))
    raise BadMove(
        f"unknown move {verb!r}", f"did you mean {close!r}?" if close else f"moves are: {_all(tool)}"
    )


def closest(word: str, known: Iterable[str]) -> str:
    """What may have been meant; empty where nothing is like it."""
    from difflib import get_close_matches  # for who mistypes alone

    return next(iter(get_close_matches(word, list(known), n=1)), "")


def _usage(verb: str, text: str) -> BadMove:
    return BadMove(f"the move {text!r} cannot be read", f"write it as: {USAGE[verb]}")


def _edit(verb: str, rest: list[str], text: str) -> Move:
    kind, _, name = rest[0].partition("/") if rest else ("", "", "")
    if not kind or not name or len(rest) != (1 if verb == "delete" else 2):
        raise _usage(verb, text)
    if verb == "delete":
        return Move(text, verb, kind=kind, name=name)
    path, equals, value = rest[1].partition("=")
    if not path or not equals:
        raise _usage(verb, text)
    return Move(text, verb, kind=kind, name=name, path=_path(path), value=_value(value))


def _path(text: str) -> tuple[str | int, ...]:
    """Names between dots; a dot inside a name is written `\\.`, a place in a list is a number."""
    names = [name.replace("\0", ".") for name in text.replace("\\.", "\0").split(".")]
    return tuple(int(name) if name.isdecimal() else name for name in names)


def _value(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return text


def _operation(verb: str, rest: list[str], text: str, tool: str) -> Move:
    table = HELM_FLAGS if tool == "helm" else KUBECTL_FLAGS
    chosen: dict[str, Any] = {}
    given: list[str] = []
    refused = ""
    revision = 0
    words = list(rest)
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            if verb == "rollback" and word.isdecimal() and not revision:
                revision = int(word)
                continue
            raise BadMove(
                f"the move {text!r} has a word too many: {word!r}",
                "a move is one argument: a verb and its flags",
            )
        name, equals, value = word.partition("=")
        flag = next((known for known in table.get(name, ()) if verb in known.commands), None)
        if flag is None:
            known = [n for n, found in table.items() if any(verb in one.commands for one in found)]
            raise BadMove(f"{tool} {verb} has no flag {name} that the model knows", _instead(name, known))
        given.append(name)
        if flag.kind not in ("bool", "wait") and not equals:
            if not words:
                raise BadMove(
                    f"the flag {name} of {text!r} needs a value", f"write it as: {verb} {name}=VALUE"
                )
            value = words.pop(0)
        read, wrong = _read(name, flag, value if flag.kind not in ("bool", "wait") or equals else None)
        refused = refused or wrong
        if flag.field:
            chosen[flag.field] = read
    return Move(text, verb, Flags(**chosen), tuple(given), refused, revision=revision)


def _instead(name: str, known: list[str]) -> str:
    """What to write in place of a flag that is not among the known ones."""
    if name in VALUE_FLAGS:
        return f"values are options of the whole command: put {name} outside of the move"
    close = closest(name, known)
    return f"did you mean {close}?" if close else f"known flags: {', '.join(known)}"


def _read(name: str, flag: Flag, value: str | None) -> tuple[Any, str]:
    """A flag's value, and the tool's words if it would not take it."""
    if flag.kind == "wait":
        return ("true" if value is None else value), ""
    if flag.kind == "bool":
        if value not in (None, "true", "false"):
            return False, (
                f'invalid argument "{value}" for "{name}" flag: strconv.ParseBool: parsing "{value}": invalid syntax'
            )
        return value != "false", ""
    assert value is not None
    if flag.kind == "number":
        if not re.fullmatch(r"-?\d+", value):
            return 0, (
                f'invalid argument "{value}" for "{name}" flag: strconv.ParseInt: parsing "{value}": invalid syntax'
            )
        return int(value), ""
    if flag.kind == "duration":
        given = seconds(value)
        if given is None:
            return 0, f'invalid argument "{value}" for "{name}" flag: time: invalid duration "{value}"'
        return given, ""
    return value, ""
