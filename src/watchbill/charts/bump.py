"""The next value of a value: other values of the same type, the likeliest first."""

import re


def bump_version(version: str) -> str:
    """1.2.3 becomes 1.2.4; what has no number becomes another name. Build metadata does not outlive a build."""
    core = version.partition("+")[0]
    return _next_number(core) or f"{core}-next"


def bump_image(reference: str) -> str:
    """`app:1.2@sha256:...` becomes `app:1.3`: another tag has another digest."""
    name = reference.partition("@")[0]
    repository, colon, tag = name.rpartition(":")
    return f"{repository}{colon}{bump_version(tag)}" if colon else bump_version(reference)


def candidates(value: str | float) -> list[str | int | float]:
    """What may follow; several, because a schema may refuse the first ones, and Helm is the judge of that."""
    if isinstance(value, str):
        return [*_texts(value)]
    step = 1 if isinstance(value, int) else _last_digit(value)
    return [_add(value, step), _add(value, -step), value * 2]


def _texts(value: str) -> list[str]:
    """Text with template code in it only grows at its end; where no length is to spare, a letter changes."""
    numbered = None if "{{" in value else _next_number(value)
    last = value[-1]
    swapped = value[:-1] + ("b" if last == "a" else "a") if last.islower() else None
    return [text for text in (numbered, f"{value}-next", f"{value}x", swapped) if text]


def _next_number(text: str) -> str | None:
    """The last number in it, one higher; it keeps its leading zeros."""
    match = re.search(r"\d+(?=\D*$)", text)
    if not match:
        return None
    return f"{text[: match.start()]}{int(match[0]) + 1:0{len(match[0])}d}{text[match.end() :]}"


def _last_digit(value: float) -> float:
    decimals = str(value).partition(".")[2]
    return float(f"1e-{len(decimals)}") if decimals.isdigit() and float(decimals) else 1.0


def _add(value: float, step: float) -> float:
    return value + step if isinstance(value, int) and isinstance(step, int) else round(value + step, 10)
