"""When plain Jobs run and when they do not, and hooks that share a name: what rules say where their examples do not show it."""

from pathlib import Path

import pytest

from tests.rules.test_plain_decisions import job
from tests.support.checks import found, found_in_chart, told
from watchbill.charts.engine import Engine
from watchbill.lifecycle.hash_names import differ_in_a_hash

HASHED = """\
{{- define "pod" }}
metadata:
  labels: {app: shop%s}
spec:
  restartPolicy: Never
%s  containers:
    - name: main
      image: app:1
{{- end }}
{{- $pod := include "pod" . }}
apiVersion: batch/v1
kind: Job
metadata: {name: "work-%s"}
spec:
  template: {{- $pod | nindent 4 }}
"""
BY_HASH = "{{ $pod | sha256sum | trunc 8 }}"


def hashed(labels: str = "", pod: str = "", suffix: str = BY_HASH) -> dict[str, str]:
    return {"templates/job.yaml": HASHED % (labels, pod, suffix)}


# --- WB112


@pytest.mark.parametrize(
    "pod",
    [
        "  hostname: {{ randAlpha 5 | lower }}\n",
        "  hostname: 'h{{ now | unixEpoch }}'\n",
        "  nodeSelector: {run: '{{ uuidv4 }}'}\n",
    ],
)
def test_what_differs_at_each_render_runs_a_job_at_every_upgrade(
    engine: Engine, tmp_path: Path, pod: str
) -> None:
    findings = found_in_chart(engine, hashed(pod=pod), tmp_path)
    [finding] = [one for one in findings if one.rule == "WB112"]
    assert finding.level == "warning"
    assert finding.title.startswith("every upgrade runs Job ")
    assert pod.split(":", maxsplit=1)[0].strip() in finding.because


def test_one_of_two_jobs_of_a_template_runs_at_every_upgrade(engine: Engine, tmp_path: Path) -> None:
    [text] = hashed(pod="  hostname: {{ randAlpha 5 | lower }}\n").values()
    findings = found_in_chart(engine, {"templates/job.yaml": f"{text}---\n{job('other')}"}, tmp_path)
    assert [one.level for one in findings if one.rule == "WB112"] == ["warning"]


def test_a_label_with_the_version_of_the_chart_runs_a_job_at_every_version(
    engine: Engine, tmp_path: Path
) -> None:
    labels = ", helm.sh/chart: 'shop-{{ .Chart.Version }}'"
    [finding] = [one for one in found_in_chart(engine, hashed(labels), tmp_path) if one.rule == "WB112"]
    assert finding.level == "note"
    assert "label helm.sh/chart" in finding.because


@pytest.mark.parametrize(
    "suffix",
    [
        "{{ .Release.Revision }}",
        '{{ .Chart.Version | replace "." "-" }}',
        "{{ now | unixEpoch }}",
        "{{ randAlphaNum 8 | lower }}",
    ],
)
def test_a_job_that_is_meant_to_run_again_is_not_reported(
    engine: Engine, tmp_path: Path, suffix: str
) -> None:
    findings = found_in_chart(engine, hashed(suffix=suffix), tmp_path)
    assert told(findings, "WB112") == told(findings, "WB000") == []


def test_a_job_whose_name_covers_what_its_pods_read_is_not_reported(engine: Engine, tmp_path: Path) -> None:
    files = hashed(suffix="{{ .Values.settings | toJson | sha256sum | trunc 8 }}")
    findings = found_in_chart(engine, {**files, "values.yaml": "settings: {size: 1}\n"}, tmp_path)
    assert told(findings, "WB112") == told(findings, "WB000") == []


def test_a_failed_job_that_runs_again_under_another_hash_is_not_reported(
    engine: Engine, tmp_path: Path
) -> None:
    files = hashed(labels=", attempt: '{{ include \"attempt\" . }}'")
    lookup = """\
{{- define "attempt" }}
{{- $attempt := 1 }}
{{- range (lookup "batch/v1" "Job" .Release.Namespace "").items }}
{{- $attempt = add (int .spec.template.metadata.labels.attempt) (ternary 1 0 (gt (int .status.failed) 0)) }}
{{- end }}
{{- $attempt }}
{{- end }}
"""
    findings = found_in_chart(engine, {"templates/job.yaml": lookup + files["templates/job.yaml"]}, tmp_path)
    assert told(findings, "WB112") == told(findings, "WB000") == []


def test_a_hash_of_what_runs_alone_is_not_reported(engine: Engine, tmp_path: Path) -> None:
    assert told(found_in_chart(engine, hashed(), tmp_path), "WB112") == []


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("shop-work-3f1c9a2b", "shop-work-00d1e6aa", True),
        ("shop-3f1c9a2b-work", "shop-00d1e6aa-work", True),
        ("shop-work-1", "shop-work-2", False),
        ("shop-work-20240101", "shop-work-20240202", False),
        ("shop-work-k3j9x", "shop-work-p0q8z", False),
        ("shop-work-3f1c9a2b", "other-work-00d1e6aa", False),
        ("shop-work", "shop-work-00d1e6aa", False),
        ("shop-facade", "shop-decade", False),
    ],
)
def test_names_that_differ_in_a_hash(one: str, other: str, expected: bool) -> None:
    assert differ_in_a_hash(one, other) is expected


