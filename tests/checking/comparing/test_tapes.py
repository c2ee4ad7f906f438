"""Comparisons against what real tools did: where recordings of two versions of Helm part, a difference is found, and
none is claimed on a path on which they do not."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dev.tapes import case as cases
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.checking.comparing.compare import compare
from watchbill.checking.comparing.result import Compared
from watchbill.checking.comparing.run import read_tools
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options
from watchbill.lifecycle.moves import BadMove, Move, number, parse

TAPES = Path(__file__).parents[2] / "tapes"
TOOLS = ("helm@4.3.1", "helm@3.19.0")
WALKED = ("install", "upgrade", "rollback", "uninstall", "fail", "hang", "succeed")
MANIFESTS = "c/templates/manifests.yaml"
DEPTH = 4
EVERY = 12  # of the tapes on which both do the same: enough to see, not all to wait for


@cache
def moves_of(path: Path) -> list[Move]:
    """Those that a comparison may make, up to the first that it does not."""
    case = cases.read(path)
    walked = list[Move]()
    for text in (move.text for move in case.moves):
        try:
            move = parse(text, "helm")
        except BadMove:
            break
        if move.verb not in WALKED or move.given or move.release or move.dies_after or move.revision:
            break
        walked.append(move)
    return number(walked, len(case.versions))


@cache
def parts_at(path: Path) -> int | None:
    """The move at which the recordings part, of those that a comparison makes; -1 where they never do."""
    truths = cases.recorded(path)
    if not set(TOOLS) <= set(truths):
        return None
    one, other = (truths[tool]["moves"][: len(moves_of(path))] for tool in TOOLS)
    for place, sides in enumerate(zip(one, other, strict=True)):
        if seen(sides[0]) != seen(sides[1]):
            operations = sum(move.of_tool for move in moves_of(path)[: place + 1])
            return place if operations <= DEPTH else None
    return -1


def seen(truth: dict[str, Any]) -> tuple[Any, ...]:
    return truth["ok"], sorted(truth["ran"]), sorted(truth["objects"])


def compared(engine: Engine, path: Path, last: int, folder: Path) -> Compared:
    """The version that the last move has to do with, from the one before it."""
    case = cases.read(path)
    versions = case.versions[: 1 + max(move.version for move in moves_of(path)[: last + 1])]
    texts = [version.manifests or "" for version in versions]
    if all(texts):
        old = texts[-2] if len(texts) > 1 else ""
        subject = Subject(
            path.stem, manifests=texts[-1], manifests_name=MANIFESTS, old_manifests=old, old_name=MANIFESTS
        )
    else:
        charts = [str(version.unpack(folder / f"v{at}")) for at, version in enumerate(versions)]
        subject = Subject(path.stem, charts[-1], old=charts[-2] if len(charts) > 1 else "")
    context = Context(release=case.release, namespace=case.namespace)
    return compare(engine, subject, Options(read_tools(*TOOLS), context))


ALL = sorted(TAPES.rglob("*.txtar"))
DIFFERENT = [path for path in ALL if parts_at(path) not in (None, -1)]
SAME = [path for path in ALL if parts_at(path) == -1 and moves_of(path)][::EVERY]


def test_there_are_such_tapes() -> None:
    assert len(DIFFERENT) > 40
    assert len(SAME) > 40


@pytest.mark.parametrize("path", DIFFERENT, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_tools_that_part_are_found_to_differ(path: Path, engine: Engine, tmp_path: Path) -> None:
    place = parts_at(path)
    assert place is not None
    found = compared(engine, path, place, tmp_path)
    assert found.problem is None
    assert found.differences, [move.text for move in moves_of(path)[: place + 1]]


@pytest.mark.parametrize("path", SAME, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_nothing_is_claimed_of_a_path_on_which_tools_do_the_same(
    path: Path, engine: Engine, tmp_path: Path
) -> None:
    texts = [move.text for move in moves_of(path)]
    found = compared(engine, path, len(texts) - 1, tmp_path)
    for claimed in found.differences:
        begins_alike = list(claimed.moves[0]) == texts[: len(claimed.moves[0])]
        from_the_first = claimed.versions[0] == ("before" if len(cases.read(path).versions) > 1 else "this")
        assert claimed.handed_over or not begins_alike or not from_the_first, claimed.title
