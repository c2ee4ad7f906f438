"""Fragments of objects, as cases write down what they expect of a rendering.

Of a mapping only the keys that are named count; `null` means that a key is not there. A list is expected as a whole, or by
`{has: [...]}` and `{lacks: [...]}`, elements that are or are not among others. A text between slashes is a pattern.
"""

import re
from collections.abc import Iterator
from typing import Any


def misses(expected: Any, found: Any, place: str = "") -> Iterator[str]:
    """Every way in which what was found is not what is expected."""
    match expected:
        case {"has": list(wanted), **more} if not more:
            for one in wanted:
                if not _among(one, found):
                    yield f"{place} has no {one}: {found}"
        case {"lacks": list(unwanted), **more} if not more:
            yield from (f"{place} has {one}" for one in unwanted if _among(one, found))
        case dict() if isinstance(found, dict):
            for key, value in expected.items():
                yield from _key_misses(key, value, found, f"{place}.{key}")
        case list() if isinstance(found, list) and len(found) == len(expected):
            for number, (wanted, one) in enumerate(zip(expected, found, strict=True)):
                yield from misses(wanted, one, f"{place}[{number}]")
        case str() if isinstance(found, str) and _is_pattern(expected):
            if not re.fullmatch(expected[1:-1], found):
                yield f"{place} is {found!r}, not like {expected}"
        case _:
            if found != expected or type(found) is not type(expected):
                yield f"{place} is {found!r}, not {expected!r}"


def _key_misses(key: str, expected: Any, found: dict[str, Any], place: str) -> Iterator[str]:
    if expected is None:
        if key in found:
            yield f"{place} is there: {found[key]!r}"
    elif key not in found:
        yield f"{place} is not there"
    else:
        yield from misses(expected, found[key], place)


def _among(expected: Any, found: Any) -> bool:
    return isinstance(found, list) and any(not list(misses(expected, one)) for one in found)


def _is_pattern(text: str) -> bool:
    return len(text) > 2 and text.startswith("/") and text.endswith("/")
