"""Text that everything a regular expression matches contains. To look for such text first is many times faster."""

from collections.abc import Sequence
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

LONG_ENOUGH = 12  # characters: shorter text can be anywhere


def find_required(expression: str) -> tuple[str, ...]:
    """Return texts of which each match contains at least one; no texts if there is no such text."""
    return _require(parser.parse(expression))


def _require(parsed: Sequence[Any]) -> tuple[str, ...]:
    choices, literal = list[tuple[str, ...]](), ""
    for kind, argument in parsed:
        if kind is kinds.LITERAL:
            literal += chr(argument)
            continue
        choices += [(literal,), _require_inside(kind, argument)]
        literal = ""
    choices.append((literal,))
    certain = [choice for choice in choices if choice and all(choice)]
    return max(certain, key=_weigh, default=())


def _require_inside(kind: Any, argument: Any) -> tuple[str, ...]:
    if kind is kinds.SUBPATTERN:
        return _require(argument[-1])
    if kind is kinds.MAX_REPEAT and argument[0] > 0:
        return _require(argument[2])
    if kind is kinds.BRANCH:
        branches = [_require(branch) for branch in argument[1]]
        return tuple(text for branch in branches for text in branch) if all(branches) else ()
    return ()


def _weigh(choice: tuple[str, ...]) -> tuple[bool, int, int]:
    """Prefer few texts, then long ones, which are rare; but any number to one short text."""
    shortest = min(map(len, choice))
    return shortest >= LONG_ENOUGH, -len(choice), shortest
