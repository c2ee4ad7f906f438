"""Arguments that are wrong whatever the chart: values that cannot be read, a Kubernetes version that is none."""

import os

from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.problems import explain
from watchbill.charts.protocol import Context, Values
from watchbill.charts.render import Failure, render
from watchbill.checking.inputs.workspace import Workspace

_EMPTY = "apiVersion: v2\nname: empty\nversion: 0.0.0\n"


def check_arguments(engine: Engine, context: Context, workspace: Workspace) -> None:
    """Refuse them once, before any chart is looked at: an empty chart is rendered with them."""
    if context.values == Values() and not context.kube_version:
        return
    folder = workspace.folder()
    with open(os.path.join(folder, "Chart.yaml"), "w", encoding="utf-8") as file:
        file.write(_EMPTY)
    asked = Context(values=context.values, kube_version=context.kube_version)
    [look] = render(engine, load(engine, folder), [asked])
    if isinstance(look, Failure):
        raise explain(look.error, "")
