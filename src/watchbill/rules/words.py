"""How objects and tools are named in findings, and how a title is kept within its line."""

from collections.abc import Sequence

from watchbill.lifecycle.objects import Key

WIDEST = 100


def named(key: Key) -> str:
    """`Job "membership-migrate"`"""
    return f'{key.kind} "{key.name}"'


def short(key: Key) -> str:
    """`Job/membership-migrate`"""
    return f"{key.kind}/{key.name}"


def listed(keys: Sequence[Key], most: int = 4) -> str:
    """`ServiceAccount "x", Secret "y" and 3 more`"""
    shown = [named(key) for key in keys[:most]]
    if len(keys) > most:
        return f"{', '.join(shown)} and {len(keys) - most} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


def tools_named(tools: Sequence[str]) -> list[str]:
    """`helm@4.3.1` is `helm 4.3` where that says which."""
    short = [_without_patch(tool) for tool in tools]
    return [
        name if short.count(name) == 1 else tool.replace("@", " ")
        for name, tool in zip(short, tools, strict=True)
    ]


def _without_patch(tool: str) -> str:
    name, _, version = tool.partition("@")
    numbers = version.split(".")
    return f"{name} {'.'.join(numbers[:2])}" if len(numbers) > 2 else tool


def title(text: str, *keys: Key) -> str:
    """With the names of these objects cut in their middle where the line would be too long."""
    for key in sorted(keys, key=lambda key: -len(key.name)):
        if len(text) <= WIDEST:
            break
        room = max(len(key.name) - (len(text) - WIDEST), 12)
        text = text.replace(key.name, _cut(key.name, room))
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def _cut(name: str, room: int) -> str:
    if len(name) <= room:
        return name
    head = (room - 1) // 2
    return f"{name[:head]}…{name[len(name) - (room - 1 - head) :]}"
