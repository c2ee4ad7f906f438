"""What people paste, as one line of plain words.

An error reaches us out of a terminal, a CI log, a controller's JSON or a chat: coloured, prefixed on every line,
escaped, and broken at any column. All of that is undone as far as it can be; where lines are joined nobody
knows whether a blank stood there, so whoever looks for words must take a blank in them as optional.
"""

import re
from bisect import bisect_right
from html import unescape
from itertools import zip_longest
from typing import NamedTuple

_ESCAPED = re.compile(
    r"""\\+(?:(?P<code>u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|033)|(?P<blank>[nrt])|(?P<mark>["'/]))"""
)
_ANSI = re.compile(
    r"(?:\x1b|\^\[)(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\|$)|_[^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B])"
    r"|\[(?:[01]|[349]\d)(?:;\d{1,3})*m"  # what is left of a colour where the escape character got lost
    r"|[\x00-\x08\x0e-\x1f\x7f\u200b-\u200f\ufeff]",
    re.MULTILINE,
)
_SAME = str.maketrans("\u201c\u201d\u201e\u2018\u2019\u00a0\u2028\u2029\r\x0b\x0c", '"""\'\' \n\n\n\n\n')

_DATE = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d+)?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
# What CI systems, log viewers and loggers put before a line, in any order and number.
_PREFIX = re.compile(
    r"(?:\s*(?:"
    + "|".join(
        (
            rf"\[?{_DATE}\]?(?: +\d\d[OE][+ ])?",  # GitHub, kubectl logs --timestamps, Azure, GitLab (00O+)
            rf"\[?{_CLOCK}\]?(?=\s)",  # Jenkins
            rf"(?:{_DAY},? )?{_MONTH} [ \d]\d {_CLOCK}(?: [A-Z]{{3,4}} \d{{4}}| \S+ \S+?\[\d+\]:)?",  # syslog, date
            r"\d{10}(?:\.\d+|\d{3})?(?=\s)",  # seconds or milliseconds since 1970
            rf"[IWEF]\d{{4}} {_CLOCK} +\d+ [\w./-]+:\d+\]",  # klog
            r"section_(?:start|end):\d+:[\w.-]+(?:\[[^\]]*\])?",  # GitLab
            r"##\[\w+\]|::(?:error|warning|notice|debug|group)\b[^:]*::",  # GitHub, Azure
            r"\[(?:pod/)?[\w][\w./ #-]{0,100}\](?=\s|$)",  # Jenkins, kubectl logs --prefix, Maven
            r"[\w][\w./-]{0,100} *\|(?=\s|$)",  # docker compose
            r"[^\t\n]{1,100}\t[^\t\n]{1,100}\t(?=\ufeff?\d{4}-)",  # gh run view --log
            r"""(?:time|ts|level|logger|caller)=(?:"[^"]*"|\S+)""",  # logfmt
            r"(?:ERROR|ERRO|WARN|WARNING|INFO|DEBUG|FATAL|FATA|TRACE)\b:?",
            r"\{\"log\":\"",  # docker's own log files
            r"[│╷╵┃|>](?=\s|$)|```\w*",  # terraform, mail and chat
        )
    )
    + r"))+\s*"
)
_SUFFIX = re.compile(r"\",\"stream\":\"std(?:out|err)\",\"time\":\"[^\"]*\"\}$")


class Line(NamedTuple):
    text: str
    start: int  # of it in the words
    whole: bool  # it was not broken, as far as one can tell


class Pasted(NamedTuple):
    words: str
    lines: tuple[Line, ...]

    def unbroken(self, start: int, end: int) -> str:
        """These words, but only as far as they stand in one line, unless that line was broken."""
        place = bisect_right(self.lines, start, key=lambda line: line.start)
        for line, then in zip(self.lines[place - 1 :], self.lines[place:], strict=False):
            if then.start >= end:
                break
            if line.whole:
                return self.words[start : then.start]
        return self.words[start:end]


def read(text: str) -> Pasted:
    written = [_cut(line) for line in _plain(text).split("\n") if line.strip()]
    lines: list[Line] = []
    start = 0
    longest = max((length for _, _, length in written), default=0)
    for (_, kept, length), then in zip_longest(written, written[1:]):
        # A terminal breaks lines where the longest ends, and what is broken goes on without a prefix or a new message.
        whole = length < longest - 1 or then is None or bool(then[0] or then[1].startswith("Error: "))
        lines.append(Line(kept, start, whole))
        start += len(kept)
    return Pasted("".join(line.text for line in lines), tuple(lines))


def _cut(line: str) -> tuple[str, str, int]:
    """What stands before it, what it says, and how long all of it is."""
    found = _PREFIX.match(line)
    prefix = found[0] if found else ""
    return prefix.strip(), " ".join(_SUFFIX.sub("", line[len(prefix) :]).split()), len(line)


def _plain(text: str) -> str:
    """Without colours, escapes and typographic quotes."""
    text = text.translate(_SAME)
    if "\\" in text:
        text = _ESCAPED.sub(_meant, text)
    if "&" in text:
        text = unescape(text)
    return _ANSI.sub("", text)


def _meant(escaped: re.Match[str]) -> str:
    if escaped["blank"]:
        return " " if escaped["blank"] == "t" else "\n"
    if escaped["mark"]:
        return escaped["mark"]
    code = escaped["code"]
    return chr(int(code, 8) if code == "033" else int(code[1:], 16))
