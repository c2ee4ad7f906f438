"""How what differs between two tools is said in every report."""

from collections.abc import Iterator

from watchbill.checking.comparing.result import Compared, Comparison, Difference
from watchbill.report.counting import counted, listed
from watchbill.report.words import MOST_LISTED, no_charts
from watchbill.rules.words import tools_named


def both(found: Comparison) -> str:
    """`helm 3.19 and helm 4.3`"""
    return " and ".join(tools_named(found.tools))


def said_of_same(chart: Compared, found: Comparison) -> str:
    """`the same under helm 3.19 and helm 4.3: 27 scenarios, 212 paths`"""
    paths = f"{counted(chart.paths, 'path')}{', and there are more' if chart.is_cut else ''}"
    return f"the same under {both(found)}: {counted(chart.scenarios, 'scenario')}, {paths}"


def circumstances(difference: Difference, *, whole: bool) -> str:
    """`also: the retry, the re-install; every upgrade that changes: image`"""
    parts = []
    if difference.also:
        parts.append(f"also: {listed(difference.also, MOST_LISTED, whole=whole)}")
    if difference.changes:
        parts.append(f"every upgrade that changes: {listed(difference.changes, MOST_LISTED, whole=whole)}")
    if difference.profiles:
        parts.append(f"only with {listed(difference.profiles, MOST_LISTED, whole=whole)}")
    return "; ".join(parts)


def facts(found: Comparison) -> Iterator[str]:
    """What differs whatever the chart, each once."""
    known = dict.fromkeys(fact for chart in found.charts for fact in chart.facts)
    for fact in known:
        yield f"whatever the chart, {', '.join(tools_named(fact.tools))}: {fact.text}"


def verdict(found: Comparison) -> str:
    """`3 differences in 2 of 15 charts; 1 chart not compared; 1 skipped`"""
    compared = [chart for chart in found.charts if chart.problem is None and not chart.skipped]
    differ = [chart for chart in compared if chart.differences]
    parts = []
    if differ:
        number = counted(sum(len(chart.differences) for chart in differ), "difference")
        among = f"{len(differ)} of {len(compared)} charts" if len(differ) != len(compared) else ""
        parts.append(f"{number} between {both(found)} in {among or counted(len(compared), 'chart')}")
    elif compared:
        parts.append(f"no difference between {both(found)} in {counted(len(compared), 'chart')}")
    if problems := sum(chart.problem is not None for chart in found.charts):
        parts.append(f"{counted(problems, 'chart')} not compared")
    if skipped := sum(bool(chart.skipped) for chart in found.charts):
        parts.append(f"{skipped} skipped")
    return "; ".join(parts) or no_charts(found.since)
