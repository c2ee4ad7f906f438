"""What a person would write into the ticket after a deploy: from where to where, what ran and how long, what failed, what to do."""

import shlex
from collections.abc import Iterator

import click

from watchbill import durations
from watchbill.cli.deploy_lines import styled
from watchbill.deploy.bill import Bill
from watchbill.deploy.events import STAGES
from watchbill.deploy.history import Summary
from watchbill.deploy.outlook import Outlook
from watchbill.deploy.path import Hop
from watchbill.deploy.prediction import Prediction
from watchbill.deploy.result import ComponentResult, Result
from watchbill.jobs.events import is_trace
from watchbill.jobs.outcomes import Outcome
from watchbill.report.table import table

LAST_LINES = 10


def heading(bill: Bill, hop: Hop, operation: str) -> str:
    """`operation` is empty in a dry run: nothing will ever be known of it."""
    aside = f"operation {operation}" if operation else "dry run: nothing is changed"
    return f"{click.style(bill.product, bold=True)} {way(hop)}{chosen(bill)}    {aside}"


def chosen(bill: Bill | Summary) -> str:
    """The profile and the environment, if there are any."""
    named = (("profile", bill.profile), ("environment", bill.environment))
    return "".join(f", {kind} {name}" for kind, name in named if name)


def planned(bill: Bill, hop: Hop | None) -> str:
    """`hop` is None where there is no way, or nobody looked for one."""
    return f"{click.style(bill.product, bold=True)} {way(hop) if hop else bill.version}{chosen(bill)}    plan"


def warnings(bill: Bill, hop: Hop, outlook: Outlook) -> Iterator[str]:
    """What the person should know before it begins."""
    if hop.warning:
        yield hop.warning
    before = outlook.record.environment
    if before and before != bill.environment:
        yield f"{bill.product} was deployed here with environment {before}, and now with {bill.environment or 'none'}"
    for release in outlook.dropped:
        yield (
            f"release {release.namespace}/{release.name} is of {bill.product}, but of no component of {bill.version}: it stays. "
            f"To remove it: helm uninstall {release.name} --namespace {release.namespace}"
        )
    if outlook.elsewhere:
        yield (
            f"{bill.product} has a record in namespace {', '.join(outlook.elsewhere)} and none in {bill.default_namespace}: this "
            "counts as a first install. If it is the same installation, set defaultNamespace back."
        )


def stopped(prediction: Prediction) -> Iterator[str]:
    """Why nothing is begun: what the model says would come of it."""
    rules = dict[str, None]()
    for name, findings in prediction.errors.items():
        for finding in findings:
            rules[finding.rule] = None
            yield f"{name}: {finding.title}"
            yield from _indented(f"{finding.rule}  {finding.error or finding.because}")
            if finding.fix:
                yield from _indented(f"fix  {finding.fix}")
    yield "nothing was begun: this would fail"
    yield f"  repair the charts (watchbill explain {next(iter(rules))}), or: {' '.join(f'--accept {rule}' for rule in rules)}"


def way(hop: Hop) -> str:
    match hop.kind:
        case "first":
            return f"{hop.to}, from nothing"
        case "same":
            return f"{hop.to}, again"
        case "resume":
            return f"{hop.from_ or 'nothing'} → {hop.to}, which was begun before"
        case "back":
            return f"back from a part of {hop.from_} to {hop.to}"
        case _:
            return f"{hop.from_} → {hop.to}"


