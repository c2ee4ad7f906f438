"""Ignores that stand in templates: `# watchbill: ignore WB101 the reason`, or the same in a template comment.

One holds for the YAML document it stands in, as the template's source has it, between lines of `---`. In partials it
holds for the define that it stands in or right above. `ignore-file` holds for the whole file.
"""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from watchbill.charts.chart import Chart
from watchbill.checking.locating import in_chart
from watchbill.checking.result import Finding, Location
from watchbill.checking.settings.rule_names import RuleNames
from watchbill.errors import UserError
from watchbill.patterns import regex

if TYPE_CHECKING:
    from watchbill.checking.template_source import TemplateSource

WORDS = ("ignore", "ignore-file")
EXAMPLE = "write it as: # watchbill: ignore WB101 the reason"

_MARK = "watchbill:"
_IN_COMMENT = regex(r"^[ \t*#]*watchbill:(.*)$", re.MULTILINE)
_IN_YAML_COMMENT = regex(r"(?:^|\s)#+[ \t]*watchbill:(.*)$", re.MULTILINE)
_RULES = regex(r"([\w-]+(?:\s*,\s*[\w-]+)*)(.*)")


class InlineIgnore(Struct, frozen=True):
    """Holds for findings of these rules that stand, or whose text comes from, between two lines of a file."""

    file: str
    line: int  # where it stands
    first_line: int
    last_line: int
    rules: tuple[str, ...]  # their numbers
    reason: str

    def holds_for(self, finding: Finding) -> bool:
        return finding.rule in self.rules and any(map(self._covers, _places(finding.location)))

    def _covers(self, place: tuple[str, int]) -> bool:
        file, line = place
        return file == self.file and self.first_line <= line <= self.last_line

    def __str__(self) -> str:
        return ", ".join(self.rules)


class _Said(Struct, frozen=True, order=True):
    line: int
    text: str  # behind `watchbill:`


def inline(texts: Iterable[tuple[str, str]], rules: RuleNames) -> list[InlineIgnore]:
    """All that stand in these templates or manifests, each given as file and text."""
    return [ignore for file, text in texts for ignore in _inline(file, text, rules)]


def inline_of(chart: Chart, path: str, rules: RuleNames) -> list[InlineIgnore]:
    """All of a chart, whose files are named from `path` on. What is wrong in a dependency is not the user's to mend:
    it does not count, and nobody hears of it."""
    found = []
    for template in chart.templates:
        file = in_chart(path, chart.file(template.path))
        try:
            found += _inline(file, template.text, rules)
        except UserError:
            if not template.path.startswith(f"{chart.name}/charts/"):
                raise
    return found


def _inline(file: str, text: str, rules: RuleNames) -> list[InlineIgnore]:
    if _MARK not in text:
        return []
    from watchbill.checking.template_source import TemplateSource  # few templates need it

    source = TemplateSource(text)
    read = (_read(file, said, source, rules) for said in sorted(_said(source)))
    return [ignore for ignore in read if ignore is not None]


def _said(source: "TemplateSource") -> Iterator[_Said]:
    for start, comment in source.comments:
        for said in _IN_COMMENT.finditer(comment):
            yield _Said(source.line(start + said.start(1)), said[1].strip())
    for said in _IN_YAML_COMMENT.finditer(source.without_comments):
        yield _Said(source.line(said.start(1)), said[1].strip())


def _read(file: str, said: _Said, source: "TemplateSource", rules: RuleNames) -> InlineIgnore | None:
    """None for a comment that only mentions us."""
    where = f"{file}:{said.line}"
    word, _, rest = said.text.partition(" ")
    if word not in WORDS:
        from watchbill.checking.settings.shape import quoted, suggest

        if meant := suggest(word, WORDS):
            raise UserError(f"{where}: a comment cannot say {quoted(word)}", then=meant)
        return None
    named = _RULES.match(rest.strip())
    if named is None:
        raise UserError(f"{where}: the comment names no rule to ignore", then=EXAMPLE)
    ignored = [_rule(name.strip(), where, rules) for name in named[1].split(",")]
    reason = named[2].lstrip(" \t:-")
    if not reason:
        raise UserError(f"{where}: the comment gives no reason to ignore {named[1]}", then=EXAMPLE)
    if rules.id_of(reason.split()[0]):
        raise UserError(f"{where}: two rules without a comma between them", then="write it as: WB101, WB102")
    lines = source.lines if word == "ignore-file" else source.part(said.line)
    return InlineIgnore(file, said.line, lines[0], lines[-1], tuple(dict.fromkeys(ignored)), reason)


def _rule(name: str, where: str, rules: RuleNames) -> str:
    rule = rules.id_of(name)
    if rule is None:
        what, then = rules.unknown(name)
        raise UserError(f"{where}: {what}", then=then)
    return rule


def _places(location: Location | None) -> Iterator[tuple[str, int]]:
    """Where it stands, and the defines its text comes through."""
    if location is None:
        return
    yield location.file, location.line
    for step in location.through:
        file, _, line = step.rpartition(":")
        yield file, int(line)
