"""All cases: which there are, which of them wait to be recorded, and recording them."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dev.cluster.api import ApiError
from dev.cluster.layout import CHECKOUT
from dev.tapes import case as cases
from dev.tapes import play
from dev.tapes.case import Case, CaseError, Truth
from dev.tapes.crowd import Crowd
from dev.tapes.snapshot import Unrest
from dev.tapes.stage import Server

TAPES = CHECKOUT / "tests" / "tapes"
WORKERS = 8
# What makes one recording impossible and says nothing about the others.
FAILURES = (Unrest, ApiError, OSError)


@dataclass(frozen=True)
class Task:
    """One case by one tool, and what its file says of it."""

    path: Path
    case: Case
    tool: str
    known: Truth | None

    @property
    def changed(self) -> bool:
        return self.known is None or self.known["digest"] != self.case.digest(self.tool)

    def __str__(self) -> str:
        return f"{self.case.name} {self.tool}"


def find(names: Sequence[str] = ()) -> list[Path]:
    """All, or those that are named: by group, by group and name, by name alone, or as a file."""
    paths = sorted(TAPES.glob("*/*.txtar"))
    if not names:
        return paths
    found: list[Path] = []
    for name in names:
        key = Path(name.removesuffix(".txtar"))
        fitting = [p for p in paths if _answers_to(p.with_suffix(""), key)]
        if not fitting:
            raise CaseError(f"there is no case {name!r} in {TAPES}")
        found += fitting
    return found


def _answers_to(path: Path, key: Path) -> bool:
    return key.parts in (path.parts[-2:], path.parts[-1:], path.parts[-2:-1]) or path == key.resolve()


def tasks(paths: Iterable[Path]) -> list[Task]:
    found: list[Task] = []
    for path in paths:
        case, known = cases.read(path), cases.recorded(path)
        found += [Task(path, case, tool, known.get(tool)) for tool in case.tools]
    return found


def count() -> str:
    """How many cases are recorded, and how often by which tool: a table for the docs."""
    by_tool = Counter(tool for path in find() for tool in cases.recorded(path))
    rows = [
        f"| {tool.replace('@', ' ')} | {number} |" for tool, number in sorted(by_tool.items(), key=_newest)
    ]
    total = f"| all, of {len(find())} cases | {by_tool.total()} |"
    return "\n".join(["| tool | recordings |", "|---|---|", *rows, total])


def _newest(counted: tuple[str, int]) -> tuple[str, list[int]]:
    name, _, version = counted[0].partition("@")
    return name, [-int(part) for part in version.split(".")]


def keep(task: Task, truth: Truth) -> None:
    """Into the file, beside what it says of other tools."""
    cases.write(task.path, task.case.tools, cases.recorded(task.path) | {task.tool: truth})


def record(due: Sequence[Task], server: Server, done: Callable[[Task, Truth | Exception], None]) -> None:
    """Side by side where they do not meet; `done` is called for one at a time."""
    lock = threading.Lock()

    def work(task: Task) -> None:
        result: Truth | Exception
        try:
            result = play.record(task.case, task.tool, server)
        except FAILURES as failure:
            result = failure
        with lock:
            done(task, result)

    footprints = {
        case.name: play.footprint(case, server) for case in {t.case.name: t.case for t in due}.values()
    }
    Crowd([(footprints[task.case.name], task) for task in due], work, WORKERS).run()
