"""What counts as a finding: what a change of the chart would mend, and an install that fails, whoever knows the change."""

from msgspec.structs import replace

from tests.support.checks import found
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.checking import findings
from watchbill.checking.findings import Heard
from watchbill.checking.grounds import of_manifests
from watchbill.rehearsal.script import read_tool

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {{name: work}}
spec: {{template: {{spec: {{restartPolicy: {policy}, containers: [{{name: main, image: 'app:{version}'}}]}}}}}}
"""


def helpless(engine: Engine, new: str, old: str) -> list[str]:
    """Titles of what counts, if no rule knew what helps."""
    [ground] = of_manifests(
        engine,
        ("new.yaml", new),
        ("old.yaml", old),
        Context(release="r", namespace="ns"),
        [read_tool("helm@4")],
    )
    heard = [one for one in findings.listen(ground, 2, frozenset(), ()) if isinstance(one, Heard)]
    kept, _ = findings.settle([replace(one, claim=replace(one.claim, mends=())) for one in heard])
    return [group[0].claim.title for group in kept]


def test_what_cannot_be_mended_is_a_fact(engine: Engine) -> None:
    old, new = (JOB.format(policy="Never", version=version) for version in (1, 2))
    assert helpless(engine, new, old) == []


def test_but_an_install_that_fails_is_not(engine: Engine) -> None:
    old, new = (JOB.format(policy=policy, version=1) for policy in ("Never", "Sometimes"))
    [title] = helpless(engine, new, old)
    assert title.startswith('the install fails: Kubernetes refuses Job "work"')


def test_jobs_of_one_template_are_one_finding(engine: Engine) -> None:
    """Rendered manifests say where they come from: the lines of a range are not there any more."""

    def version(number: int, source: str) -> str:
        jobs = (JOB.format(policy="Never", version=number).replace("work", name) for name in ("a", "b"))
        return "---\n".join(f"{source}{job}" for job in jobs)

    for source, expected in (("# Source: c/templates/jobs.yaml\n", [2]), ("", [1, 1])):
        said = found(engine, version(2, source), version(1, source))
        assert [len(one.objects) for one in said if one.rule == "WB101"] == expected
