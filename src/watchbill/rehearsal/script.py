"""What is to be rehearsed, as people write it: versions first, then moves, each of them one argument."""

import os
from collections.abc import Sequence

from msgspec import Struct

from watchbill.errors import UserError
from watchbill.lifecycle import moves
from watchbill.lifecycle.helm import traits
from watchbill.lifecycle.lab import Tool
from watchbill.lifecycle.moves import BadMove, Move
from watchbill.patterns import regex

COMMAND = "watchbill rehearse"
# What the model was held to, the newest first.
KNOWN = {"helm": traits.KNOWN, "kubectl": ("1.37.1",)}
VERBS = {"helm": moves.HELM_VERBS, "kubectl": moves.KUBECTL_VERBS}
_ALL_VERBS = sorted({*moves.HELM_VERBS, *moves.KUBECTL_VERBS, *moves.WORLD_VERBS, *moves.PREFIXES})
_RELEASE = regex(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST_RELEASE = 53
_LABEL = regex(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LONGEST_LABEL = 63


class Script(Struct, frozen=True):
    tool: Tool
    charts: tuple[str, ...]  # paths; none where the versions are manifests
    moves: tuple[Move, ...]


def read(arguments: Sequence[str], tool: str, manifests: Sequence[str], release: str) -> Script:
    """`manifests` are the files given with -m: versions too, in place of charts."""
    chosen = read_tool(tool)
    first = next((place for place, text in enumerate(arguments) if _is_move(text)), len(arguments))
    leading, rest = list(arguments[:first]), list(arguments[first:])
    charts = _charts(leading, chosen, manifests)
    if not charts and not manifests:
        raise UserError("no chart given", then=_name_a_version(arguments))
    if not rest:
        import shlex

        versions = charts or [word for file in manifests for word in ("-m", file)]
        raise UserError(
            "no move given",
            then=f"add moves: {COMMAND} {shlex.join(versions)} {' '.join(_typical(chosen))}",
        )
    played = [_move(rest, place, chosen, charts) for place in range(len(rest))]
    check_release(release, "--release")
    for move in played:
        if move.release:
            check_release(move.release.rpartition("/")[2])
    return Script(chosen, tuple(charts), tuple(moves.number(played, len(charts) or len(manifests))))


def read_tool(text: str) -> Tool:
    """`helm@4` is the newest 4 we know, `helm` the newest of all."""
    name, _, version = text.partition("@")
    known = KNOWN.get(name)
    if known is None:
        close = moves.closest(name, KNOWN)
        then = f"did you mean {close}?" if close else f"known tools: {', '.join(KNOWN)}"
        raise UserError(f"unknown tool {text!r}", then=f"{then}\nwrite it like helm@{KNOWN['helm'][0]}")
    wanted = version.removeprefix("v").split(".") if version else []
    for candidate in known:
        if candidate.split(".")[: len(wanted)] == wanted:
            return Tool(name, candidate)
    raise _unknown_version(name, version, known)


def nearest_tool(name: str, version: str) -> Tool:
    """The version that the model knows and that is most like this one."""
    numbers = _numbers(version)
    return Tool(name, min(KNOWN[name], key=lambda candidate: _distance(_numbers(candidate), numbers)))


def _unknown_version(name: str, version: str, known: Sequence[str]) -> UserError:
    numbers = _numbers(version)
    if not numbers:
        what, nearest = f"{version!r} is not a version of {name}", known[0]
    elif numbers > _numbers(known[0])[: len(numbers)]:
        what, nearest = f"{name} {version} is newer than any version the model knows", known[0]
    elif numbers < _numbers(known[-1])[: len(numbers)]:
        what, nearest = f"{name} {version} is older than any version the model knows", known[-1]
    else:
        what = f"{name} {version} is not among the versions the model knows"
        nearest = nearest_tool(name, version).version
    return UserError(what, then=f"known versions: {', '.join(known)}\nthe nearest is --tool {name}@{nearest}")


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.removeprefix("v").split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()


def _distance(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(abs(a - b) for a, b in zip(one, other, strict=False))


def _is_move(text: str) -> bool:
    """Whatever the tool: a move of the other one is still no version."""
    return any(moves.is_move(text, tool) for tool in VERBS)


def _is_version(text: str) -> bool:
    """There is such a path, or at least it was meant as one."""
    word = next(iter(text.split()), "")
    return os.path.exists(text) or "/" in word or word.endswith((".tgz", ".yaml", ".yml"))


def _is_misspelled(text: str) -> bool:
    """Neither a move nor a path that is there: more like a move than like a chart's name."""
    words = text.split()
    return len(words) != 1 or words[0] in VERBS or bool(moves.closest(words[0], _ALL_VERBS))


def _charts(leading: Sequence[str], tool: Tool, manifests: Sequence[str]) -> list[str]:
    """What stands before the first move."""
    for text in leading:
        if _is_version(text):
            if manifests:
                raise UserError(
                    f"{text}: charts and -m cannot be mixed",
                    then=f"render the chart and pass it with -m too: helm template {text} > FILE",
                )
        elif manifests or _is_misspelled(text):
            _parsed(text, tool)
    return list(leading)


def _name_a_version(arguments: Sequence[str]) -> str:
    """A directory may be called like a move; the move it is then."""
    then = f"versions come first, then moves: {COMMAND} ./chart {' '.join(arguments) or 'install upgrade'}"
    if arguments and os.path.isdir(arguments[0]):
        then = f"{arguments[0]!r} is a move; the directory of that name is written ./{arguments[0]}"
    return f"{then}\npass rendered manifests with -m FILE"


def _typical(tool: Tool) -> tuple[str, ...]:
    return ("install", "upgrade") if tool.name == "helm" else ("apply", "apply")


def _move(rest: Sequence[str], place: int, tool: Tool, charts: Sequence[str]) -> Move:
    text = rest[place]
    if not _is_move(text) and _is_version(text):
        import shlex

        late = [word for word in rest if not _is_move(word)]
        ordered = [*charts, *late, *filter(_is_move, rest)]
        then = f"write: {COMMAND} {shlex.join(ordered)}" if charts else "pass it with -m"
        raise UserError(f"{text}: charts come before moves", then=then)
    try:
        return _parsed(text, tool)
    except UserError as error:
        if joined := _torn_apart(rest, place):
            raise UserError(error.what, then=f'a move is one argument: "{joined}"') from None
        raise


def _torn_apart(rest: Sequence[str], place: int) -> str:
    """The move that was meant, where `fail x` came as two arguments; empty if that was not the mistake."""
    text = rest[place]
    if not _is_move(text):
        return "" if _is_misspelled(text) else f"{rest[place - 1]} {text}"
    after = rest[place + 1 : place + 2]
    if text in moves.PREFIXES:
        after = rest[place + 1 : place + 3]
    elif after and _is_move(after[0]):
        return ""
    return " ".join((text, *after)) if after and " " not in text else ""


def _parsed(text: str, tool: Tool) -> Move:
    words = text.split()
    while words and words[0] in moves.PREFIXES:
        words = words[2:]
    verb = words[0] if words else ""
    if verb in VERBS:
        raise UserError(
            f"unknown move {text!r}", then=f'leave the tool out: "{" ".join(words[1:]) or VERBS[verb][0]}"'
        )
    for other, verbs in VERBS.items():
        if other != tool.name and verb in verbs and not moves.is_move(verb, tool.name):
            raise UserError(
                f"{verb!r} is a move of {other}, but the tool is {tool}",
                then=f"moves of {tool.name} are: {', '.join(VERBS[tool.name])}; or use --tool {other}",
            )
    try:
        return moves.parse(text, tool.name)
    except BadMove as bad:
        raise UserError(bad.what, then=bad.then or None) from None


def check_namespace(name: str) -> None:
    if not _LABEL.fullmatch(name) or len(name) > _LONGEST_LABEL:
        raise UserError(
            f"{name!r} is not a valid namespace",
            then=f"use lower-case letters, digits and -, at most {_LONGEST_LABEL} characters: -n NAME",
        )


def check_release(name: str, option: str = "") -> None:
    """`option` is the one that sets the name, if there is one."""
    if not _RELEASE.fullmatch(name) or len(name) > _LONGEST_RELEASE:
        then = f"use lower-case letters, digits, - and ., at most {_LONGEST_RELEASE} characters"
        raise UserError(
            f"{name!r} is not a valid release name", then=f"{then}: {option} NAME" if option else then
        )
