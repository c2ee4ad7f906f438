"""Durations as Helm and kubectl write them: 90s, 5m, 1h30m."""

import re

_UNITS = {"s": 1, "m": 60, "h": 3600}


def seconds(text: str) -> float | None:
    """None if it is no duration."""
    parts = re.findall(r"(\d+(?:\.\d+)?)([smh])", text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in parts)
