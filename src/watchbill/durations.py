"""Durations as Helm and kubectl write them: 90s, 5m, 1h30m."""

import re

_UNITS = {"s": 1, "m": 60, "h": 3600}


def seconds(text: str) -> float | None:
    """None if it is no duration."""
    if text.isascii() and text[:-1].isdigit() and text[-1] in _UNITS:
        return float(text[:-1]) * _UNITS[text[-1]]
    parts = re.findall(r"(\d+(?:\.\d+)?)([smh])", text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def told(seconds: float) -> str:
    """As it would be written: 90 seconds are 1m30s. Parts of a second count below ten of them."""
    if seconds < 10:
        return f"{seconds:.1f}".removesuffix(".0") + "s"
    whole = round(seconds)
    parts = (("h", whole // 3600), ("m", whole % 3600 // 60), ("s", whole % 60))
    return "".join(f"{number}{unit}" for unit, number in parts if number)
