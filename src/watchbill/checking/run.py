"""A whole run of `check`: all charts, and what comes of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from watchbill.charts.engine import Engine
from watchbill.charts.process import EngineProcess
from watchbill.checking.check import Answer, check
from watchbill.checking.findings import shared
from watchbill.checking.inputs.subject import Item, ReadText, Skipped, Subject
from watchbill.checking.options import Options
from watchbill.checking.plan import Request, Tell, carry_out
from watchbill.checking.result import LEVELS, Checked, Level, Problem, Run
from watchbill.checking.settings.config import FailOn
from watchbill.checking.silencing import Silenced, unused

if TYPE_CHECKING:
    from watchbill.checking.tabulating.matrix import Matrix


class Outcome(Struct, frozen=True):
    run: Run
    fail_on: FailOn
    matrices: "tuple[Matrix, ...]" = ()


def run(request: Request, spawned: EngineProcess | None, read_text: ReadText, tell: Tell) -> Outcome:
    work = _check_and_tabulate if request.tabulates else _check
    done = carry_out(request, spawned, read_text, tell, work)
    charts, silenced, matrices = list[Checked](), list[Silenced](), list["Matrix"]()
    for item, answers in done.answers:
        if not isinstance(item, Subject):
            charts.append(_unchecked(item))
        charts += [answer.checked for answer, _ in answers]
        silenced += [answer.silenced for answer, _ in answers if answer.silenced is not None]
        matrices += [matrix for _, made in answers for matrix in made]
    found = Run(tuple(charts), tuple(shared(charts)), unused(silenced), request.asked.since)
    return Outcome(found, done.fail_on, tuple(matrices))


def _check(engine: Engine, subject: Subject, options: Options) -> "tuple[Answer, tuple[Matrix, ...]]":
    return check(engine, subject, options), ()


def _check_and_tabulate(
    engine: Engine, subject: Subject, options: Options
) -> "tuple[Answer, tuple[Matrix, ...]]":
    """A matrix knows nothing of post-renderers, and is left out rather than wrong."""
    from watchbill.checking.tabulating.tabulate import Tabulator

    answer = check(engine, subject, options)
    if answer.checked.problem or options.post_rendering:
        return answer, ()
    tabulator = Tabulator(engine, options.context, options.tools, follow_symlinks=options.follow_symlinks)
    return answer, tabulator.tabulate([subject]).charts


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
