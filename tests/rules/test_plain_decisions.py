"""What rules about plain objects, waiting, skew and kubectl say where their examples do not show it, or do not say."""

from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from tests.support.checks import found, found_in_chart, told
from watchbill.charts.engine import Engine
from watchbill.lifecycle.objects import Body
from watchbill.rules.job_waits import waits


def job(
    name: str = "work", image: str = "app:1", annotations: str = "", spec: str = "", container: str = ""
) -> str:
    return f"""\
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
  annotations: {{{annotations}}}
spec:
{spec}  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: {image}
{container}---
"""


def web(image: str = "app:1", container: str = "", pod: str = "", name: str = "web") -> str:
    return f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
{pod}      containers:
        - name: web
          image: {image}
{container}---
"""


def thing(kind: str, name: str, data: str, annotations: str = "") -> str:
    return f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}, annotations: {{{annotations}}}}}\n{data}---\n"


UPGRADE = "helm.sh/hook: pre-upgrade"
SECRET_OF_WEB = "          envFrom: [{secretRef: {name: token}}]\n"


# --- WB101, WB102, WB103


CHART_LABEL = """\
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec:
  template:
    metadata:
      labels: {helm.sh/chart: "shop-{{ .Chart.Version }}"}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "app@sha256:%s"}]
""" % ("0" * 64)


def test_where_only_a_label_changes_taking_it_out_is_enough(engine: Engine, tmp_path: Path) -> None:
    [finding] = [
        one
        for one in found_in_chart(engine, {"templates/job.yaml": CHART_LABEL}, tmp_path)
        if one.rule == "WB101"
    ]
    assert finding.because == "plain Job with a fixed name; label helm.sh/chart in its pod template changes"
    assert finding.fix.startswith("take helm.sh/chart out of the labels of its pod template")
    assert finding.changes == ("chart version",)
    assert "version upgrade fails" in finding.title


def test_between_two_versions_the_label_is_in_the_cluster_already(engine: Engine) -> None:
    old, new = (CHART_LABEL.replace("{{ .Chart.Version }}", version) for version in ("1.0.0", "1.1.0"))
    [finding] = [one for one in found(engine, new, old) if one.rule == "WB101"]
    assert finding.fix.startswith("make it a hook")


@pytest.mark.parametrize("empty", ["metadata:", "metadata: {labels: }"])
def test_an_empty_field_changes_a_job_at_every_upgrade(empty: str, engine: Engine) -> None:
    text = job().replace("  template:\n", f"  template:\n    {empty}\n")
    [finding] = [one for one in found(engine, text) if one.rule == "WB101"]
    assert finding.title.startswith("every upgrade fails")
    assert finding.trace is not None
    assert finding.trace.tool == "helm@3.19.0"
    assert f"take the empty {'labels' if 'labels' in empty else 'metadata'}: out" in finding.fix


def test_every_job_that_cannot_be_changed_is_a_finding_of_its_own(engine: Engine) -> None:
    old, new = (job("a", image) + job("b", image) for image in ("app:1", "app:2"))
    assert told(found(engine, new, old), "WB101") == ["error Job/a", "error Job/b"]


@pytest.mark.parametrize(("in_use", "level"), [((), "note"), (("--force",), "warning")])
def test_a_forced_upgrade_matters_to_those_who_force(
    in_use: tuple[str, ...], level: str, engine: Engine
) -> None:
    old, new = (job() + thing("ConfigMap", "settings", f"data: {{a: {text}}}\n") for text in "xy")
    assert told(found(engine, new, old, in_use=in_use), "WB102") == [f"{level} Job/work"]


def test_an_invalid_object_is_not_refused_because_it_is_forced(engine: Engine) -> None:
    old, new = (thing("Service", "web", f"spec: {{ports: [{{port: {port}}}]}}\n") for port in ("80", "99999"))
    findings = found(engine, new, old)
    assert told(findings, "WB102") == []
    assert told(findings, "WB109") == ["error Service/web"]


def claim(size: str) -> str:
    return thing(
        "PersistentVolumeClaim",
        "data",
        f"spec: {{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: {size}}}}}}}\n",
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("1Gi", "2Gi", ["note PersistentVolumeClaim/data"]),  # of the rollback
        ("2Gi", "1Gi", ["error PersistentVolumeClaim/data"]),
        ("1Gi", "1024Mi", []),
    ],
)
def test_a_claim_may_grow(engine: Engine, before: str, after: str, expected: list[str]) -> None:
    assert told(found(engine, claim(after), claim(before)), "WB103") == expected


# --- values that were made up


RESOURCES = """\
          resources: {{- toYaml .Values.resources | nindent 12 }}
          ports: {{- toYaml .Values.ports | nindent 12 }}
