"""`--helm PATH`: the user's own binary renders, twice, and agrees with the engine."""

from pathlib import Path

import pytest

from dev import binaries
from tests.conftest import Watchbill
from tests.support import txtar
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.helm_binary import render_twice
from watchbill.charts.protocol import Context, Edit, Values
from watchbill.charts.render import render_one
from watchbill.errors import UserError

ARCHIVES = Path(__file__).parent / "archives"


@pytest.mark.parametrize(
    "name",
    [
        "backup-cron",
        "crds",
        "hook-unknown-events",
        "install-order",
        "operator",
        "umbrella",
        "web-application",
    ],
)
def test_both_give_the_same_documents(engine: Engine, name: str, tmp_path: Path) -> None:
    chart = load(engine, str(txtar.unpack(ARCHIVES / f"{name}.txtar", tmp_path)))
    context = Context(release="r", namespace="ns", kube_version="1.31.0")
    ours = render_one(engine, chart, context)
    theirs = render_twice(engine, str(binaries.helm("4.3.1")), chart, context, 30)
    assert [(d.template, d.role, d.object, d.hook) for d in theirs.documents] == [
        (d.template, d.role, d.object, d.hook) for d in ours.documents if d.role != "dropped"
    ]


def test_what_differs_between_two_renders_is_volatile(watchbill: Watchbill) -> None:
    done = watchbill("show", "examples/charts/billing", "--helm", str(binaries.helm("4.3.1")))
    assert done.returncode == 0, done.stderr
    assert "templates/secret.yaml renders differently every time" in done.stdout


def test_what_a_binary_cannot_do_is_said(engine: Engine, root: Path) -> None:
    chart = load(engine, str(root / "examples/charts/orders"))
    for context in (
        Context(app_version="2"),
        Context(edits=(Edit("x", 0, 0, ""),)),
        Context(values=Values(overlay={"a": 1})),
    ):
        with pytest.raises(UserError, match="a helm binary cannot render with"):
            render_twice(engine, "helm", chart, context, 30)


@pytest.mark.parametrize(
    ("helm", "words"), [("/no/such/helm", "does not run"), ("/bin/false", "does not render it")]
)
def test_a_binary_that_fails_is_one_clear_error(watchbill: Watchbill, helm: str, words: str) -> None:
    done = watchbill("show", "examples/charts/orders", "--helm", helm)
    assert done.returncode == 2
    assert words in done.stderr
