"""What changes in each object, in the format of `helm diff`, without the values of Secrets."""

import base64
from pathlib import Path

import click
import pytest

from tests.support.trees import write
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context, Values
from watchbill.cli.deploy_plan import diff_lines
from watchbill.deploy.diffing import Diff, diff

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-config}\ndata: {size: '%s', stays: here}\n"
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: web-login}\n%s\n"
CONTEXT = Context(release="web", namespace="shop")


def compared(engine: Engine, folder: Path, installed: str, *templates: str) -> str:
    write(
        folder,
        {
            "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
            **{f"templates/{at}.yaml": text for at, text in enumerate(templates)},
        },
    )
    found = diff(engine, str(folder), CONTEXT, installed)
    return click.unstyle("\n".join(diff_lines("web", found)))


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_added_changed_and_removed(engine: Engine, tmp_path: Path) -> None:
    job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate, annotations: {helm.sh/hook: pre-upgrade}}\n"
    role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: reader}\n"
    text = compared(engine, tmp_path, "---\n".join([CONFIG % 1, role]), CONFIG % 2, job)
    assert text.splitlines() == [
        "web: 1 added, 1 changed, 1 removed",
        ", reader, ClusterRole (rbac.authorization.k8s.io) has been removed:",
        "-apiVersion: rbac.authorization.k8s.io/v1",
        "-kind: ClusterRole",
        "-metadata:",
        "-  name: reader",
        "shop, web-config, ConfigMap (v1) has changed:",
        " apiVersion: v1",
        " data:",
        "-  size: '1'",
        "+  size: '2'",
        "   stays: here",
        " kind: ConfigMap",
        " metadata:",
        "shop, migrate, Job (batch) has been added:",
        "+apiVersion: batch/v1",
        "+kind: Job",
        "+metadata:",
        "+  annotations:",
        "+    helm.sh/hook: pre-upgrade",
        "+  name: migrate",
    ]


def test_the_same_is_no_change_whatever_the_order_of_its_keys(engine: Engine, tmp_path: Path) -> None:
    reordered = (
        "kind: ConfigMap\napiVersion: v1\ndata: {stays: here, size: '1'}\nmetadata: {name: web-config}\n"
    )
    assert compared(engine, tmp_path, CONFIG % 1, reordered) == "web: no changes"


def test_values_of_secrets_are_masked_however_they_are_written(engine: Engine, tmp_path: Path) -> None:
    before = (
        SECRET % f"data: {{password: {encoded('hunter2')}, user: {encoded('shop')}, old: {encoded('x')}}}"
    )
    after = SECRET % "stringData: {password: hunter22, user: shop, new: fresh}"
    text = compared(engine, tmp_path, before, after)
    assert text.splitlines() == [
        "web: 1 changed",
        "shop, web-login, Secret (v1) has changed:",
        " apiVersion: v1",
        " data:",
        "-  old: '-------- # (1 bytes)'",
        "-  password: '-------- # (7 bytes)'",
        "+  new: '++++++++ # (5 bytes)'",
        "+  password: '++++++++ # (8 bytes)'",
        "   user: 'REDACTED # (4 bytes)'",
        " kind: Secret",
        " metadata:",
    ]
    for secret in ("hunter2", "shop\n", "fresh", encoded("hunter2"), encoded("x")):
        assert secret not in text.replace("shop,", "")


@pytest.mark.parametrize("data", ["data: {password: '%%%'}", "data: [hunter2]", "stringData: {n: 12345}"])
def test_a_secret_that_is_not_valid_shows_no_values_either(engine: Engine, tmp_path: Path, data: str) -> None:
    text = compared(engine, tmp_path, "", SECRET % data)
    assert "hunter2" not in text
    assert "12345" not in text
    assert "%%%" not in text


def test_a_file_in_a_config_map_is_compared_by_lines(engine: Engine, tmp_path: Path) -> None:
    whole = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: files}\ndata:\n  app.ini: |\n    a=1\n    b=%s\n    --c\n"
    lines = compared(engine, tmp_path, whole % 2, whole % 3).splitlines()
    assert [line for line in lines if line[0] in "+-"] == ["-    b=2", "+    b=3"]
    lines = compared(engine, tmp_path, whole % 2, (whole % 2).replace("    --c\n", "")).splitlines()
    assert [line for line in lines if line[0] in "+-"] == ["-    --c"]


def test_what_this_comparison_cannot_know_is_said(engine: Engine, tmp_path: Path) -> None:
    template = CONFIG % '{{ (lookup "v1" "Secret" "shop" "x").data }}{{ randAlphaNum 5 }}'
    text = compared(engine, tmp_path, "", template)
    assert "the chart reads the cluster (lookup)" in text
    assert "random values (randAlphaNum)" in text


def test_an_upgrade_is_rendered_as_one(engine: Engine, tmp_path: Path) -> None:
    template = CONFIG % "{{ .Release.IsUpgrade }} {{ .Release.Revision }}"
    write(
        tmp_path, {"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "templates/a.yaml": template}
    )
    context = Context(release="web", namespace="shop", upgrade=True, revision=4)
    assert diff(engine, str(tmp_path), context, CONFIG % "true 4") == Diff()


def test_a_chart_that_does_not_render_says_so(engine: Engine, tmp_path: Path) -> None:
    write(tmp_path, {"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n"})
    write(tmp_path, {"templates/a.yaml": '{{ fail "no way" }}'})
    found = diff(engine, str(tmp_path), Context(values=Values()), "")
    assert "changes are not known" in click.unstyle("\n".join(diff_lines("web", found)))
    assert "no way" in found.problem


def test_the_page_shows_a_true_diff(engine: Engine, root: Path, tmp_path: Path) -> None:
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-config}\ndata: {replicas: '%s'}\n"
    shown = compared(engine, tmp_path, config % 1, config % 3)
    assert f"```text\n{shown}\n```" in (root / "docs/commands/deploy.md").read_text()