"""
AT_THE_LIMIT = """\
resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {cpu: 100m, memory: 64Mi}}
ports: [{containerPort: 65535}]
"""


@pytest.mark.parametrize("events", ["pre-install,pre-upgrade", "pre-upgrade", "post-upgrade"])
def test_what_nobody_could_give_is_no_reason_to_fail(engine: Engine, tmp_path: Path, events: str) -> None:
    """A request above its limit: the chart is as good as it was."""
    text = job(annotations=f"helm.sh/hook: '{events}'", container=RESOURCES)
    files = {"templates/job.yaml": text, "values.yaml": AT_THE_LIMIT}
    findings = found_in_chart(engine, files, tmp_path)
    assert [one.title for one in findings if one.level == "error"] == []


def test_the_same_values_are_still_tried(engine: Engine, tmp_path: Path) -> None:
    files = {"templates/job.yaml": job(container=RESOURCES), "values.yaml": AT_THE_LIMIT}
    findings = found_in_chart(engine, files, tmp_path)
    assert told(findings, "WB101") == ["error Job/work"]
    assert told(findings, "WB109") == []


# --- names that go by revision or chance


@pytest.mark.parametrize(
    "suffix", ["{{ .Release.Revision }}", "{{ randAlphaNum 5 | lower }}", '{{ now | date "150405" }}']
)
def test_a_hook_that_is_never_named_the_same_meets_nothing_and_is_tried_again(
    engine: Engine, tmp_path: Path, suffix: str
) -> None:
    text = job(
        f"work-{suffix}", annotations="helm.sh/hook: pre-upgrade, helm.sh/hook-delete-policy: hook-succeeded"
    )
    findings = found_in_chart(engine, {"templates/job.yaml": text}, tmp_path)
    assert [one.title for one in findings if one.level != "note"] == []


def test_chance_does_not_name_a_hook_like_one_that_a_failed_install_left(
    engine: Engine, tmp_path: Path
) -> None:
    policy = "helm.sh/hook: 'pre-install,pre-upgrade', helm.sh/hook-delete-policy: hook-succeeded"
    by_chance, by_revision = (
        told(
            found_in_chart(
                engine, {"templates/job.yaml": job(f"work-{suffix}", annotations=policy)}, tmp_path
            ),
            "WB201",
        )
        for suffix in ("{{ randAlphaNum 5 | lower }}", "{{ .Release.Revision }}")
    )
    assert (by_chance, by_revision) == ([], ["warning Job/work-1"])


@pytest.mark.parametrize(
    ("suffix", "said"), [("{{ randAlphaNum 5 | lower }}", []), ("always", ["error Job/work-always"])]
)
def test_what_kubectl_applies_is_rendered_anew_each_time(
    engine: Engine, tmp_path: Path, suffix: str, said: list[str]
) -> None:
    text = job(f"work-{suffix}", image="app:{{ .Chart.Version }}")
    found = found_in_chart(engine, {"templates/job.yaml": text}, tmp_path, tools=["kubectl@1.37.1"])
    assert told(found, "WB101") == said


# --- WB104


def test_a_hook_of_the_uninstall_with_a_long_name_is_found_too(engine: Engine, tmp_path: Path) -> None:
    text = job("{{ .Release.Name }}-cleans-up-after-all-of-them", annotations="helm.sh/hook: pre-delete")
    findings = found_in_chart(engine, {"templates/job.yaml": text}, tmp_path)
    [finding] = [one for one in findings if one.rule == "WB104"]
    assert finding.title.startswith("uninstall fails with a release name of 36 characters or more")
    assert finding.level == "warning"


def test_short_endings_leave_room_for_every_name(engine: Engine, tmp_path: Path) -> None:
    text = job("{{ .Release.Name }}-migrate", annotations="helm.sh/hook: pre-delete")
    assert told(found_in_chart(engine, {"templates/job.yaml": text}, tmp_path), "WB104") == []


def test_each_object_has_a_length_of_its_own(engine: Engine, tmp_path: Path) -> None:
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: '{{ .Release.Name }}-postgresql'}\nspec: {ports: [{port: 1}]}\n---\n"
    text = service + job("{{ .Release.Name }}-migrations-of-the-database")
    findings = found_in_chart(engine, {"templates/all.yaml": text}, tmp_path)
    [finding] = [one for one in findings if one.rule == "WB104"]
    assert [finding.title, *(sibling.title for sibling in finding.siblings)] == [
        'the install fails with a release name of 37 characters or more: Job "r-migrations-of-the-database"',
        'the install fails with a release name of 53 characters or more: Service "r-postgresql"',
    ]


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("{{ .Release.Name }}-runs-the-migrations", 44),
        ("{{ printf `%s-membership-of-the-club` .Release.Name | trunc 60 }}-migrate", 33),  # cut on the way
        ("{{ .Release.Name }}-{{ .Release.Name }}-migrate", 28),
        ("{{ if gt (len .Release.Name) 20 }}{{ repeat 70 `x` }}{{ else }}short{{ end }}", 21),
    ],
)
def test_the_length_is_rendered_however_names_are_made(
    engine: Engine, tmp_path: Path, name: str, length: int
) -> None:
    text = job(f"'{name}'", annotations="helm.sh/hook: pre-install")
    [finding] = [
        one for one in found_in_chart(engine, {"templates/job.yaml": text}, tmp_path) if one.rule == "WB104"
    ]
    assert f" of {length} characters or more" in finding.title


# --- WB107


def secret(value: str) -> str:
    return thing("Secret", "token", f"stringData: {{token: {value}}}\n")


def test_a_secret_that_no_pod_uses_may_change(engine: Engine, tmp_path: Path) -> None:
    files = {"templates/all.yaml": secret("{{ randAlphaNum 9 | quote }}") + web()}
    assert told(found_in_chart(engine, files, tmp_path), "WB107") == []


def test_a_certificate_made_anew_is_a_note(engine: Engine, tmp_path: Path) -> None:
    files = {"templates/all.yaml": secret('{{ (genCA "c" 9).Cert | quote }}') + web(container=SECRET_OF_WEB)}
    assert told(found_in_chart(engine, files, tmp_path), "WB107") == ["note Secret/token"]


def test_another_value_in_another_version_is_what_versions_are_for(engine: Engine) -> None:
    old, new = (secret(value) + web(container=SECRET_OF_WEB) for value in ("one", "two"))
    assert told(found(engine, new, old), "WB107") == []


# --- WB501


@pytest.mark.parametrize(
    ("ttl", "others", "expected"),
    [
        (10, "", []),  # Helm sees it end: there is nothing else to wait for
        (10, web(), ["note Job/work"]),
        (300, web(), []),
    ],
)
def test_a_ttl_is_too_short_where_others_take_longer(
    ttl: int, others: str, expected: list[str], engine: Engine
) -> None:
    text = job(spec=f"  ttlSecondsAfterFinished: {ttl}\n") + others
    assert told(found(engine, text), "WB501") == expected


# --- WB305, WB502


@pytest.mark.parametrize(
    ("own", "pod", "expected"),
    [
        (60, "", ["note Job/work"]),
        (285, "activeDeadlineSeconds: 120", []),  # behind both attempts and what is between them
        (125, "activeDeadlineSeconds: 120", ["note Job/work"]),
    ],
)
def test_a_deadline_behind_all_attempts_costs_nothing(
    own: int, pod: str, expected: list[str], engine: Engine
) -> None:
    text = job(spec=f"  backoffLimit: 1\n  activeDeadlineSeconds: {own}\n  ttlSecondsAfterFinished: 86400\n")
    attempt = f"      terminationGracePeriodSeconds: 10\n{f'      {pod}' if pod else ''}\n"
    findings = found(engine, text.replace("    spec:\n", f"    spec:\n{attempt}"))

    assert told(findings, "WB305") == expected
    assert told(findings, "WB502") == expected


@pytest.mark.parametrize(
    ("attempts", "expected"),
    [
        (
            "backoffLimit: 1, template: {spec: {activeDeadlineSeconds: 120, terminationGracePeriodSeconds: 10",
            [],
        ),
        ("backoffLimit: 1, template: {spec: {activeDeadlineSeconds: 120", ["note Job/work"]),  # 310 seconds
        ("backoffLimit: 0, template: {spec: {activeDeadlineSeconds: 270", []),
        ("backoffLimit: 0, template: {spec: {activeDeadlineSeconds: 271", ["note Job/work"]),
        ("activeDeadlineSeconds: 300, template: {spec: {activeDeadlineSeconds: 120", []),
    ],
)
def test_all_attempts_of_a_hook_have_to_end_before_helm_gives_up(
    attempts: str, expected: list[str], engine: Engine
) -> None:
    text = (
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: work, annotations: {helm.sh/hook: pre-upgrade}}\n"
        f"spec: {{{attempts}, restartPolicy: Never, containers: [{{name: c, image: c}}]}}}}}}\n"
    )
    assert told(found(engine, text), "WB303") == expected


# --- WB109


def test_documents_without_a_kind_are_one_finding(engine: Engine) -> None:
    text = "kind: Secret\nmetadata: {name: a}\n---\nkind: Secret\nmetadata: {name: b}\n"
    assert told(found(engine, text), "WB109") == ["error Secret/a"]


@pytest.mark.parametrize("field", ["apiVersion: 1\nkind: Secret", "apiVersion: v1\nkind: 5"])
def test_a_kind_that_is_no_text_is_none(field: str, engine: Engine) -> None:
    assert len(told(found(engine, f"{field}\nmetadata: {{name: a}}\n"), "WB109")) == 1


@pytest.mark.parametrize("metadata", ["name: 5", "name: a, namespace: 7", "name: a, labels: {b: 1.5}"])
def test_names_are_text_too(metadata: str, engine: Engine) -> None:
    text = f"apiVersion: v1\nkind: Secret\nmetadata: {{{metadata}}}\n"
    assert len(told(found(engine, text), "WB106")) == 1


# --- WB503, WB506


WAITS = {
    "k8s-wait-for": ("image: groundnuty/k8s-wait-for:v2.0, args: [job, work]", ["work"]),
    "k8s-wait-for with restarts": ("image: k8s-wait-for, args: [job-wr, work, -n, ns]", ["work"]),
    "kubectl wait": ("image: k, command: [kubectl, wait, --for=condition=complete, job/work]", ["work"]),
    "kubectl wait in a shell": (
        'image: k, command: [sh, -c, "until kubectl -n x wait --for=condition=complete jobs/work --timeout=9s; do sleep 1; done"]',
        ["work"],
    ),
    "kubectl get": ('image: k, args: ["kubectl get job work -o json"]', ["work"]),
    "two of them": (
        'image: k, args: ["kubectl wait job/a --for=condition=complete; kubectl wait job/b"]',
        ["a", "b"],
    ),
    "kubernetes-entrypoint": ('image: e, env: [{name: DEPENDENCY_JOBS, value: "a,b"}]', ["a", "b"]),
    "and as JSON": (
        """image: e, env: [{name: DEPENDENCY_JOBS_JSON, value: '[{"namespace": "n", "name": "a"}]'}]""",
        ["a"],
    ),
    "another image's words": ("image: tool, args: [job, work]", []),
    "kubectl delete": ("image: k, args: [kubectl, delete, job, work]", []),
}


@pytest.mark.parametrize("case", WAITS)
def test_ways_to_wait_for_a_job(case: str) -> None:
    container, expected = WAITS[case]
    text = web(pod=f"      initContainers: [{{name: wait, {container}}}]\n").removesuffix("---\n")
    assert [one.job for one in waits(Body.of(yaml.safe_load(text)))] == expected


WAITING = "      initContainers: [{name: wait, image: k8s-wait-for, args: [job, work]}]\n"


def test_a_job_that_stays_is_waited_for_in_peace(engine: Engine) -> None:
    assert told(found(engine, job() + web(pod=WAITING)), "WB503") == []


def test_a_hook_that_is_deleted_when_it_succeeded_is_found_by_nobody(engine: Engine) -> None:
    annotations = "helm.sh/hook: pre-install, helm.sh/hook-delete-policy: hook-succeeded"
    assert told(found(engine, job(annotations=annotations) + web(pod=WAITING)), "WB503") == [
        "warning Job/work"
    ]


@pytest.mark.parametrize(
    ("event", "in_use", "expected"),
    [
        ("post-install", (), ["note Job/work"]),
        ("post-install", ("--atomic",), ["warning Job/work"]),
        ("pre-install", (), []),
    ],
)
def test_pods_that_wait_for_a_hook_by_name(
    event: str, in_use: tuple[str, ...], expected: list[str], engine: Engine
) -> None:
    text = job(annotations=f"helm.sh/hook: {event}") + web(pod=WAITING)
    assert told(found(engine, text, in_use=in_use), "WB506") == expected


@pytest.mark.parametrize(
    ("container", "expected"),
    [("wait-for-work-done", ["note Job/run-work-done"]), ("wait-for-db", []), ("work-done", [])],
)
def test_an_init_container_may_say_by_its_name_what_it_waits_for(
    container: str, expected: list[str], engine: Engine
) -> None:
    waiting = f"      initContainers: [{{name: {container}, image: app}}]\n"
    text = job("run-work-done", annotations="helm.sh/hook: post-install") + web(pod=waiting)
    assert told(found(engine, text), "WB506") == expected


# --- WB109


@pytest.mark.parametrize(
    "annotations", ["", "helm.sh/hook: 'pre-install,pre-upgrade'"], ids=["plain", "hook"]
)
@pytest.mark.parametrize(
    "odd",
    [
        "containers: [null]",
        "containers: text",
        "containers: [{name: a, image: 'app:1', env: text}]",
        "containers: [{name: a, image: 'app:1', env: [null]}]",
        "containers: [{name: a, image: 'app:1', env: [{name: A, valueFrom: text}]}]",
        "containers: [{name: a, image: 'app:1', envFrom: [{configMapRef: text}]}]",
        "containers: [{name: a, image: 'app:1'}], volumes: [text]",
        "containers: [{name: a, image: 'app:1'}], volumes: [null]",
        "containers: [{name: a, image: 'app:1'}], initContainers: {a: b}",
    ],
)
def test_a_pod_that_nobody_can_read_is_refused_and_nothing_else(
    engine: Engine, tmp_path: Path, odd: str, annotations: str
) -> None:
    text = (
        f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: work, annotations: {{{annotations}}}}}\n"
        f"spec: {{template: {{spec: {{restartPolicy: Never, {odd}}}}}}}\n"
    )
    errors = [
        one for one in found_in_chart(engine, {"templates/job.yaml": text}, tmp_path) if one.level == "error"
    ]
    assert {one.rule for one in errors} == {"WB109"}


# --- WB505


def reading(settings: str, container: str) -> str:
    return thing("ConfigMap", "settings", f"data: {{{settings}}}\n") + job(
        annotations=UPGRADE, container=container
    )


ONE_KEY = "          env: [{name: A, valueFrom: {configMapKeyRef: {name: settings, key: a}}}]\n"
ALL_KEYS = "          envFrom: [{configMapRef: {name: settings}}]\n"


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        (ONE_KEY, []),
        (ONE_KEY.replace("key: a", "key: b"), ["warning Job/work"]),
        (ALL_KEYS, ["warning Job/work"]),
    ],
)
def test_only_what_the_hook_reads_is_too_old(container: str, expected: list[str], engine: Engine) -> None:
    old, new = (reading(f'a: same, b: "{number}"', container) for number in (1, 2))
    assert told(found(engine, new, old), "WB505") == expected


@pytest.mark.parametrize(
    ("container", "change"),
    [(ONE_KEY, "value later"), (ONE_KEY.replace("key: a", "key: b"), "value earlier")],
)
def test_without_a_version_before_the_value_that_a_hook_reads_is_changed(
    engine: Engine, tmp_path: Path, container: str, change: str
) -> None:
    text = reading('a: "{{ .Values.later }}", b: "{{ .Values.earlier }}"', container)
    files = {"templates/all.yaml": text, "values.yaml": "earlier: info\nlater: debug\n"}
    stale = [one for one in found_in_chart(engine, files, tmp_path) if one.rule == "WB505"]
    assert [(one.level, one.changes) for one in stale] == [("warning", (change,))]


def test_rendered_passwords_differ_by_chance(engine: Engine) -> None:
    old, new = (
        secret(value) + job(annotations=UPGRADE, container=SECRET_OF_WEB)
        for value in ("h7Gt5RfdEw21", "Zx83kdPq0Lmn")
    )
    assert told(found(engine, new, old), "WB505") == []


# --- WB603


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (job(image="app:2", annotations=UPGRADE), ["note Job/work"]),
        (job(image="app:1", annotations=UPGRADE), []),  # what it does, the old version knows
        (job(image="app:2", annotations=f"{UPGRADE}, watchbill.dev/rollback: safe"), []),
    ],
)
def test_the_old_version_on_a_new_schema(new: str, expected: list[str], engine: Engine) -> None:
    old = job(annotations=UPGRADE) + web()
    assert told(found(engine, new + web("app:2"), old), "WB603") == expected


def test_a_hook_of_the_rollback_may_undo_it(engine: Engine) -> None:
    undo = job("undo", annotations="helm.sh/hook: post-rollback")
    old, new = (job(image=image, annotations=UPGRADE) + undo + web(image) for image in ("app:1", "app:2"))
    assert told(found(engine, new, old), "WB603") == []


def test_it_is_a_warning_to_those_who_roll_back(engine: Engine) -> None:
    old, new = (job(image=image, annotations=UPGRADE) + web(image) for image in ("app:1", "app:2"))
    assert told(found(engine, new, old, in_use=["--atomic"]), "WB603") == ["warning Job/work"]


# --- WB701


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ("pre-delete", ["error Job/work"]),
        ("post-rollback", ["warning Job/work"]),
        ("test", ["note Job/work"]),
        ("pre-upgrade", []),
        ("post-install,pre-delete", []),  # it is meant for an install too
    ],
)
def test_hooks_that_kubectl_should_not_have_run(events: str, expected: list[str], engine: Engine) -> None:
    text = job(annotations=f'helm.sh/hook: "{events}"') + web()
    assert told(found(engine, text, tools=["kubectl"]), "WB701") == expected
    assert told(found(engine, text), "WB701") == []


# --- WB110


@pytest.mark.parametrize(
    ("cluster", "level"),
    [("", "warning"), ("1.24", "warning"), ("v1.25.3", "error"), ("1.30", "error")],
)
def test_a_removed_api_is_an_error_where_the_users_cluster_lacks_it(
    engine: Engine, tmp_path: Path, cluster: str, level: str
) -> None:
    budget = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {maxUnavailable: 1}\n"
    files = {"templates/all.yaml": budget}
    findings = found_in_chart(engine, files, tmp_path, kube_version=cluster)
    assert told(findings, "WB110") == [f"{level} PodDisruptionBudget/web"]


# --- WB303, WB309, WB404


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("before-hook-creation", "; a retry deletes it while it runs"),
        ("hook-succeeded", ", in the way of a retry or beside it"),
    ],
)
def test_what_becomes_of_a_hook_that_hangs(engine: Engine, policy: str, words: str) -> None:
    text = job(annotations=f"helm.sh/hook: pre-upgrade, helm.sh/hook-delete-policy: {policy}")
    [finding] = [one for one in found(engine, text) if one.rule == "WB303"]
    assert finding.title == f'if Job "work" hangs, it goes on after Helm gave up{words}'


def test_a_job_that_only_the_next_version_names_stands_in_its_template(
    engine: Engine, tmp_path: Path
) -> None:
    text = job('work-{{ .Chart.Version | replace "." "-" }}', image="app:{{ .Chart.Version }}") + web()
    findings = found_in_chart(engine, {"templates/all.yaml": text}, tmp_path)
    [finding] = [one for one in findings if one.rule == "WB309"]
    assert finding.objects == ("Job/work-1-0-1",)
    assert finding.location is not None
    assert finding.location.file == f"{tmp_path}/templates/all.yaml"


def test_a_document_without_a_kind_stands_in_its_template(engine: Engine, tmp_path: Path) -> None:
    [finding] = found_in_chart(
        engine, {"templates/all.yaml": "apiVersion: v1\nmetadata: {name: a}\n"}, tmp_path
    )
    assert finding.location is not None
    assert finding.location.file == f"{tmp_path}/templates/all.yaml"


def test_what_is_kept_is_in_the_way_of_a_rollback_after_an_upgrade_that_worked(engine: Engine) -> None:
    kept = thing("ConfigMap", "settings", "data: {a: b}\n", "helm.sh/resource-policy: keep")
    findings = found(engine, web(), web() + kept, tools=["helm@3.19"])
    [finding] = [one for one in findings if one.rule == "WB404"]
    assert finding.title == 'the rollback fails: ConfigMap "settings" is in the way'
    assert "it is to be kept" in finding.because


def test_a_subchart_that_is_upgraded_with_its_umbrella(engine: Engine, tmp_path: Path) -> None:
    files = {
        "charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 0.3.0\nappVersion: '2.0'\n",
        "charts/sub/templates/job.yaml": job(image="app:{{ .Chart.AppVersion }}"),
    }
    findings = found_in_chart(engine, files, tmp_path)
    assert told(findings, "WB101") == ["error Job/work"]
    assert [one.changes for one in findings if one.rule == "WB101"] == [("subchart version",)]


# --- kubectl, which knows no hooks and no releases


HOOKED = "helm.sh/hook: 'pre-install,pre-upgrade', helm.sh/hook-delete-policy: hook-succeeded"


@pytest.mark.parametrize("name", ["work", "work-{{ .Release.Revision }}"])
def test_a_hook_is_a_job_like_any_other_to_kubectl(engine: Engine, tmp_path: Path, name: str) -> None:
    text = job(name, image="app:{{ .Chart.Version }}", annotations=HOOKED)
    findings = found_in_chart(engine, {"templates/all.yaml": text}, tmp_path, tools=["kubectl"])
    assert [(one.rule, one.level) for one in findings] == [("WB101", "error")]
    assert "kubectl apply --force" in findings[0].fix


@pytest.mark.parametrize(
    "text",
    [
        web("app:{{ .Chart.Version }}"),
        job("work-{{ .Chart.Version }}", image="app:{{ .Chart.Version }}") + web(),
        thing(
            "PersistentVolumeClaim",
            "data",
            "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n",
            HOOKED,
        ),
    ],
    ids=["no Job at all", "a Job that a version drops", "a claim that is a hook"],
)
def test_what_kubectl_does_right(engine: Engine, tmp_path: Path, text: str) -> None:
    assert found_in_chart(engine, {"templates/all.yaml": text}, tmp_path, tools=["kubectl"]) == []
