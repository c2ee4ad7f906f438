"""What rules about deleted objects say where their examples do not show it, and where they say nothing."""

from pathlib import Path

import pytest

from tests.support.checks import found, found_in_chart, told
from watchbill.charts.engine import Engine


def hook(kind: str, name: str, policy: str, rest: str = "", events: str = "pre-install,pre-upgrade") -> str:
    return f"""\
---
apiVersion: {"batch/v1" if kind == "Job" else "apps/v1" if kind == "Deployment" else "v1"}
kind: {kind}
metadata:
  name: {name}
  annotations:
    helm.sh/hook: {events}
    helm.sh/hook-weight: "{0 if kind == "Job" else -1}"
    helm.sh/hook-delete-policy: {policy}
{rest}"""


def job(name: str, policy: str, needs: str = "", events: str = "pre-install,pre-upgrade") -> str:
    pod = f"restartPolicy: Never, {needs}containers: [{{name: main, image: 'app:1'}}]"
    return hook("Job", name, policy, f"spec: {{template: {{spec: {{{pod}}}}}}}\n", events)


def deployment(needs: str = "", image: str = "web:1") -> str:
    return f"""\
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{{needs}containers: [{{name: web, image: '{image}'}}]}}
"""


ACCOUNT = "---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web}\n"
NAMED = "serviceAccountName: web, "
BOTH, BEFORE = "before-hook-creation,hook-succeeded", "before-hook-creation"
RUNS = "spec: {selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: 'a:1'}]}}}\n"


def levels(engine: Engine, manifests: str, before: str = "") -> dict[str, str]:
    """The level of each rule that says something."""
    return {finding.rule: finding.level for finding in found(engine, manifests, before)}


def test_what_goes_with_its_job_is_worth_a_note_only(engine: Engine) -> None:
    account = hook("ServiceAccount", "web", BOTH)
    assert levels(engine, account + job("migrate", BOTH, NAMED))["WB410"] == "note"
    assert levels(engine, account + job("migrate", BEFORE, NAMED))["WB410"] == "warning"


@pytest.mark.parametrize(
    ("timeout", "expected"), [(300, []), (241, []), (60, ["warning ServiceAccount/web"])]
)
def test_a_deadline_is_compared_with_the_timeout_that_the_user_gives_helm(
    engine: Engine, timeout: float, expected: list[str]
) -> None:
    bounded = job("migrate", BEFORE, NAMED).replace(
        "spec: {template", "spec: {activeDeadlineSeconds: 240, template"
    )
    findings = found(engine, hook("ServiceAccount", "web", BOTH) + bounded, timeout=timeout)
    assert told(findings, "WB410") == expected
    assert bool(told(findings, "WB303")) is bool(expected)
    for finding in findings:
        if finding.rule == "WB410":
            assert "the 60 s that Helm waits" in finding.title
            assert finding.trace is not None
            assert finding.trace.moves[-1].endswith("--timeout 60s")


def test_all_that_a_job_loses_is_one_finding(engine: Engine) -> None:
    needs = NAMED + "volumes: [{name: v, configMap: {name: settings}}], "
    text = hook("ServiceAccount", "web", BOTH) + hook("ConfigMap", "settings", BOTH)
    assert len(told(found(engine, text + job("migrate", BEFORE, needs)), "WB410")) == 1


def test_many_deployments_that_are_hooks_are_one_finding(engine: Engine) -> None:
    text = "".join(hook("Deployment", name, BEFORE, RUNS) for name in ("a", "b", "c"))
    assert told(found(engine, text), "WB407") == ["warning Deployment/a"]


def test_an_object_that_became_a_hook_is_lost_by_the_retry_too(engine: Engine) -> None:
    new = hook("ServiceAccount", "web", BEFORE) + job("migrate", BEFORE, NAMED)
    assert levels(engine, new + deployment(), ACCOUNT + deployment())["WB401"] == "note"
    said = levels(engine, new + deployment(NAMED), ACCOUNT + deployment(NAMED))
    assert said["WB401"] == "error"
    assert "WB000" not in said


def test_what_a_version_drops_and_still_needs_is_an_error(engine: Engine) -> None:
    settings = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
    needs = "volumes: [{name: v, configMap: {name: settings}}], "
    said = found(engine, deployment(needs, "web:2"), settings + deployment(needs))
    assert [one.title for one in said if one.level == "error"] == [
        'the upgrade deletes ConfigMap "settings", which Deployment "web" needs'
    ]


def test_what_a_version_drops_and_needs_no_more_is_not(engine: Engine) -> None:
    settings = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
    needs = "volumes: [{name: v, configMap: {name: settings}}], "
    assert not levels(engine, deployment(image="web:2"), settings + deployment(needs))


def test_that_a_rollback_meets_the_same_is_a_fact(engine: Engine) -> None:
    """Every version that brings an account along would have to warn of it."""
    assert not levels(engine, ACCOUNT + deployment(NAMED, "web:2"), deployment())


def test_a_rollback_that_runs_the_failed_hook_again_loses_its_logs(engine: Engine, tmp_path: Path) -> None:
    setup = job("setup", BEFORE, events="post-upgrade,post-rollback")
    said = found_in_chart(engine, {"templates/all.yaml": setup + deployment()}, tmp_path)
    assert [(one.level, one.title) for one in said if one.rule == "WB301"] == [
        ("note", 'when Job "setup" fails, the automatic rollback replaces it and its logs are gone')
    ]


def test_room_that_only_hooks_use_is_a_warning(engine: Engine) -> None:
    claim = hook("PersistentVolumeClaim", "data", BEFORE, "spec: {accessModes: [ReadWriteOnce]}\n")
    needs = "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], "
    assert levels(engine, claim + job("dump", BEFORE, needs))["WB406"] == "warning"
    assert levels(engine, claim + job("dump", BEFORE, needs) + deployment(needs))["WB406"] == "error"
