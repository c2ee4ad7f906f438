"""Findings as one page for a browser: to be sent to people who do not look at CI."""

from collections.abc import Iterator, Sequence

from watchbill.checking.result import GIVEN, LEVELS, Checked, Finding, Row, Run
from watchbill.report.counting import counted
from watchbill.report.grouping import badness, fine_charts, skipped_charts, unchecked_charts
from watchbill.report.harmless import harmless
from watchbill.report.html_page import page
from watchbill.report.html_text import Markup, element, table
from watchbill.report.matrix_html import matrices
from watchbill.report.options import ReportOptions
from watchbill.report.page import in_terminal
from watchbill.report.styles import unstyle
from watchbill.report.words import (
    cause,
    circumstances,
    complaint,
    essence,
    fine,
    reason,
    spot,
    titled,
    verdict,
)
from watchbill.rules.words import tools_named

PAGE_COLUMNS = 100
OUTCOMES = {None: "", True: "works", False: "fails"}


def report(run: Run, options: ReportOptions) -> str:
    return page(f"Watchbill: {verdict(run)}", _parts(harmless(run), options))


def _parts(run: Run, options: ReportOptions) -> Iterator[str]:
    yield element("h1", f"Watchbill: {verdict(run)}")
    yield _counts(run)
    yield from _charts(run)
    if run.findings:
        yield element("h2", "Findings")
        yield from (_finding(finding, options) for finding in run.findings)
    if unchecked := unchecked_charts(run):
        yield element("h2", "Not checked")
        yield from (element("pre", "\n".join(complaint(*one))) for one in unchecked)
    yield from matrices(options.matrices)
    yield from _rules(run, options)
    yield from _remarks(run)


def _counts(run: Run) -> Markup:
    return element(
        "ul",
        *(element("li", *_counted(run.count(level), level, class_=f"count {level}")) for level in LEVELS),
        element("li", *_counted(len(run.charts), "chart", class_="count")),
        class_="counts",
    )


def _counted(number: int, noun: str, *, class_: str) -> tuple[Markup, str]:
    return element("span", str(number), class_=class_), counted(number, noun).removeprefix(f"{number} ")


def _charts(run: Run) -> Iterator[Markup]:
    """What was checked and what was assumed; how many of each level, if there are several charts."""
    checked = sorted((chart for chart in run.charts if chart.tools and not chart.problem), key=badness)
    if len(checked) == 1:
        (chart,) = checked
        yield element(
            "p", f"{titled(chart)} in ", element("code", chart.path), f", with {_tools(chart.tools)}"
        )
    elif checked:
        rows = [
            (titled(chart), element("code", chart.path), *(_number(chart, level) for level in LEVELS))
            for chart in checked
        ]
        yield element("h2", "Charts")
        yield table(("chart", "path", *(f"{level}s" for level in LEVELS)), rows)
    common = checked[0].assumed if checked else ()
    assumed = [text for text in common if all(text in chart.assumed for chart in checked)]
    if assumed:
        yield element("p", f"Assumed: {'; '.join(assumed)}", class_="dim")


def _number(chart: Checked, level: str) -> str:
    return str(sum(finding.level == level for finding in chart.findings) or "")


def _tools(tools: Sequence[str]) -> str:
    return ", ".join(tools_named(tools))


def _finding(finding: Finding, options: ReportOptions) -> Markup:
    return element("article", *_finding_parts(finding, options), class_=finding.level)


def _finding_parts(finding: Finding, options: ReportOptions) -> Iterator[Markup]:
    known = any(rule.id == finding.rule for rule in options.rules)
    rule = element("a", finding.rule, href=f"#{finding.rule}") if known else finding.rule
    label = element("span", finding.level, class_="level")
    yield element("h3", label, " ", rule, " ", finding.title)
    yield from _places(finding)
    if finding.trace:
        yield element("p", f"With {_tools([finding.trace.tool])}:", class_="dim")
        yield element("ol", *map(_step, finding.trace.rows), class_="trace")
    elif finding.error:
        yield element("pre", essence(finding.error))
    if text := circumstances(finding, whole=True):
        yield element("p", text, class_="dim")
    if finding.fix or finding.override:
        yield element("div", *_fix(finding), class_="fix")


def _step(row: Row) -> Markup:
    if row.move.startswith(GIVEN):
        return element("li", row.move, class_="given")
    outcome = OUTCOMES[row.works]
    return element(
        "li",
        element("strong", row.move),
        *([" ", element("span", outcome, class_=outcome)] if outcome else []),
        *([element("div", element("code", essence(row.error)))] if row.error else []),
        *([element("div", "; ".join(row.did))] if row.did else []),
    )


def _places(finding: Finding) -> Iterator[Markup]:
    items = []
    if finding.location:
        items.append(_place(spot(finding.location), cause(finding)))
    elif finding.because:
        items.append(element("li", finding.because))
    items += [_place(spot(place), reason(place, place.note)) for place in finding.related]
    if finding.dependency:
        items.append(element("li", f"in the dependency {finding.dependency}"))
    if len(finding.charts) > 1:
        items.append(element("li", f"in {len(finding.charts)} charts: {', '.join(finding.charts)}"))
    if items:
        yield element("ul", *items)


def _place(where: str, note: str) -> Markup:
    return element("li", element("code", where), f" {note}" if note else "")


def _fix(finding: Finding) -> Iterator[Markup]:
    if finding.fix:
        yield element("div", element("strong", "Fix: ", class_="fine"), finding.fix)
    if finding.override:
        yield element("div", element("strong", "In your values:", class_="fine"))
        yield element("pre", finding.override)


def _rules(run: Run, options: ReportOptions) -> Iterator[Markup]:
    """The pages of the rules that found something: whoever gets the report need not have Watchbill."""
    found = {finding.rule for finding in run.findings}
    rules = sorted((rule for rule in options.rules if rule.id in found), key=lambda rule: rule.id)
    if rules:
        yield element("h2", "Rules")
    for rule in rules:
        title = element("summary", element("strong", f"{rule.id} {rule.name}"), f": {rule.summary}")
        text = "\n".join(in_terminal(options.page_of(rule), PAGE_COLUMNS))
        yield element("details", title, element("pre", unstyle(text)), id=rule.id)


def _remarks(run: Run) -> Iterator[Markup]:
    good, skipped = fine_charts(run), skipped_charts(run)
    if not (good or skipped or run.unknown_ignores):
        return
    yield element("h2", "Also checked" if good or skipped else "Ignores")
    items = [
        element("li", f"{titled(chart)}: ", element("span", fine(chart), class_="fine")) for chart in good
    ]
    items += [element("li", f"{titled(chart)}: skipped, {chart.skipped}") for chart in skipped]
    stale = run.unknown_ignores
    if stale:
        items.append(element("li", f"{counted(len(stale), 'ignore')} without effect: {'; '.join(stale)}"))
    yield element("ul", *items)