def closing(bill: Bill, hop: Hop, result: Result, *, dry_run: bool = False) -> Iterator[str]:
    yield ""
    yield from table([[click.style(cell, dim=True) for cell in ("what", "how", "took", "")], *_rows(result)])
    yield ""
    for component in result.components:
        if not component.is_good and component.status != "not-started":
            yield from _trouble(component, result)
    for job in result.jobs:
        if job.component is None and not job.is_good:
            yield from _job_trouble(job)
    yield verdict(bill, hop, result)
    if dry_run:
        yield "  it was a dry run: nothing was changed, and nothing is recorded"
    elif result.missing:
        yield f"  {bill.version} is not complete: {', '.join(result.missing)} not deployed yet"
        yield f"  next: watchbill deploy {bill.file}"
    elif not result.is_good:
        yield f"  next: put it right, then run the same command again: it finishes {bill.version}"
        yield f"  logs: watchbill history show --logs{named_bill(bill.file)}"


def named_bill(file: str) -> str:
    """Return the option by which other commands find the bill, if they do not find it by themselves."""
    return "" if file in ("bill.yaml", "./bill.yaml") else f" --bill {shlex.quote(file)}"


def verdict(bill: Bill, hop: Hop, result: Result) -> str:
    good = sum(component.is_good for component in result.components)
    of = (
        f"{good} of {len(result.components)} components"
        if good < len(result.components)
        else f"{good} components"
    )
    reason = f": {result.reason}" if result.reason else ""
    return f"{bill.product} {way(hop)}: {styled(result.status)} after {durations.told(result.seconds)}{reason} ({of}, {len(result.jobs)} jobs)"


def _rows(result: Result) -> Iterator[list[str]]:
    took = {stage.stage: stage for stage in result.stages}
    for stage in STAGES:
        if stage not in took:
            continue
        yield [stage, styled(took[stage].status), durations.told(took[stage].seconds), ""]
        for job in result.jobs:
            if job.component is None and stage == f"global-{job.moment}":
                yield _job_row(job, "  ")
        for component in result.components:
            if component.stage == stage:
                yield from _component_rows(component, result)
    yield ["total", styled(result.status), durations.told(result.seconds), ""]


def _component_rows(component: ComponentResult, result: Result) -> Iterator[list[str]]:
    note = f"revision {component.chart.revision}" if component.chart and component.chart.revision else ""
    took = durations.told(component.seconds) if component.status != "not-started" else ""
    yield [f"  {component.name}", styled(component.status), took, note]
    jobs = [job for job in result.jobs if job.component == component.name]
    for job in jobs:
        if job.moment == "pre":
            yield _job_row(job, "    ")
    if jobs and component.chart is not None:
        yield ["    chart", styled(component.chart.status), durations.told(component.chart_seconds), ""]
    for job in jobs:
        if job.moment == "post":
            yield _job_row(job, "    ")


def _job_row(job: Outcome, indent: str) -> list[str]:
    name = job.identity.rpartition("/")[2]
    reason = job.reason if job.status == "skipped" else ""
    return [f"{indent}{job.moment} {name}", styled(job.status), durations.told(job.seconds), reason]


def _trouble(component: ComponentResult, result: Result) -> Iterator[str]:
    yield f"{styled(component.status)}  {click.style(component.name, bold=True)}"
    yield from _indented(component.reason)
    if component.chart is not None:
        yield from (f"    | {line}" for line in component.chart.diagnosis)
    failed = [job for job in result.jobs if job.component == component.name and not job.is_good]
    for job in failed:
        if len(failed) > 1:  # the reason above is that of the first
            yield f"  {job.moment} job {job.identity}: {styled(job.status)}: {job.reason}"
        yield from _job_trouble(job)
    yield ""


def _job_trouble(job: Outcome) -> Iterator[str]:
    if job.component is None:
        yield f"{styled(job.status)}  {click.style(job.identity, bold=True)}"
        yield from _indented(job.reason)
    for line in [line for line in job.log if not is_trace(line)][-LAST_LINES:]:
        yield f"    | {line}"
    if job.guide:
        yield "  what you have to do:"
        yield from _indented(job.guide, "    ")
    if job.component is None:
        yield ""


def _indented(text: str, indent: str = "  ") -> Iterator[str]:
    yield from (f"{indent}{line}" for line in text.splitlines())
