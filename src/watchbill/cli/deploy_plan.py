"""What a deploy would do, told before it does: its order, its jobs, what is missing, and what the model says of its charts."""

from collections.abc import Iterator, Mapping, Sequence

import click

from watchbill import durations
from watchbill.cli.width import terminal_width
from watchbill.deploy.bill import Bill, Component
from watchbill.deploy.crds import Definitions
from watchbill.deploy.diffing import Change, Diff
from watchbill.deploy.outlook import Outlook, Selection
from watchbill.deploy.prediction import Prediction
from watchbill.errors import UserError
from watchbill.jobs.declare import Job
from watchbill.jobs.moments import Moment, Post, Pre
from watchbill.jobs.places import near
from watchbill.jobs.registry import Registry
from watchbill.report.table import table
from watchbill.report.terminal import fit

_CHANGES: dict[Change, str] = {
    "added": "has been added",
    "changed": "has changed",
    "removed": "has been removed",
}
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


class Plan:
    """`outlook` and `prediction` are None where the cluster was not read."""

    def __init__(
        self,
        bill: Bill,
        registry: Registry,
        selection: Selection,
        definitions: Definitions,
        *,
        workers: int,
        outlook: Outlook | None = None,
        prediction: Prediction | None = None,
        diffs: Mapping[str, Diff] | None = None,
    ) -> None:
        self._bill = bill
        self._registry = registry
        self._selection = selection
        self._definitions = definitions
        self._workers = workers
        self._outlook = outlook
        self._prediction = prediction
        self._diffs = diffs or {}

    def lines(self, problems: Sequence[UserError]) -> Iterator[str]:
        """Wrapped to the terminal's width, if there is one."""
        columns = terminal_width()
        yield ""
        yield from table(list(self._rows()), columns=columns)
        for name, diff in self._diffs.items():
            yield ""
            yield from diff_lines(name, diff)
        yield from fit(self._below(problems), columns)

    def _below(self, problems: Sequence[UserError]) -> Iterator[str]:
        yield from self._foretold()
        for problem in problems:
            yield ""
            yield from f"{click.style('refused:', fg='red', bold=True)} {problem}".splitlines()
        if self._outlook is None:
            yield ""
            yield click.style(
                "offline: what is installed, your rights and the jobs that ran are unknown", dim=True
            )

    def _rows(self) -> Iterator[list[str]]:
        if self._definitions:
            yield [_head("crds"), "applied first"]
            for definition in self._definitions:
                yield [f"  {definition.name}", definition.origin]
        yield from self._global(Pre)
        if self._selection.prerequisites:
            yield [_head("prerequisites"), "one after the other"]
            for component in self._selection.prerequisites:
                yield from self._component(component)
        if self._selection.components:
            many = f"{min(self._workers, len(self._selection.components))} at once"
            yield [_head("components"), many]
            for component in self._selection.components:
                yield from self._component(component)
        yield from self._global(Post)

    def _global(self, moment: Moment) -> Iterator[list[str]]:
        jobs = self._registry.of(None, moment)
        if jobs:
            yield [_head(f"global-{moment}"), "side by side" if len(jobs) > 1 else ""]
            yield from (self._job(job, "  ") for job in jobs)

    def _component(self, component: Component) -> Iterator[list[str]]:
        # Of a prerequisite the headline says what it comes after.
        after = (
            ""
            if component.is_prerequisite or not component.needs
            else f", after {', '.join(component.needs)}"
        )
        yield [
            f"  {component.name}",
            f"{self._operation(component)} in namespace {component.namespace}{after}",
        ]
        for moment in (Pre, Post):
            yield from (self._job(job, "    ") for job in self._registry.of(component.name, moment))

    def _operation(self, component: Component) -> str:
        chart = near(component.chart) if component.is_local else component.chart
        if self._outlook is None:
            return f"install or upgrade {chart}"
        release = self._outlook.releases.get(component.name)
        if release is None:
            return f"install {chart}"
        return f"upgrade {chart} from revision {release.last.number} ({release.status})"

    def _job(self, job: Job, indent: str) -> list[str]:
        notes = [str(job.place)]
        if job.timeout is not None:
            notes.append(f"at most {durations.told(job.timeout)}")
        if job.requires:
            notes.append(f"requires {', '.join(map(str, job.requires))}")
        if job.once:
            notes.append(self._once(job))
        return [f"{indent}{job.moment} {job.name}", "; ".join(notes)]

    def _once(self, job: Job) -> str:
        known = self._outlook.record.once.get(job.identity) if self._outlook else None
        if known is None:
            return "runs once"
        if known.status == "done":
            return f"ran already, with version {known.version}: is left out"
        return click.style("maybe ran", fg="yellow", bold=True)

    def _foretold(self) -> Iterator[str]:
        if self._prediction is None:
            return
        for name, checked in self._prediction.charts.items():
            for finding in checked.findings:
                is_accepted = " (accepted)" if finding.rule in self._prediction.accepted else ""
                colour = (
                    "red" if finding.level == "error" else "yellow" if finding.level == "warning" else None
                )
                yield ""
                yield f"{click.style(finding.level, fg=colour, bold=True)} {finding.rule}{is_accepted}  {name}: {finding.title}"
                if finding.error:
                    yield from f"  helm will say: {finding.error}".splitlines()
                if finding.fix:
                    yield from f"  fix  {finding.fix}".splitlines()
        for name, reason in self._prediction.untold.items():
            yield ""
            yield from f"{name}: no prediction of what helm will do: {reason}".splitlines()


def diff_lines(name: str, diff: Diff) -> Iterator[str]:
    """Write what changes in a component, as `helm diff` does."""
    if diff.problem:
        yield f"{_head(name)}: changes are not known: {diff.problem}"
        return
    counts = [f"{many} {change}" for change in _CHANGES if (many := diff.count(change))]
    yield f"{_head(name)}: {', '.join(counts) or 'no changes'}"
    yield from (click.style(f"  {doubt}", dim=True) for doubt in diff.doubts)
    for one in diff.objects:
        yield f"{click.style(one.title, bold=True)} {_CHANGES[one.change]}:"
        for line in one.lines:
            yield click.style(line, fg=_COLOURS.get(line[:1]))


def _head(text: str) -> str:
    return click.style(text, bold=True)
