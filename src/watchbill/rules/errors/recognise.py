"""From what somebody pasted to what it means."""

from watchbill.rules.errors.excerpts import excerpt
from watchbill.rules.errors.names import Names
from watchbill.rules.errors.reading import read
from watchbill.rules.errors.seeing import Seen, seen_in
from watchbill.rules.errors.telling import Explanation, told

_NO_NAMES = Names()


def recognise(text: str, given: Names = _NO_NAMES) -> list[Explanation]:
    """The errors that are known, in the order of the text."""
    causes: dict[tuple[str, ...], list[Seen]] = {}
    for seen in seen_in(read(excerpt(text))):
        causes.setdefault(seen.cause, []).append(seen)
    return [told(found, given) for found in causes.values()]
