"""The next value of a value: another one of the same kind, as the next release might bring it."""

import re
from typing import Any


def bump(value: str | float, schema: dict[str, Any] | None = None) -> str | int | float | None:
    """A different value of the same type that the schema allows; None where none is known."""
    rules = schema or {}
    if isinstance(value, str):
        return next((text for text in _texts(value) if _text_allowed(text, rules)), None)
    step = rules.get("multipleOf") or (1 if isinstance(value, int) else _last_digit(value))
    return next((n for n in (_add(value, step), _add(value, -step)) if _number_allowed(n, rules)), None)


def bump_version(version: str) -> str:
    """1.2.3 becomes 1.2.4; what has no number becomes another name. Build metadata does not outlive a build."""
    core = version.partition("+")[0]
    return _next_number(core) or f"{core}-next"


def _texts(value: str) -> list[str]:
    """Candidates, the most natural first. Text with template code in it only grows at its end."""
    numbered = None if "{{" in value else _next_number(value)
    return [text for text in (numbered, f"{value}-next", f"{value}x") if text]


def _next_number(text: str) -> str | None:
    """The last number in it, one higher; it keeps its leading zeros."""
    match = re.search(r"\d+(?=\D*$)", text)
    if not match:
        return None
    return f"{text[: match.start()]}{int(match[0]) + 1:0{len(match[0])}d}{text[match.end() :]}"


def _text_allowed(text: str, rules: dict[str, Any]) -> bool:
    if len(text) > int(rules.get("maxLength", len(text))):
        return False
    try:
        return re.search(str(rules.get("pattern", "")), text) is not None
    except re.error:  # a pattern of ECMAScript's that Python cannot read: the engine's validation decides
        return True


def _last_digit(value: float) -> float:
    decimals = str(value).partition(".")[2]
    return float(f"1e-{len(decimals)}") if decimals.isdigit() else 1.0


def _add(value: float, step: float) -> float:
    return value + step if isinstance(value, int) and isinstance(step, int) else round(value + step, 10)


def _number_allowed(number: float, rules: dict[str, Any]) -> bool:
    inside: bool = rules.get("minimum", number) <= number <= rules.get("maximum", number)
    strictly: bool = (
        rules.get("exclusiveMinimum", number - 1) < number < rules.get("exclusiveMaximum", number + 1)
    )
    return inside and strictly