# --- WB507, WB508, WB509, WB512


def test_a_failed_job_that_a_lookup_runs_again_is_not_reported(engine: Engine, tmp_path: Path) -> None:
    text = """\
{{- $job := lookup "batch/v1" "Job" .Release.Namespace "work-1" }}
{{- $attempt := ternary 2 1 (gt (int (dig "status" "failed" 0 $job)) 0) }}
""" + job("work-{{ $attempt }}")
    assert told(found_in_chart(engine, {"templates/job.yaml": text}, tmp_path), "WB507") == []


@pytest.mark.parametrize("suffix", ["{{ .Release.Revision }}", "{{ randAlphaNum 5 | lower }}"])
def test_a_job_with_another_name_each_time_is_run_again_after_a_failure(
    engine: Engine, tmp_path: Path, suffix: str
) -> None:
    findings = found_in_chart(engine, {"templates/job.yaml": job(f"work-{suffix}")}, tmp_path)
    assert told(findings, "WB507") == []


@pytest.mark.parametrize(("in_use", "level"), [((), "note"), (("--wait", "--wait-for-jobs"), "warning")])
def test_a_job_that_is_left_matters_to_those_who_wait(
    engine: Engine, in_use: tuple[str, ...], level: str
) -> None:
    findings = found(engine, job("work-2", "app:2"), job("work-1"), in_use=in_use)
    assert told(findings, "WB508") == [f"{level} Job/work-2"]


def test_a_job_that_stays_the_same_is_its_own(engine: Engine) -> None:
    assert told(found(engine, job("work"), job("work")), "WB508") == []


@pytest.mark.parametrize("ttl", [1, 301, 600, 86_400, 31_536_000])
def test_a_job_with_a_ttl_runs_again_whatever_its_length(engine: Engine, ttl: int) -> None:
    [finding] = [
        one for one in found(engine, job(spec=f"  ttlSecondsAfterFinished: {ttl}\n")) if one.rule == "WB509"
    ]
    assert finding.level == "note"
    assert f"later than {ttl} s" in finding.title


def test_a_hook_with_a_ttl_runs_again_anyway(engine: Engine) -> None:
    hook = job(spec="  ttlSecondsAfterFinished: 600\n", annotations="helm.sh/hook: pre-upgrade")
    assert told(found(engine, hook), "WB509") == []


def test_a_job_of_installs_and_upgrades_belongs_to_the_first_revision(engine: Engine, tmp_path: Path) -> None:
    assert told(found_in_chart(engine, {"templates/job.yaml": job()}, tmp_path), "WB512") == []


# --- WB216, WB308


def hook(events: str, weight: int, policy: str = "", name: str = "work") -> str:
    policies = f", helm.sh/hook-delete-policy: '{policy}'" if policy else ""
    return job(name, annotations=f"helm.sh/hook: '{events}', helm.sh/hook-weight: '{weight}'{policies}")


BOTH = "pre-install,pre-upgrade"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (hook(BOTH, 1), hook(BOTH, 2), ["warning Job/work"]),
        (hook("pre-install", 1), hook("post-install", 2), ["warning Job/work"]),
        (hook("pre-install", 1, "hook-succeeded"), hook("post-install", 2), []),
        (hook("pre-install", 1), hook("pre-upgrade", 1), []),
        (hook(BOTH, 1), hook(BOTH, 2, name="other"), []),
        (hook(BOTH, 1, "hook-succeeded"), hook(BOTH, 2, "hook-succeeded"), ["error Job/work"]),
        (hook(BOTH, 1, "hook-failed"), hook(BOTH, 2, "hook-failed"), ["error Job/work"]),
    ],
)
def test_hooks_that_share_a_name(engine: Engine, first: str, second: str, expected: list[str]) -> None:
    findings = found(engine, first + second)
    assert told(findings, "WB216") == expected
    if expected == ["error Job/work"]:
        assert "error Job/work" not in told(findings, "WB201"), "one cause, one error"


@pytest.mark.parametrize(
    ("ttl", "policy", "expected"),
    [
        (1, "before-hook-creation", ["note Job/work"]),
        (299, "before-hook-creation", ["note Job/work"]),
        (600, "before-hook-creation", []),
        (0, "before-hook-creation", []),  # WB305
        (60, "hook-failed", []),  # WB301
    ],
)
def test_logs_of_a_hook_are_gone_with_it(engine: Engine, ttl: int, policy: str, expected: list[str]) -> None:
    text = job(
        spec=f"  ttlSecondsAfterFinished: {ttl}\n",
        annotations=f"helm.sh/hook: pre-upgrade, helm.sh/hook-delete-policy: {policy}",
    )
    findings = found(engine, text)
    assert told(findings, "WB308") == expected
    assert all(f"gone {ttl} s after" in one.title for one in findings if one.rule == "WB308")


# --- WB102


def test_a_forced_upgrade_that_changes_nothing_fails_too(engine: Engine, tmp_path: Path) -> None:
    findings = found_in_chart(engine, hashed(), tmp_path)
    [finding] = [one for one in findings if one.rule == "WB102"]
    assert "forced no-op upgrade" in finding.scenarios
