"""Which version of Kubernetes a chart is rendered for, if the user names none: the newest that the chart allows."""

from collections.abc import Iterator

from msgspec.structs import replace

from watchbill.charts.chart import Chart
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.charts.render import Failure, render
from watchbill.lifecycle.kube import catalog

OLDEST_MINOR = 16
# A chart may ask for a fix (>=1.30.4), or for no later one (<=1.30.4).
PATCHES = (0, 4, 20)


def choose_kubernetes(engine: Engine, chart: Chart, context: Context) -> Context:
    """Return the context with a version that the chart allows; as it is if it needs none, or if there is none."""
    if context.kube_version or not chart.kube_version:
        return context
    for version in _versions():
        chosen = replace(context, kube_version=version)
        [look] = render(engine, chart, [chosen])
        if not isinstance(look, Failure) or look.error.kind != "kube-version":
            return context if version == catalog.VERSION else chosen
    return context


def tell_choice(chart: Chart | None, asked: Context, chosen: Context) -> Iterator[str]:
    """The assumption, if the version was chosen here."""
    if chart and not asked.kube_version and chosen.kube_version not in ("", catalog.VERSION):
        yield f"Kubernetes {chosen.kube_version.removeprefix('v')}, because the chart allows only {chart.kube_version}"


def _versions() -> Iterator[str]:
    yield catalog.VERSION
    newest = int(catalog.VERSION.split(".")[1])
    for minor in range(newest - 1, OLDEST_MINOR - 1, -1):
        for patch in PATCHES:
            yield f"v1.{minor}.{patch}"
