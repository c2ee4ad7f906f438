"""Charts that helm cannot render, whatever the cluster answers: a deploy that has one is not begun."""

from collections.abc import Mapping

from watchbill.charts.chart import Chart, load
from watchbill.charts.engine import Engine
from watchbill.charts.problems import explain
from watchbill.charts.protocol import Context, EngineError
from watchbill.charts.render import Failure, render
from watchbill.errors import UserError
from watchbill.patterns import regex

# Failures of the chart and its values. Others (time, memory) are ours, and say nothing of what helm can do.
_OF_TEMPLATES = frozenset({"template", "required", "fail", "yaml"})
_OF_INPUTS = frozenset({"chart", "values", "schema", "dependency", "kube-version"})
# What these find may be made by a job or by another component of the same deploy.
_ASKS_THE_CLUSTER = regex(r"\blookup\b|\.Capabilities\.APIVersions")
_SYNTAX = "parse error at"


def find_unrenderable(engine: Engine, path: str, context: Context) -> UserError | None:
    """Return why helm cannot render the chart; None if it can, or if only the cluster knows."""
    if any("://" in file.path for file in context.values.files):
        return None
    try:
        chart = load(engine, path, follow_symlinks=True)  # as helm does
    except UserError as error:
        return error
    [result] = render(engine, chart, [context])
    if not isinstance(result, Failure) or not _is_certain(result.error, chart, context):
        return None
    return explain(result.error, path)


def refuse(unrenderable: Mapping[str, UserError], bill: str) -> UserError | None:
    """Return one error for all of them, by component."""
    if not unrenderable:
        return None
    count = "a chart" if len(unrenderable) == 1 else f"{len(unrenderable)} charts"
    lines = []
    for name, error in unrenderable.items():
        lines += [f"{name}: {error.what}", *(f"  {line}" for line in (error.where or "").splitlines())]
    return UserError(
        f"{count} cannot be rendered, so nothing is begun",
        where="\n".join(lines),
        then=f"correct the chart, or the values that {bill} gives it",
    )


def _is_certain(error: EngineError, chart: Chart, context: Context) -> bool:
    if error.kind == "kube-version":
        return bool(context.kube_version)
    if error.kind in _OF_INPUTS or _SYNTAX in error.message:
        return True
    asks = any(_ASKS_THE_CLUSTER.search(template.text) for template in chart.templates)
    return error.kind in _OF_TEMPLATES and not asks
