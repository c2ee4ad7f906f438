"""A whole run of `compare`: all charts, and what comes of it."""

from watchbill.charts.process import EngineProcess
from watchbill.checking.comparing.compare import compare
from watchbill.checking.comparing.result import Compared, Comparison
from watchbill.checking.inputs.subject import Item, ReadText, Skipped, Subject
from watchbill.checking.plan import Request, Tell, carry_out
from watchbill.checking.result import Problem
from watchbill.errors import UserError
from watchbill.lifecycle.lab import Tool
from watchbill.rehearsal.script import KNOWN, read_tool


def read_tools(one: str, other: str) -> tuple[Tool, Tool]:
    """Two that are different: `helm@4` and `helm@4.3` are not."""
    first, second = read_tool(one), read_tool(other)
    if first == second:
        others = [version for version in KNOWN[first.name] if version != first.version]
        raise UserError(
            f"{one} and {other} are both {first.name} {first.version}",
            then=f"name another version: {', '.join(others)}" if others else "name another tool",
        )
    return first, second


def run(request: Request, spawned: EngineProcess | None, read_text: ReadText, tell: Tell) -> Comparison:
    """With the two tools of the request."""
    done = carry_out(request, spawned, read_text, tell, compare)
    charts = list[Compared]()
    for item, answers in done.answers:
        charts += answers or [_not_compared(item)]
    one, other = map(str, request.tools)
    return Comparison((one, other), tuple(charts), request.asked.since)


def _not_compared(item: Item) -> Compared:
    if isinstance(item, Skipped):
        return Compared(item.path, skipped=item.reason)
    assert not isinstance(item, Subject)
    return Compared(item.path, problem=Problem.of(item.error))


def exit_code(comparison: Comparison) -> int:
    """2 beats 1: what could not be compared may differ in worse ways."""
    if any(chart.problem is not None for chart in comparison.charts):
        return 2
    return int(any(chart.differences for chart in comparison.charts))
