"""A recorded case as `check` sees it: its last version, reached from the one before if there is one."""

from collections.abc import Sequence
from pathlib import Path

from dev.tapes.case import Case
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.checking.check import check
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options
from watchbill.checking.result import Checked
from watchbill.rehearsal.script import read_tool


def checked(engine: Engine, case: Case, tools: Sequence[str], scratch: Path) -> Checked:
    options = Options(tuple(map(read_tool, tools)), Context(release=case.release, namespace=case.namespace))
    result = check(engine, _subject(case, scratch), options).checked
    assert result.problem is None, result.problem
    return result


def _subject(case: Case, scratch: Path) -> Subject:
    *before, last = case.versions
    if last.manifests is not None:
        return Subject(
            "v.yaml",
            manifests=last.manifests,
            manifests_name="v.yaml",
            old_manifests=before[-1].manifests or "" if before else "",
            old_name="old.yaml",
        )
    paths = [str(version.unpack(scratch / f"v{at}")) for at, version in enumerate(case.versions, 1)]
    return Subject(paths[-1], source=paths[-1], old=paths[-2] if before else "")
