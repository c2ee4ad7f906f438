"""Links of a terminal (OSC 8) in a report that is already laid out: places lead to their files, rules to their pages.

They take no room, so nothing moves. Text of charts cannot contain any: it has no control characters.
"""

import os
import re
from collections.abc import Callable, Iterable
from urllib.parse import quote

from watchbill.checking.result import Finding
from watchbill.report.words import spot

_RULE = re.compile(r"\bWB\d{3}\b")


def add_links(text: str, findings: Iterable[Finding], host: str, page_file: Callable[[str], str]) -> str:
    """Return the text with links. `page_file` gives the file of a rule's page; empty if there is none."""
    places = {
        spot(place): os.path.abspath(place.file)
        for finding in findings
        for place in (finding.location, *finding.related)
        if place is not None and os.path.isfile(place.file)
    }
    if places:
        longest_first = sorted(places, key=len, reverse=True)
        pattern = re.compile(rf"(?<![^\s(])(?:{'|'.join(map(re.escape, longest_first))})(?![\w.:/-])")
        text = pattern.sub(lambda found: _link(found[0], places[found[0]], host), text)
    return _RULE.sub(lambda found: _link(found[0], page_file(found[0]), host), text)


def _link(text: str, file: str, host: str) -> str:
    if not file:
        return text
    uri = f"file://{host}{quote(file, safe='/', errors='surrogateescape')}"
    return f"\x1b]8;;{uri}\x1b\\{text}\x1b]8;;\x1b\\"
