"""Many charts at once: results in order, failures told, and a worker that dies does not hang the run."""

import os
import time
from collections.abc import Sequence
from typing import Any

import pytest

from watchbill.charts.engine import Engine
from watchbill.charts.process import Limits
from watchbill.checking import workers
from watchbill.checking.inputs.subject import Subject
from watchbill.errors import UserError


def results(work: workers.Work[Any], count: int) -> list[Any]:
    tasks: Sequence[Any] = [(Subject(f"chart-{number}"), number) for number in range(count)]
    with Engine() as engine:
        return list(workers.each(work, tasks, Limits(), engine))


@pytest.fixture(autouse=True)
def three_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_cores", lambda: 3)


def test_results_come_in_order_whoever_is_first() -> None:
    def work(_engine: Engine, subject: Subject, number: Any) -> tuple[str, int]:
        time.sleep(0.05 * (number % 3 == 0))
        return subject.path, os.getpid()

    done = results(work, 10)
    assert [path for path, _ in done] == [f"chart-{number}" for number in range(10)]
    assert os.getpid() not in {pid for _, pid in done}


def test_a_worker_is_replaced_after_many_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "CHARTS_PER_WORKER", 2)
    done = results(lambda *_: os.getpid(), 13)
    assert max(done.count(pid) for pid in done) <= 2


def test_an_error_of_the_user_is_raised_as_it_was() -> None:
    def work(_engine: Engine, subject: Subject, _options: Any) -> None:
        raise UserError("no", where=subject.path, then="do it well")

    with pytest.raises(UserError, match="no\n  chart-0\n  do it well"):
        results(work, 3)


def test_a_crash_carries_the_traceback_of_the_worker() -> None:
    def work(*_: Any) -> None:
        raise ZeroDivisionError("engine room flooded")

    with pytest.raises(
        workers.WorkerCrashed, match=r"in work\n(.*\n)*ZeroDivisionError: engine room flooded"
    ):
        results(work, 3)


def test_a_result_that_cannot_be_sent_is_a_crash() -> None:
    with pytest.raises(workers.WorkerCrashed, match="pickle"):
        results(lambda *_: lambda: 0, 2)


def test_a_worker_that_is_killed_is_an_error_that_names_the_chart() -> None:
    def work(_engine: Engine, _subject: Subject, number: Any) -> int:
        if number == 1:
            os.kill(os.getpid(), 9)
        return int(number)

    with pytest.raises(UserError, match="was killed by signal 9\n  chart-1\n"):
        results(work, 6)


def test_whoever_stops_early_leaves_no_worker_behind() -> None:
    with Engine() as engine:
        tasks: Sequence[Any] = [(Subject("chart"), None)] * 6
        running = workers.each(lambda *_: os.getpid(), tasks, Limits(), engine)
        pid = next(running)
        running.close()  # type: ignore[attr-defined]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
