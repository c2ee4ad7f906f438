"""A whole run of `check`: what was asked, all charts, and what comes of it."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.engine import Engine
from watchbill.charts.process import EngineProcess, Limits
from watchbill.charts.protocol import Context
from watchbill.checking.findings import shared
from watchbill.checking.manifests import ReadText
from watchbill.checking.objects import read_objects
from watchbill.checking.options import Options, PostRendering
from watchbill.checking.result import LEVELS, Checked, Level, Problem, Run
from watchbill.checking.subject import Asked, Item, Skipped, Subject
from watchbill.checking.subjects import find
from watchbill.checking.workers import check_all
from watchbill.checking.workspace import Workspace
from watchbill.errors import UserError
from watchbill.lifecycle.lab import Tool

Tell = Callable[[int, int, str], None]  # how many are done, of how many, and which is the newest


class Request(Struct, frozen=True):
    """What the command line says."""

    asked: Asked
    tools: tuple[Tool, ...]
    context: Context
    limits: Limits
    objects: str = ""
    post_rendering: PostRendering | None = None
    depth: int = 3


def run(request: Request, spawned: EngineProcess | None, read_text: ReadText, tell: Tell) -> Run:
    with Engine(request.limits, spawned) as engine, Workspace() as workspace:
        items = find(engine, request.asked, workspace, read_text)
        options = _options(engine, request, read_text)
        tasks = [(item, options) for item in items if isinstance(item, Subject)]
        answers = check_all(tasks, request.limits, engine)
        charts = []
        for done, item in enumerate(items, 1):
            checked = next(answers) if isinstance(item, Subject) else _unchecked(item)
            charts.append(checked)
            tell(done, len(items), checked.path)
    return Run(tuple(charts), tuple(shared(charts)))


def _options(engine: Engine, request: Request, read_text: ReadText) -> Options:
    context = request.context
    if request.objects:
        text = read_text(request.objects, "objects")
        context = replace(context, cluster=read_objects(engine, request.objects, text))
    return Options(
        request.tools,
        context,
        request.depth,
        follow_symlinks=request.asked.follow_symlinks,
        post_rendering=request.post_rendering,
    )


def _unchecked(item: Item) -> Checked:
    if isinstance(item, Skipped):
        return Checked(item.path, skipped=item.reason)
    assert not isinstance(item, Subject)
    return Checked(item.path, problem=problem(item.error))


def problem(error: UserError) -> Problem:
    return Problem(error.what, error.where or "", error.then or "")


def exit_code(run: Run, fail_on: str, *, allow_unchecked: bool) -> int:
    """2 beats 1: what could not be checked may be worse than anything that was found."""
    if not allow_unchecked and any(checked.problem is not None for checked in run.charts):
        return 2
    return int(any(run.count(level) for level in at_least(fail_on)))


def at_least(level: str) -> Sequence[Level]:
    return LEVELS[: LEVELS.index(level) + 1] if level in LEVELS else ()
