"""The parts of a long log that may hold a known error, found by phrases that the errors contain.

Cleaning and matching a whole log takes a second for each megabyte or two; looking for a phrase in 20 MB takes ten
milliseconds. The end of a log is always kept, because what failed is most often there.
"""

from collections.abc import Iterator
from functools import cache

from watchbill.rules.errors.catalogue import ERRORS
from watchbill.rules.errors.known import spell_out
from watchbill.rules.errors.names import VERBS
from watchbill.rules.errors.required import LONG_ENOUGH, find_required

SHORT = 1_000_000  # characters: a text up to here is kept whole
_END = 250_000  # characters at the end that are always kept
_TIMES = 10  # a phrase is looked for, from the end: a retry loop says the same again and again
_AROUND = 2_000  # characters before and after the line with a phrase, which belong to the same message
_FAR = 40_000  # characters of a line before and after a phrase: dumps of values are that long


def excerpt(text: str) -> str:
    """Return the lines of a text that may hold a known error, with those around them, in their order."""
    if len(text) <= SHORT:
        return text
    spans = [span for phrase in _phrases() for span in _find_spans(text, phrase)]
    spans.append((_find_start(text, len(text) - _END, _AROUND), len(text)))
    return "\n".join(text[start:end] for start, end in _merge(sorted(spans)))[-SHORT:]


@cache
def _phrases() -> tuple[str, ...]:
    """Return what errors contain, and the commands that name their releases."""
    expressions = (spell_out(pattern, blank=" ") for error in ERRORS for pattern in error.patterns)
    required = [_unquote(text) for expression in expressions for text in find_required(expression)]
    phrases = {*required, *(f"helm {verb}" for verb in VERBS), ", chart="}
    rare = [phrase for phrase in phrases if len(phrase) >= LONG_ENOUGH]
    return tuple(
        phrase for phrase in phrases if not any(other in phrase and other != phrase for other in rare)
    )


def _unquote(text: str) -> str:
    """Return the longest part without quotes, because logs in JSON escape them."""
    return max((part.strip() for part in text.split('"')), key=len)


def _find_spans(text: str, phrase: str) -> Iterator[tuple[int, int]]:
    if phrase not in text:  # faster than to look for it from the end
        return
    place = len(text)
    for _ in range(_TIMES):
        place = text.rfind(phrase, 0, place)
        if place < 0:
            return
        start = _find_start(text, _find_start(text, place, _FAR) - _AROUND, _AROUND)
        end = _find_end(text, _find_end(text, place, _FAR) + _AROUND, _AROUND)
        yield start, end


def _find_start(text: str, place: int, far: int) -> int:
    """Return where the line at this place starts, or a place this far before it."""
    least = max(0, place - far)
    return text.rfind("\n", least, max(0, place)) + 1 or least


def _find_end(text: str, place: int, far: int) -> int:
    found = text.find("\n", place, place + far)
    return found if found >= 0 else place + far


def _merge(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    start, end = spans[0]
    for then_start, then_end in spans[1:]:
        if then_start > end:
            yield start, end
            start = then_start
        end = max(end, then_end)
    yield start, end
