"""Work on many charts at once: one forked process per core, each with an engine of its own.

A worker inherits the tasks when it is forked, so only their numbers are sent to it; it sends back pickled results, one at
a time. A worker ends when its pipe closes, so none outlives the run, however that ends.
"""

import os
import pickle
import select
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn, TypeVar

from watchbill import interrupts, ticking
from watchbill.charts.engine import Engine
from watchbill.charts.process import SIGKILL, Limits
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options
from watchbill.errors import UserError

T = TypeVar("T")
Task = tuple[Subject, Options]
Work = Callable[[Engine, Subject, Options], T]
# The model's caches never shrink, and one chart's do not help the next: after this many small charts they are 60 MB.
CHARTS_PER_WORKER = 50


class WorkerCrashed(Exception):  # noqa: N818
    """A worker raised an unexpected exception; carries its traceback."""


def each(work: Work[T], tasks: Sequence[Task], limits: Limits, engine: Engine) -> Iterator[T]:
    """Yield the result of `work` for each task, in order. A single task is done in this process, with `engine`."""
    count = min(len(tasks), _cores())
    if count < 2:
        yield from (work(engine, *task) for task in tasks)
        return
    engine.close()  # every worker would inherit the pipe to it and keep it alive
    crew = _Crew(work, tasks, limits, count)
    forget = interrupts.before_leaving(crew.kill)
    try:
        yield from crew.results()
    finally:
        crew.kill()
        forget()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Crew:
    def __init__(self, work: Work[Any], tasks: Sequence[Task], limits: Limits, count: int) -> None:
        self._work = work
        self._tasks = tasks
        self._limits = limits
        self._count = count
        self._workers: dict[int, _Worker] = {}  # by the descriptor that their results come from

    def results(self) -> Iterator[Any]:
        waiting = iter(range(len(self._tasks)))
        finished: dict[int, Any] = {}
        for _ in range(self._count):
            self._hire().give(next(waiting))
        for number in range(len(self._tasks)):
            while number not in finished:
                ticking.now_at(f"checking {', '.join(self._paths())}")
                for worker in self._ready():
                    finished[worker.number] = self._result_of(worker)
                    self._give_next(worker, next(waiting, None))
            result = finished.pop(number)
            if isinstance(result, Exception):
                raise result
            yield result

    def _paths(self) -> Iterator[str]:
        """Yield the charts that are at work."""
        return (self._tasks[worker.number][0].path for worker in self._workers.values())

    def kill(self) -> None:
        while self._workers:
            self._workers.popitem()[1].kill()

    def _hire(self) -> "_Worker":
        worker = _Worker(self._work, self._tasks, self._limits, self._workers.values())
        self._workers[worker.results] = worker
        return worker

    def _ready(self) -> list["_Worker"]:
        poll = select.poll()
        for descriptor in self._workers:
            poll.register(descriptor, select.POLLIN)
        return [self._workers[descriptor] for descriptor, _ in poll.poll()]

    def _result_of(self, worker: "_Worker") -> Any:
        try:
            return worker.take()
        except (EOFError, pickle.UnpicklingError):
            return UserError(
                f"the process that worked on this chart {worker.wait()}",
                where=self._tasks[worker.number][0].path,
                then="the system may have run out of memory: name fewer charts, or allow more memory",
            )

    def _give_next(self, worker: "_Worker", number: int | None) -> None:
        if number is None or worker.tasks_taken == CHARTS_PER_WORKER or not worker.is_alive:
            del self._workers[worker.results]
            worker.kill()
        if number is not None:
            (worker if worker.is_alive else self._hire()).give(number)


class _Worker:
    def __init__(
        self, work: Work[Any], tasks: Sequence[Task], limits: Limits, others: "Iterable[_Worker]"
    ) -> None:
        numbers, self._numbers = os.pipe()
        self.results, results = os.pipe()
        self.number = -1  # of the task that it has
        self.tasks_taken = 0
        self.is_alive = True
        self._pid = interrupts.fork()
        if self._pid == 0:
            for worker in (self, *others):
                worker.close()  # or their pipes would never end
            _serve(numbers, results, work, tasks, limits)
        os.close(numbers)
        os.close(results)
        self._file = open(self.results, "rb", closefd=False)  # noqa: SIM115 - closed with its descriptor

    def give(self, number: int) -> None:
        self.number = number
        self.tasks_taken += 1
        try:
            os.write(self._numbers, b"%d\n" % number)
        except BrokenPipeError:
            return  # it died: its results have ended too, which `take` notices

    def take(self) -> Any:
        return pickle.load(self._file)  # noqa: S301 - our own process wrote it

    def wait(self) -> str:
        """Wait for its end, and return how it ended."""
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        self.close()
        self.is_alive = False
        return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"

    def kill(self) -> None:
        if not self.is_alive:
            return
        os.kill(self._pid, SIGKILL)
        self.wait()

    def close(self) -> None:
        os.close(self._numbers)
        os.close(self.results)


def _serve(numbers: int, results: int, work: Work[Any], tasks: Sequence[Task], limits: Limits) -> NoReturn:
    """The whole life of a worker."""
    ticking.forget()
    try:
        engine = Engine(limits, eager=False)  # the other workers want the processors
        with open(numbers, "rb") as asked, open(results, "wb") as answered:
            for line in asked:
                answered.write(_attempt(work, engine, tasks[int(line)]))
                answered.flush()
    finally:  # also where the parent is gone and nobody reads
        os._exit(0)


def _attempt(work: Work[Any], engine: Engine, task: Task) -> bytes:
    """Return the pickled result, or the exception that the parent is to raise."""
    try:
        return pickle.dumps(work(engine, *task))
    except UserError as error:
        return pickle.dumps(error)
    except Exception:  # noqa: BLE001  (the parent reports it)
        import traceback

        return pickle.dumps(WorkerCrashed(traceback.format_exc()))
