"""A whole run of `check`: all charts, and what comes of it."""

from collections.abc import Sequence

from msgspec import Struct

from watchbill.charts.process import EngineProcess
from watchbill.checking.check import check
from watchbill.checking.findings import shared
from watchbill.checking.inputs.subject import Item, ReadText, Skipped, Subject
from watchbill.checking.plan import Request, Tell, carry_out
from watchbill.checking.result import LEVELS, Checked, Level, Problem, Run
from watchbill.checking.settings.config import FailOn
from watchbill.checking.silencing import Silenced, unused


class Outcome(Struct, frozen=True):
    run: Run
    fail_on: FailOn


def run(request: Request, spawned: EngineProcess | None, read_text: ReadText, tell: Tell) -> Outcome:
    done = carry_out(request, spawned, read_text, tell, check)
    charts, silenced = list[Checked](), list[Silenced]()
    for item, answers in done.answers:
        if not isinstance(item, Subject):
            charts.append(_unchecked(item))
        charts += [answer.checked for answer in answers]
        silenced += [answer.silenced for answer in answers if answer.silenced is not None]
    found = Run(tuple(charts), tuple(shared(charts)), unused(silenced), request.asked.since)
    return Outcome(found, done.fail_on)


def _unchecked(item: Item) -> Checked:
    if isinstance(item, Skipped):
        return Checked(item.path, skipped=item.reason)
    assert not isinstance(item, Subject)
    return Checked(item.path, problem=Problem.of(item.error))


def exit_code(outcome: Outcome, *, allow_unchecked: bool) -> int:
    """2 beats 1: what could not be checked may be worse than anything that was found."""
    if not allow_unchecked and any(checked.problem is not None for checked in outcome.run.charts):
        return 2
    return int(any(outcome.run.count(level) for level in at_least(outcome.fail_on)))


def at_least(level: str) -> Sequence[Level]:
    return LEVELS[: LEVELS.index(level) + 1] if level in LEVELS else ()
