"""API versions that templates ask for and that a cluster may or may not have."""

from pathlib import Path

import pytest

from tests.support.trees import chart, depends, write
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.checking.inputs.api_branches import asked_apis

MONITORING = "monitoring.coreos.com/v1"


@pytest.mark.parametrize(
    ("template", "apis"),
    [
        ('{{ if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" }}{{ end }}', [MONITORING]),
        (
            '{{- if and .Values.x ($.Capabilities.APIVersions.Has "monitoring.coreos.com/v1/ServiceMonitor") -}}{{ end }}',
            [MONITORING, f"{MONITORING}/ServiceMonitor"],
        ),
        ("{{ if .Capabilities.APIVersions.Has `monitoring.coreos.com/v1` }}{{ end }}", [MONITORING]),
        (
            '{{ $apis := .Capabilities.APIVersions }}{{ if $apis.Has "monitoring.coreos.com/v1" }}{{ end }}',
            [MONITORING],
        ),
        ('{{ if has "monitoring.coreos.com/v1" .Capabilities.APIVersions }}{{ end }}', [MONITORING]),
        ('{{ if "monitoring.coreos.com/v1" | .Capabilities.APIVersions.Has }}{{ end }}', [MONITORING]),
        ('{{ if .Capabilities.APIVersions.Has ("monitoring.coreos.com/v1") }}{{ end }}', [MONITORING]),
        (
            '{{ if .Capabilities.APIVersions.Has "route.openshift.io/v1" }}{{ else if\n.Capabilities.APIVersions.Has\n"cert-manager.io/v1alpha2" }}{{ end }}',
            ["cert-manager.io/v1alpha2", "route.openshift.io/v1"],
        ),
        ('{{/* .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" */}}', []),
        ('{{ if .Capabilities.APIVersions.Has "batch/v1/CronJob" }}{{ end }}', []),
        ('{{ if .Capabilities.APIVersions.Has "v1" }}{{ end }}', []),
        # Gone from every cluster: with them the chart would render what no server takes.
        ('{{ if .Capabilities.APIVersions.Has "policy/v1beta1" }}{{ end }}', []),
        ('{{ if .Capabilities.APIVersions.Has "extensions/v1beta1/Ingress" }}{{ end }}', []),
        ('{{ if .Capabilities.APIVersions.Has (printf "%s/v1" .Values.group) }}{{ end }}', []),
        ('{{ if has "monitoring.coreos.com/v1" .Values.list }}{{ end }}', []),
    ],
)
def test_literals_in_templates(engine: Engine, tmp_path: Path, template: str, apis: list[str]) -> None:
    write(chart(tmp_path / "app"), {"templates/config.yaml": template})
    assert asked_apis(load(engine, str(tmp_path / "app"))) == tuple(apis)


def test_in_helpers_and_dependencies_too(engine: Engine, tmp_path: Path) -> None:
    asking = '{{ define "x" }}{{ .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" }}{{ end }}'
    app = chart(tmp_path / "app", more=depends("sub", '""'))
    write(chart(app / "charts/sub"), {"templates/_helpers.tpl": asking})
    assert asked_apis(load(engine, str(app))) == (MONITORING,)
