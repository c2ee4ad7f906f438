"""Every way out that `explain` prints is walked in the model: its commands as moves, in the world the error left."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from dev.tapes import case as cases
from tests.support.ways import Failure, failures, walk
from watchbill.charts.engine import Engine
from watchbill.rules.errors.catalogue import ERRORS
from watchbill.rules.errors.known import ARGO, FLUX, KnownError
from watchbill.rules.errors.recognise import recognise
from watchbill.rules.errors.telling import WayOut

TESTS = Path(__file__).resolve().parents[2]
GROUPS = sorted({path.parent for path in (TESTS / "tapes").rglob("*.txtar")})
PROOFS = [
    {"error": error, **proof}
    for error, proofs in yaml.safe_load((Path(__file__).parent / "proofs.yaml").read_text()).items()
    for proof in proofs
]
# What the model cannot show.
UNPROVEN = {
    "race": "there is one client at a time",
    "hook-gone": "nobody deletes a Job while Helm waits for it",
    "serviceaccount-missing": "a pod says it and no tool; the same way is proven where a hook waits",
    "configmap-missing": "a pod says it and no tool; the same way is proven where a hook waits",
    "secret-missing": "a pod says it and no tool; the same way is proven where a hook waits",
    "retries-exhausted": "Flux is not modelled",
}
LOOKING = {("pending", "wait"), ("release-not-found", "look for it")}
# What they ask for cannot be had: the way is walked, and the chart is the same.
RENDERED_TWICE = {
    "hooks/two-hooks-of-one-name-without-before",
    "kubectl/same-object-twice",
    "updates/same-job-twice-with-two-images",
    "updates/same-object-twice-in-one-manifest",
    "updates/env-twice",
}
# They fail by a deadline for want of what their own chart makes too late: no fate mends that.
NEEDS_TOO_EARLY = {
    "hooks/job-deadline-without-claim",
    "hooks/job-deadline-without-config-map",
    "hooks/job-deadline-without-service-account",
    "hooks/pod-deadline-without-config-map",
}
# These are mended when their Jobs succeed; what else must be mended is in the chart.
MENDED_BY_FATE = {"hook-failed", "hook-deadline", "waited-failed-job"}


@pytest.mark.parametrize(
    "proof", PROOFS, ids=lambda p: f"{p['error']}, {p['operation']}: {p['way']}, {p['tool']}"
)
def test_a_way_out_works(proof: dict[str, Any], engine: Engine, tmp_path: Path) -> None:
    path = TESTS / f"{proof['case']}.txtar"
    case = cases.read(path)
    corrected = len(case.versions) - 1 if proof.get("corrected") else None
    walked = [
        walk(way, failure, corrected=corrected)
        for failure, way in ways(engine, path, proof["tool"], tmp_path)
        if (failure.told.error, failure.told.operation or failure.played.move.verb, way.does)
        == (proof["error"], proof["operation"], proof["way"])
    ]
    assert walked, "there is no such failure, or it is not told so"
    assert any(end is not None and end.ok for end in walked), [end.error for end in walked if end]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.id)
def test_no_way_out_is_told_that_was_not_walked(error: KnownError) -> None:
    modelled = not error.tools or bool({*error.tools} - {ARGO, FLUX})
    told = {way.does for way in error.ways if (error.id, way.does) not in LOOKING}
    if modelled and error.id not in UNPROVEN:
        assert told <= {proof["way"] for proof in PROOFS if proof["error"] == error.id}


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_no_way_leads_back(group: Path, engine: Engine, tmp_path: Path) -> None:
    """After none of the recorded failures does a way without an `if` end at the same error again."""
    back = []
    for path in sorted(group.glob("*.txtar")):
        name = f"{path.parent.name}/{path.stem}"
        for tool in () if name in RENDERED_TWICE | NEEDS_TOO_EARLY else cases.recorded(path):
            for failure, way in ways(engine, path, tool, tmp_path):
                conditional = way.when and failure.told.operation
                if conditional or (way.mended and failure.told.error not in MENDED_BY_FATE):
                    continue
                end = walk(way, failure)
                if end is not None and not end.ok and (not end.move.of_tool or is_same(failure, end.error)):
                    back.append(
                        f"{name} {tool}: {failure.told.error}: {way.does}: {end.move.text}: {end.error[:200]}"
                    )
    assert not back, "\n".join(back)


def ways(engine: Engine, path: Path, tool: str, scratch: Path) -> Iterator[tuple[Failure, WayOut]]:
    """What is told after each failure, and is about this tool and operation."""
    for failure in failures(engine, cases.read(path), tool, scratch / path.stem / tool):
        if failure.told.tool != failure.lab.tool.name:
            continue
        for way in failure.told.ways:
            if failure.told.operation or way.when.startswith(f"it was helm {failure.played.move.verb}"):
                yield failure, way


def is_same(failure: Failure, error: str) -> bool:
    before = failure.told
    return any(
        (told.error, told.kind) == (before.error, before.kind)
        and (not before.objects or set(told.objects) & set(before.objects))
        for told in recognise(error)
    )
