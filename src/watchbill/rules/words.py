"""How objects and tools are named in findings."""

from collections.abc import Sequence

from watchbill.lifecycle.objects import Key


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
