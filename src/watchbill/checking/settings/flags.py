"""Flags that users say they deploy with: their names, and what can be wrong with them."""

from collections.abc import Iterator, Sequence

from watchbill.checking.settings.shape import quoted, suggest
from watchbill.lifecycle import moves
from watchbill.lifecycle.flags import HELM_FLAGS, KUBECTL_FLAGS, Flag
from watchbill.lifecycle.lab import Tool
from watchbill.rehearsal.script import KNOWN

EVERY_TOOL = tuple(Tool(name, version) for name, versions in KNOWN.items() for version in versions)
TABLES = {"helm": HELM_FLAGS, "kubectl": KUBECTL_FLAGS}


def name_of(text: str) -> str:
    """`--timeout` of `--timeout=5m` and of `--timeout 5m`."""
    return (text.split() or [""])[0].partition("=")[0]


def wrong(text: str, tools: Sequence[Tool]) -> tuple[str, str] | None:
    """What is wrong with a flag, and what to do; `tools` are those that may be given it."""
    name = name_of(text)
    known = dict(_all())
    if not name.startswith("-"):
        return f"{quoted(text)} is no flag", suggest(f"--{name}", known) or "flags begin with --"
    if name not in known:
        return f"the model knows no flag {quoted(name)}", suggest(name, known)
    takers = [(tool, flag) for tool in tools for flag in _flags(name, tool)]
    if not takers:
        has_it = next(tool for tool in EVERY_TOOL if any(_flags(name, tool)))
        return f"{', '.join(map(str, tools))} has no flag {name}", f"{has_it} has it"
    tool, flag = takers[0]
    if flag.kind not in ("bool", "wait") and text.strip() == name:
        return f"the flag {name} needs a value", f"write it as {name}=VALUE"
    try:
        move = moves.parse(f"{flag.commands[0]} {text}", tool.name)
    except moves.BadMove:
        move = None
    if move is None or len(move.given) > 1:
        return f"{quoted(text)} is more than one flag", "each flag, with its value, is an entry of its own"
    return (f"{tool.name} does not take {quoted(text)}: {move.refused}", "") if move.refused else None


def _flags(name: str, tool: Tool) -> Iterator[Flag]:
    version = tuple(map(int, tool.version.split(".")))
    for flag in TABLES[tool.name].get(name, ()):
        if tool.name != "helm" or version in flag.versions:
            yield flag


def _all() -> Iterator[tuple[str, Flag]]:
    for table in TABLES.values():
        for name, flags in table.items():
            yield from ((name, flag) for flag in flags)
