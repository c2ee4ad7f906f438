"""Whether a CronJob's schedule can be read, in the words of the parser the API server uses (robfig/cron)."""

from collections.abc import Mapping

from watchbill.patterns import regex

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DAYS = "sun mon tue wed thu fri sat".split()
_NO_NAMES: Mapping[str, int] = {}
# Smallest and largest value, and names, of the five fields.
_FIELDS: tuple[tuple[int, int, Mapping[str, int]], ...] = (
    (0, 59, _NO_NAMES),
    (0, 23, _NO_NAMES),
    (1, 31, _NO_NAMES),
    (1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    (0, 6, {name: number for number, name in enumerate(_DAYS)}),
)
_NAMED = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_DURATION = regex(r"[+-]?(?:0|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)")


class _ScheduleError(Exception):
    """The parser's words."""


def problem(schedule: str) -> str | None:
    """What the parser says; None for a schedule it takes."""
    if schedule.startswith(("TZ=", "CRON_TZ=")):
        if " " not in schedule:
            return None
        schedule = schedule.partition(" ")[2].strip()
    if schedule.startswith("@"):
        return _descriptor(schedule)
    fields = schedule.split()
    if len(fields) != 5:
        return f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]"
    try:
        for field, (low, high, names) in zip(fields, _FIELDS, strict=True):
            for part in filter(None, field.split(",")):
                _range(part, low, high, names)
    except _ScheduleError as bad:
        return str(bad)
    return None


def _descriptor(schedule: str) -> str | None:
    if schedule in _NAMED:
        return None
    if schedule.startswith("@every "):
        duration = schedule.removeprefix("@every ")
        if _DURATION.fullmatch(duration):
            return None
        return f'failed to parse duration {schedule}: time: invalid duration "{duration}"'
    return f"unrecognized descriptor: {schedule}"


def _range(part: str, low: int, high: int, names: Mapping[str, int]) -> None:
    bounds, *steps = part.split("/")
    first, *others = bounds.split("-")
    if first in ("*", "?"):
        start, end = low, high
    else:
        start = _number(first, names)
        if len(others) > 1:
            raise _ScheduleError(f"too many hyphens: {part}")
        end = _number(others[0], names) if others else start
    step = 1
    if len(steps) > 1:
        raise _ScheduleError(f"too many slashes: {part}")
    if steps:
        step = _number(steps[0], _NO_NAMES)
        if not others:
            end = high
    if start < low:
        raise _ScheduleError(f"beginning of range ({start}) below minimum ({low}): {part}")
    if end > high:
        raise _ScheduleError(f"end of range ({end}) above maximum ({high}): {part}")
    if start > end:
        raise _ScheduleError(f"beginning of range ({start}) beyond end of range ({end}): {part}")
    if step == 0:
        raise _ScheduleError(f"step of range should be a positive number: {part}")


def _number(text: str, names: Mapping[str, int]) -> int:
    if text.lower() in names:
        return names[text.lower()]
    digits = text[1:] if text.startswith(("+", "-")) else text
    if not (digits.isascii() and digits.isdigit()):
        raise _ScheduleError(
            f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax'
        )
    number = int(text)
    if number < 0:
        raise _ScheduleError(f"negative number ({number}) not allowed: {text}")
    return number
