"""What is done with each chart that was asked for: as its settings say, and the command line has the last word."""

from collections.abc import Callable
from itertools import islice
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.engine import Engine
from watchbill.charts.process import EngineProcess, Limits
from watchbill.charts.protocol import Context, Values, ValuesFile
from watchbill.checking import baseline
from watchbill.checking.baseline import Baseline
from watchbill.checking.inputs.arguments import check_arguments
from watchbill.checking.inputs.find import find
from watchbill.checking.inputs.subject import Asked, Failed, Item, ReadText, Subject
from watchbill.checking.inputs.workspace import Workspace
from watchbill.checking.options import Options, PostRendering
from watchbill.checking.selection import Selection
from watchbill.checking.settings import rule_names
from watchbill.checking.settings.config import FailOn, Release
from watchbill.checking.settings.reading import Configs
from watchbill.checking.workers import Task, Work, each
from watchbill.errors import UserError
from watchbill.lifecycle.lab import Tool
from watchbill.rehearsal.script import read_tool

T = TypeVar("T")
Tell = Callable[[int, int], None]  # how many are done, and of how many

DEFAULT_TOOLS = (read_tool("helm@4"), read_tool("helm@3.19"))


class Request(Struct, frozen=True):
    """What the command line says."""

    asked: Asked
    tools: tuple[Tool, ...]  # none: not said
    context: Context
    limits: Limits
    objects: str = ""
    post_rendering: PostRendering | None = None
    depth: int = 2
    config: str = ""
    baseline: str = ""
    reads_baseline: bool = True  # one that is settled too; not where a new one shall hold all that is found
    fail_on: FailOn | None = None
    selection: Selection = Selection()
    fill: bool = False
    tabulates: bool = False  # a matrix of each chart is wanted, too


class Done(Struct, Generic[T], frozen=True):
    answers: list[tuple[Item, list[T]]]  # none of what could not be tried
    fail_on: FailOn


def carry_out(
    request: Request, spawned: EngineProcess | None, read_text: ReadText, tell: Tell, work: Work[T]
) -> Done[T]:
    """The work done with each chart, in the order in which they were named."""
    with Engine(request.limits, spawned) as engine, Workspace() as workspace:
        check_arguments(engine, request.context, workspace)
        items = find(engine, request.asked, workspace, read_text)
        plan = _Plan(engine, request, read_text)
        planned = [plan.of(item) for item in items]
        answers = each(work, [task for _, tasks in planned for task in tasks], request.limits, engine)
        done = list[tuple[Item, list[T]]]()
        tell(0, len(items))
        for item, tasks in planned:
            done.append((item, list(islice(answers, len(tasks)))))
            tell(len(done), len(items))
    return Done(done, plan.fail_on)


class _Plan:
    """How each chart is checked: as its settings say, and the command line has the last word."""

    def __init__(self, engine: Engine, request: Request, read_text: ReadText) -> None:
        self._request = request
        self._configs = Configs(engine, rule_names.ALL, request.config)
        self._baselines: dict[str, Baseline] = {}
        self._context = request.context
        if request.objects:
            from watchbill.checking.inputs.objects import read_objects

            text = read_text(request.objects, "objects")
            self._context = replace(self._context, cluster=read_objects(engine, request.objects, text))
        if request.baseline:
            self._baseline(request.baseline)
        self.fail_on: FailOn = request.fail_on or "error"
        if not request.fail_on and (said := self._configs.of("").fail_on):
            self.fail_on = said

    def of(self, item: Item) -> tuple[Item, list[Task]]:
        """What is to be done. Settings that cannot be read keep no other chart from being checked."""
        if not isinstance(item, Subject):
            return item, []
        try:
            return item, self._tasks(item)
        except UserError as error:
            return Failed(item.path, error), []

    def _tasks(self, subject: Subject) -> list[Task]:
        """One for each release that is installed from the chart; one where nobody says how it is."""
        config = self._configs.of(subject.path if subject.source else subject.manifests_name)
        if not self._request.fail_on and config.fail_on:
            self.fail_on = config.fail_on
        options = Options(
            self._request.tools or config.tools or DEFAULT_TOOLS,
            self._context,
            self._request.depth,
            config.in_use,
            config.timeout,
            scenarios=config.scenarios,
            contracts=config.contracts,
            follow_symlinks=self._request.asked.follow_symlinks,
            post_rendering=self._request.post_rendering,
            config=config,
            baseline=self._baseline(self._request.baseline or config.baseline),
            selection=self._request.selection,
            fill=self._request.fill,
        )
        if not subject.source or self._context.values != Values():
            return [(subject, options)]
        releases = config.releases_of(subject.path)
        return [(subject, self._of_release(options, release)) for release in releases] or [(subject, options)]

    def _of_release(self, options: Options, release: Release) -> Options:
        context = options.context
        return replace(
            options,
            tools=self._request.tools or release.tools or options.tools,
            in_use=release.in_use or options.in_use,
            timeout=release.timeout,
            context=replace(
                context,
                release=context.release or release.name,
                namespace=release.namespace or context.namespace,
                values=replace(context.values, files=tuple(map(ValuesFile, release.values))),
            ),
        )

    def _baseline(self, file: str) -> Baseline:
        if not self._request.reads_baseline:
            return Baseline()
        if file and file not in self._baselines:
            self._baselines[file] = baseline.read(file)
        return self._baselines.get(file, Baseline())
