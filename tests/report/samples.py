"""Findings that are worse than any chart has them."""

from msgspec.structs import replace

from watchbill.checking.result import Checked, Finding, Location, Problem, Row, Run, Trace

HUGE = "x" * 65_536
WORDS = "word " * 13_000
TOOLS = ("helm@4.3.1", "helm@3.19.0", "kubectl@1.37.1")

PLAIN = Finding(
    rule="WB101",
    name="immutable-job",
    level="error",
    confidence="high",
    title='the image upgrade fails: Job "a" cannot be changed in place',
    fingerprint="f1",
    objects=("Job/a",),
    location=Location("templates/job.yaml", 3, 5),
    charts=("chart",),
)


def monster(text: str) -> Finding:
    """As much of everything as there can be, and each of it this text."""
    many = tuple(f"{text}{number}" for number in range(9))
    rows = tuple(Row(f"{one} move", works=False, did=many, error=f"Error: {one}") for one in many)
    return Finding(
        rule="WB101",
        name="immutable-job",
        level="error",
        confidence="medium",
        title=text[:100],
        fingerprint="f2",
        objects=many,
        because=text,
        location=Location(text, 1, 1, text, many),
        related=tuple(Location(one, 1, 1, one) for one in many),
        dependency=text,
        tools=TOOLS,
        scenarios=many,
        changes=many,
        charts=many,
        profiles=many,
        trace=Trace("helm@4.3.1", rows, many, many, many),
        error=text,
        fix="make it a hook\nor leave it out",
        override="a:\n  b: false",
    )


def run_of(*findings: Finding, path: str = "chart") -> Run:
    return Run((Checked(path, "name", "1.0.0", findings=findings, tools=TOOLS),), findings)


def crowd(number: int) -> Run:
    """Many charts, each with its own finding, and as many that could not be checked."""
    paths = [f"charts/chart-{one}" for one in range(number)]
    charts = [
        Checked(path, "name", "1.0.0", findings=(replace(PLAIN, charts=(path,), fingerprint=path),))
        for path in paths
    ]
    broken = [Checked(f"{path}-broken", problem=Problem("it is broken", "here", "mend it")) for path in paths]
    return Run((*charts, *broken), tuple(chart.findings[0] for chart in charts))
