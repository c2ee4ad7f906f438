"""What `check` finds in texts: manifests, or the files of a chart."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context, Values, ValuesFile
from watchbill.checking.check import check
from watchbill.checking.inputs.discovery import profiles
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options
from watchbill.checking.result import Finding
from watchbill.lifecycle.flags import DEFAULT_TIMEOUT
from watchbill.rehearsal.script import read_tool

TOOLS = ("helm@4.3.1", "helm@3.19.0")
NO_VALUES = Values()


def found(
    engine: Engine,
    manifests: str,
    before: str = "",
    *,
    tools: Sequence[str] = TOOLS,
    in_use: Collection[str] = (),
    timeout: float = DEFAULT_TIMEOUT,
) -> list[Finding]:
    """In rendered manifests, with a version before if there is one."""
    subject = Subject(
        "new.yaml",
        manifests=manifests,
        manifests_name="new.yaml",
        old_manifests=before,
        old_name="old.yaml",
    )
    return _check(engine, subject, tools, in_use, timeout=timeout)


def found_in_chart(
    engine: Engine,
    files: Mapping[str, str],
    folder: Path,
    *,
    tools: Sequence[str] = TOOLS,
    kube_version: str = "",
) -> list[Finding]:
    """In a chart of these files, written to the folder; with the values of `ci/`, too."""
    for name, text in {"Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n", **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    subject = Subject(str(folder), source=str(folder), values_profiles=profiles(str(folder)))
    return _check(engine, subject, tools, (), kube_version=kube_version)


def found_in_folder(
    engine: Engine, folder: Path, values: Path, *, tools: Sequence[str] = TOOLS
) -> list[Finding]:
    """In the chart that lies there, with these values alone."""
    given = Values(files=(ValuesFile(str(values)),))
    return _check(engine, Subject(str(folder), source=str(folder)), tools, (), given)


def _check(
    engine: Engine,
    subject: Subject,
    tools: Sequence[str],
    in_use: Collection[str],
    values: Values = NO_VALUES,
    *,
    kube_version: str = "",
    timeout: float = DEFAULT_TIMEOUT,
) -> list[Finding]:
    context = Context(release="r", namespace="ns", values=values, kube_version=kube_version)
    options = Options(tuple(map(read_tool, tools)), context, in_use=frozenset(in_use), timeout=timeout)
    result = check(engine, subject, options).checked
    assert result.problem is None, result.problem
    return list(result.findings)


def told(findings: Sequence[Finding], rule: str) -> list[str]:
    """Those of one rule, each with its level and objects."""
    return [f"{one.level} {', '.join(one.objects)}" for one in findings if one.rule == rule]
