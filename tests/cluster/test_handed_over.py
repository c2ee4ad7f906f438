"""Releases that one Helm installed and another goes on with: real ones do what `compare` says of its cases.

Tapes are of one tool each, so this is played here.
"""

from pathlib import Path

import pytest

from dev.cluster.client import Namespace
from tests.support import txtar
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.checking.comparing.compare import compare
from watchbill.checking.comparing.result import Difference
from watchbill.checking.comparing.run import read_tools
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options
from watchbill.lifecycle.moves import number, parse

pytestmark = pytest.mark.cluster

CASES = Path(__file__).parent.parent / "checking/comparing/cases"
TOOLS = read_tools("helm@3.19", "helm@4")


@pytest.mark.parametrize("case", ["handed-over", "one-root-one-difference"])
@pytest.mark.parametrize("side", [0, 1], ids=["handed over", "alone"])
def test_real_releases_are_handed_over_as_told(
    case: str, side: int, engine: Engine, namespace: Namespace, tmp_path: Path
) -> None:
    files = txtar.read(CASES / f"{case}.txtar").files
    texts = [files[name].decode() for name in ("old.yaml", "new.yaml") if name in files]
    charts = [_chart(tmp_path / f"v{at}", text) for at, text in enumerate(texts)]
    told = _told(engine, texts, namespace.name)
    moves = number([parse(text, "helm") for text in told.moves[side]], len(charts))
    for place, move in enumerate(moves):
        with_first = side == 0 and place == 0
        version = TOOLS[0 if with_first else 1].version
        arguments = [move.verb, "r", *([str(charts[move.version])] if move.verb != "rollback" else [])]
        done = namespace.helm(version, *arguments, check=False)
    assert (done.returncode == 0) == told.sides[side].works, done.stderr
    for word in told.sides[side].error.split(": ")[-1].split():
        assert word in done.stderr


def _told(engine: Engine, texts: list[str], namespace: str) -> Difference:
    """What is said of a release that the second tool takes over right after the install."""
    old = texts[0] if len(texts) > 1 else ""
    subject = Subject(
        "new.yaml", manifests=texts[-1], manifests_name="new.yaml", old_manifests=old, old_name="old.yaml"
    )
    found = compare(engine, subject, Options(TOOLS, Context(release="r", namespace=namespace)))
    [handed_over] = [one for one in found.differences if one.handed_over]
    assert len(handed_over.rows) == 1
    return handed_over


def _chart(folder: Path, manifests: str) -> Path:
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: c\nversion: 1.0.0\n")
    (folder / "templates/manifests.yaml").write_text(manifests)
    return folder
