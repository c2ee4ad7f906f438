"""What differs between two tools, for a pull request's comment or a page."""

from collections.abc import Iterator, Sequence

from watchbill.checking.comparing.result import Compared, Comparison, Difference
from watchbill.checking.result import Row
from watchbill.report.compare_evidence import evidence
from watchbill.report.compare_words import both, circumstances, facts, verdict
from watchbill.report.counting import listed
from watchbill.report.harmless import harmless
from watchbill.report.markdown_text import block, code, escaped, in_html, row, table, within
from watchbill.report.styles import unstyle
from watchbill.report.words import complaint, titled

COMMAND = "watchbill compare"
MARK = f"<!-- {COMMAND} -->"  # by which a script finds its comment, to write it anew
# A comment on GitHub holds 65,536 characters: rooms for the parts that grow with what was found.
ROOM_OF_TABLE, ROOM_OF_DETAILS, ROOM_OF_PROBLEMS = 16_000, 30_000, 8_000
MOST_NAMED = 10
TRACE_COLUMNS = 100

Placed = tuple[Compared, Difference]


def report(found: Comparison) -> str:
    return "\n".join(_lines(harmless(found))).rstrip("\n")


def _lines(found: Comparison) -> Iterator[str]:
    yield from (MARK, f"### Watchbill: {escaped(verdict(found))}", "")
    placed = [(chart, difference) for chart in found.charts for difference in chart.differences]
    if placed:
        yield from table(("chart", "what differs", "", ""), [])
        yield from (*within(lambda one: [row(_cells(one))], placed, ROOM_OF_TABLE, COMMAND), "")
    yield from within(_details, placed, ROOM_OF_DETAILS, COMMAND)
    failed = [chart for chart in found.charts if chart.problem is not None]
    yield from within(_not_compared, failed, ROOM_OF_PROBLEMS, COMMAND)
    same = [chart for chart in found.charts if not (chart.differences or chart.skipped or chart.problem)]
    yield from _listed(f"the same under {both(found)}", same)
    yield from _listed("skipped", [chart for chart in found.charts if chart.skipped])
    for fact in facts(found):
        yield from (escaped(fact), "")


def _cells(placed: Placed) -> Sequence[str]:
    chart, difference = placed
    return code(chart.path), escaped(difference.title), *map(_outcome, difference.sides)


def _outcome(side: Row) -> str:
    if side.works is None:
        return escaped(side.move)
    return f"{escaped(side.move)}: {'works' if side.works else '**fails**'}"


def _details(placed: Placed) -> Iterator[str]:
    chart, difference = placed
    title = in_html(difference.title)
    yield from (f"<details><summary>{in_html(titled(chart))}: {title}</summary>", "")
    yield from (*block([unstyle(line) for line in evidence(difference, TRACE_COLUMNS, brief=False)]), "")
    if said := circumstances(difference, whole=True):
        yield from (escaped(said), "")
    yield from ("</details>", "")


def _not_compared(chart: Compared) -> Iterator[str]:
    assert chart.problem is not None
    first, *more = complaint(chart, chart.problem)
    yield f"**not compared** {escaped(first)}"
    yield from ("", *block(more), "") if more else ("",)


def _listed(what: str, charts: Sequence[Compared]) -> Iterator[str]:
    if charts:
        yield from (
            f"{escaped(what)}: {escaped(listed([titled(chart) for chart in charts], MOST_NAMED))}",
            "",
        )
