"""What counts as a finding: what a change of the chart would mend, and an install that fails, whoever knows the change."""

from pathlib import Path

from msgspec.structs import replace

from tests.support.checks import found, found_in_chart
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.checking import baseline, findings
from watchbill.checking.findings import Heard
from watchbill.checking.grounds import of_manifests
from watchbill.checking.result import Checked
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


HOOKED = """\
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {name}
  annotations: {{helm.sh/hook: 'pre-install,pre-upgrade', helm.sh/hook-delete-policy: before-hook-creation}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec: {{serviceAccountName: {name}, containers: [{{name: main, image: 'app:1'}}]}}
"""


def test_objects_that_share_a_cause_are_one_finding_and_each_has_its_entry_in_a_baseline(
    engine: Engine,
) -> None:
    text = "---\n".join(HOOKED.format(name=name) for name in ("a", "b", "c"))
    [one] = [finding for finding in found(engine, text, text) if finding.rule == "WB405"]
    assert one.objects == ("ServiceAccount/a", "ServiceAccount/b", "ServiceAccount/c")
    assert [sibling.location.line for sibling in one.siblings if sibling.location] == [20, 35]
    accepted = baseline.entries([Checked("v.yaml", findings=(one,))])
    assert len({entry.fingerprint for entry in accepted}) == 3


def test_what_an_empty_field_and_a_new_image_do_to_a_job_is_one_finding(engine: Engine) -> None:
    job = """\
apiVersion: batch/v1
kind: Job
metadata: {{name: work}}
spec:
  template:
    metadata:
      labels:
    spec: {{restartPolicy: Never, containers: [{{name: main, image: 'app:{version}'}}]}}
"""
    said = found(engine, job.format(version=2), job.format(version=1))
    assert [finding.rule for finding in said].count("WB101") == 1


def test_an_object_that_looks_different_with_other_values_is_one_finding(
    engine: Engine, tmp_path: Path
) -> None:
    hook = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Values.name }}
  annotations: {helm.sh/hook: {{ .Values.event }}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: 'app:1'}]}}}
"""
    files = {
        "values.yaml": "name: one\nevent: pre-install\n",
        "ci/two-values.yaml": "name: two\nevent: post-install\n",
        "templates/hook.yaml": hook,
    }
    [finding] = [one for one in found_in_chart(engine, files, tmp_path) if one.rule == "WB304"]
    assert (finding.objects, finding.profiles) == (("Job/one", "Job/two"), ())


def test_names_that_a_long_release_name_breaks_are_one_finding(engine: Engine, tmp_path: Path) -> None:
    job = "spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: 'app:1'}]}}}"
    documents = {
        "job": f"apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{{{ .Release.Name }}}}-a-longer-suffix\n{job}\n",
        "cron": "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: {{ .Release.Name }}-suffix\n"
        f"spec:\n  schedule: '@daily'\n  jobTemplate: {{{job}}}\n",
    }
    files = {f"templates/{name}.yaml": text for name, text in documents.items()}
    [finding] = [one for one in found_in_chart(engine, files, tmp_path) if one.rule == "WB104"]
    assert finding.objects == ("CronJob/r-suffix", "Job/r-a-longer-suffix")
    assert (finding.release_name_length, len(finding.siblings)) == (46, 1)
