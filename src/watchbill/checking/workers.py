"""Many charts at once: a process a core, each with an engine of its own; answers come in the order of the questions."""

import os
from collections.abc import Iterator, Sequence

from watchbill.charts.engine import Engine
from watchbill.charts.process import Limits
from watchbill.checking.check import Answer, check
from watchbill.checking.options import Options
from watchbill.checking.subject import Subject

Task = tuple[Subject, Options]
# What the model remembers of one chart does not help the next: a worker makes room by making way.
CHARTS_A_WORKER = 12

_engine: Engine | None = None


def check_all(tasks: Sequence[Task], limits: Limits, engine: Engine) -> Iterator[Answer]:
    """One chart is checked here, with the engine that is there already."""
    workers = min(len(tasks), _cores())
    if workers < 2:
        yield from (check(engine, *task) for task in tasks)
        return
    import multiprocessing

    engine.close()  # a pipe to it in every worker would keep it alive
    forking = multiprocessing.get_context("fork")
    with forking.Pool(workers, _begin, (limits,), CHARTS_A_WORKER) as pool:
        yield from pool.imap(_one, tasks)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _begin(limits: Limits) -> None:
    global _engine  # noqa: PLW0603 - a worker has nothing else to keep it in
    _engine = Engine(limits)


def _one(task: Task) -> Answer:
    assert _engine is not None
    return check(_engine, *task)
