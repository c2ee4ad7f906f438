"""Many charts at once: a process a core, each with an engine of its own; answers come in the order of the questions."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from watchbill.charts.engine import Engine
from watchbill.charts.process import Limits
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options

T = TypeVar("T")
Task = tuple[Subject, Options]
Work = Callable[[Engine, Subject, Options], T]
# What the model remembers of one chart does not help the next: a worker makes room by making way. After so many small
# charts it has taken some sixty megabytes.
CHARTS_A_WORKER = 50

_engine: Engine | None = None
_work: Work[Any] | None = None


def each(work: Work[T], tasks: Sequence[Task], limits: Limits, engine: Engine) -> Iterator[T]:
    """One chart is done here, with the engine that is there already."""
    workers = min(len(tasks), _cores())
    if workers < 2:
        yield from (work(engine, *task) for task in tasks)
        return
    import multiprocessing

    engine.close()  # a pipe to it in every worker would keep it alive
    forking = multiprocessing.get_context("fork")
    with forking.Pool(workers, _begin, (limits, work), CHARTS_A_WORKER) as pool:
        yield from pool.imap(_one, tasks)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _begin(limits: Limits, work: Work[Any]) -> None:
    global _engine, _work
    _engine, _work = Engine(limits, eager=False), work  # other workers want the processors


def _one(task: Task) -> Any:
    assert _engine is not None
    assert _work is not None
    return _work(_engine, *task)
