"""Text of jobs, fit for terminals, JSON and the history: what a job logs, raises or prints may hold anything."""

import re
from collections.abc import Iterator

LONGEST = 2000

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# "postgres://shop:hunter2@database", as drivers repeat it in their errors.
_LOGIN = re.compile(r"(?<=://)[^/\s@]+@")


def lines_of(text: str) -> Iterator[str]:
    """No colours, no control characters, no logins in addresses, no line that nobody would read to its end."""
    for line in _ESCAPE.sub("", text).splitlines():
        plain = _LOGIN.sub("…@", _CONTROL.sub("", line.expandtabs())).rstrip()
        if len(plain) > LONGEST:
            plain = f"{plain[:LONGEST]}… ({len(plain) - LONGEST} more characters)"
        # A file name that is not UTF-8 has characters that cannot be encoded again.
        yield plain.encode("utf-8", "backslashreplace").decode()


def paragraph(text: str) -> str:
    """The same for a text of several lines."""
    return "\n".join(lines_of(text))
