"""What rules about hooks say where their examples do not show it, and where they say nothing."""

from collections.abc import Callable

import pytest

from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.checking.check import check
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options
from watchbill.checking.result import Finding
from watchbill.rehearsal.script import read_tool

Find = Callable[..., list[Finding]]
TOOLS = ("helm@4.3.1", "helm@3.19.0")


@pytest.fixture
def find(engine: Engine) -> Find:
    """Findings of one rule on documents, with a version before if there is one."""

    def found(rule: str, *documents: str, before: tuple[str, ...] = ()) -> list[Finding]:
        subject = Subject(
            "new.yaml",
            manifests="---\n".join(documents),
            manifests_name="new.yaml",
            old_manifests="---\n".join(before),
            old_name="old.yaml",
        )
        options = Options(tuple(map(read_tool, TOOLS)), Context(release="r", namespace="ns"))
        result = check(engine, subject, options).checked
        assert result.problem is None, result.problem
        return [finding for finding in result.findings if finding.rule == rule]

    return found


def annotated(**annotations: str) -> str:
    lines = [f"    helm.sh/{name.replace('_', '-')}: {value!r}\n" for name, value in annotations.items()]
    return "  annotations:\n" + "".join(lines) if lines else ""


def plain(kind: str, name: str, rest: str = "", api_version: str = "v1", **annotations: str) -> str:
    return f"apiVersion: {api_version}\nkind: {kind}\nmetadata:\n  name: {name}\n{annotated(**annotations)}{rest}"


def job(
    name: str = "migrate", pod: str = "", container: str = "", labels: str = "", **annotations: str
) -> str:
    spec = f"""\
spec:
  template:
    metadata:
      labels: {{app: {labels or name}}}
    spec:
      restartPolicy: Never
{pod}      containers:
        - name: main
          image: app:1.0
{container}"""
    return plain("Job", name, spec, "batch/v1", **annotations)


PRE = {"hook": "pre-install,pre-upgrade"}
ACCOUNT = "      serviceAccountName: app\n"
SERVICE = "spec: {selector: {app: db}, ports: [{port: 5432}]}\n"
DEFINITION = """\
spec:
  group: x.io
  scope: Namespaced
  names: {plural: ws, singular: w, kind: W, listKind: WList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
"""
ASKS = "          env: [{name: DATABASE_HOST, value: db}]\n"


def test_five_objects_that_are_missing_are_one_finding(find: Find) -> None:
    kinds = [("ServiceAccount", "app"), *(("Secret", f"s{number}") for number in range(4))]
    sources = "".join(f"            - secretRef: {{name: s{number}}}\n" for number in range(4))
    hook = job(pod=ACCOUNT, container=f"          envFrom:\n{sources}", **PRE)
    [finding] = find("WB203", hook, *(plain(kind, name) for kind, name in kinds))
    assert finding.level == "error"
    assert "and 1 more" in finding.because
    assert len(finding.related) == 8, "each with the field that names it, as far as they are shown"


def test_before_an_upgrade_only_what_is_new_is_missing(find: Find) -> None:
    account, hook = plain("ServiceAccount", "app"), job(pod=ACCOUNT, hook="pre-upgrade")
    assert not find("WB203", account, hook)
    assert not find("WB203", account, hook, before=(account,))
    assert find("WB203", account, hook, before=(plain("ConfigMap", "settings"),))


def test_what_the_chart_does_not_render_is_given(find: Find) -> None:
    assert not find("WB203", job(pod=ACCOUNT, **PRE))


def test_after_an_upgrade_what_it_dropped_is_missing(find: Find) -> None:
    account, hook = plain("ServiceAccount", "app"), job(pod=ACCOUNT, hook="post-upgrade")
    [finding] = find("WB203", hook, before=(account, hook))
    assert (finding.level, 'ServiceAccount "app", which it drops' in finding.title) == ("error", True)


def test_a_namespace_and_a_definition_are_needed_too(find: Find) -> None:
    elsewhere = job(**PRE).replace("  name: migrate\n", "  name: migrate\n  namespace: elsewhere\n", 1)
    [finding] = find("WB203", plain("Namespace", "elsewhere"), elsewhere)
    assert 'needs Namespace "elsewhere"' in finding.title
    definition = plain("CustomResourceDefinition", "ws.x.io", DEFINITION, "apiextensions.k8s.io/v1")
    [finding] = find("WB203", definition, plain("W", "one", "", "x.io/v1", **PRE))
    assert 'needs CustomResourceDefinition "ws.x.io"' in finding.title


def test_a_secret_to_pull_with_is_no_more_than_a_warning(find: Find) -> None:
    hook = job(pod="      imagePullSecrets: [{name: registry}]\n", **PRE)
    [finding] = find("WB203", hook, plain("Secret", "registry"))
    assert (finding.level, finding.confidence) == ("warning", "medium")


def test_an_object_of_another_event_is_no_help(find: Find) -> None:
    account = plain("ServiceAccount", "app", hook="pre-install", hook_delete_policy="hook-succeeded")
    [finding] = find("WB204", account, job(pod=ACCOUNT, hook="pre-upgrade"))
    assert finding.because == (
        'ServiceAccount "app" is made at pre-install and hook-succeeded deletes it, not at pre-upgrade'
    )


@pytest.mark.parametrize("policy", ["hook-succeeded", "hook-failed", "before-hook-create", "never", ""])
def test_without_before_hook_creation_it_is_an_error(policy: str, find: Find) -> None:
    [finding] = find("WB201", job(hook_delete_policy=policy, **PRE))
    assert finding.level == "error"


@pytest.mark.parametrize("annotations", [{}, {"hook_delete_policy": "before-hook-creation, hook-failed"}])
def test_with_it_there_is_nothing_to_say(annotations: dict[str, str], find: Find) -> None:
    assert not find("WB201", job(**annotations, **PRE))


def test_what_only_a_killed_client_leaves_is_a_warning_and_its_group_one_finding(find: Find) -> None:
    policy = {"hook_delete_policy": "hook-succeeded,hook-failed"}
    account = plain("ServiceAccount", "app", hook_weight="-1", **PRE, **policy)
    [finding] = find("WB201", account, job(pod=ACCOUNT, **PRE, **policy))
    assert finding.level == "warning"
    assert finding.location is not None
    assert finding.location.line > account.count("\n"), "the Job stands for the group"


def test_a_definition_as_a_hook_is_another_rule(find: Find) -> None:
    hook = plain(
        "CustomResourceDefinition",
        "ws.x.io",
        DEFINITION,
        "apiextensions.k8s.io/v1",
        hook_delete_policy="hook-succeeded",
        **PRE,
    )
    assert not find("WB201", hook)
    assert find("WB202", hook)


def test_where_the_job_changes_helm_4_fails_too(find: Find) -> None:
    old, new = (
        job(container=f"          args: [{way}]\n", hook_delete_policy="hook-failed", **PRE) for way in "ab"
    )
    [finding] = find("WB201", new, before=(old,))
    assert set(finding.tools) == set(TOOLS)


def test_that_nothing_runs_after_a_failure_is_told_once(find: Find) -> None:
    hook = job(hook_delete_policy="hook-succeeded", **PRE)
    assert find("WB201", hook)
    assert not find("WB212", hook)


def test_a_pre_delete_hook_is_safe_where_no_hook_of_the_install_can_fail(find: Find) -> None:
    account, cleanup = plain("ServiceAccount", "app"), job("cleanup", pod=ACCOUNT, hook="pre-delete")
    assert not find("WB206", account, cleanup)
    assert not find("WB206", account, cleanup, job(hook="post-install"))
    assert find("WB206", account, cleanup, job(hook="pre-install"))


def test_a_host_in_the_chart_is_a_warning_of_medium_confidence(find: Find) -> None:
    [finding] = find("WB207", plain("Service", "db", SERVICE), job(container=ASKS, **PRE))
    assert (finding.level, finding.confidence) == ("warning", "medium")


def test_a_host_that_is_no_store_and_in_no_command_is_a_note(find: Find) -> None:
    service = plain("Service", "db", SERVICE.replace("5432", "8080"))
    [finding] = find("WB207", service, job(container=ASKS, **PRE))
    assert finding.level == "note"


def test_a_service_that_is_a_hook_itself_or_was_there_before_is_not_late(find: Find) -> None:
    service = plain("Service", "db", SERVICE)
    assert not find("WB207", plain("Service", "db", SERVICE, **PRE), job(container=ASKS, **PRE))
    assert not find("WB207", service, job(container=ASKS, hook="pre-upgrade"), before=(service,))
    assert not find("WB207", service, job(container=ASKS, hook="post-install,pre-upgrade"))
    older = (plain("ConfigMap", "settings"),)
    assert find("WB207", service, job(container=ASKS, hook="pre-upgrade"), before=older)


def policy(rest: str, **annotations: str) -> str:
    return plain("NetworkPolicy", "policy", f"spec:\n{rest}", "networking.k8s.io/v1", **annotations)


LET_OUT = "  podSelector: {matchLabels: {app: migrate}}\n  policyTypes: [Egress]\n  egress: [{ports: [{port: 5432}]}]\n"


def test_a_policy_for_other_pods_too_is_a_note(find: Find) -> None:
    workload = """\
spec:
  selector: {matchLabels: {app: migrate}}
  template:
    metadata: {labels: {app: migrate}}
    spec: {containers: [{name: c, image: c}]}
"""
    [alone] = find("WB208", policy(LET_OUT), job(**PRE))
    [shared] = find("WB208", policy(LET_OUT), job(**PRE), plain("Deployment", "web", workload, "apps/v1"))
    assert (alone.level, shared.level) == ("warning", "note")


def test_a_policy_that_lets_nobody_out_or_is_for_others_is_not_missed(find: Find) -> None:
    nothing = "  podSelector: {matchLabels: {app: migrate}}\n  policyTypes: [Ingress]\n  ingress: [{}]\n"
    assert not find("WB208", policy(nothing), job(**PRE))
    assert not find("WB208", policy(LET_OUT), job(labels="other", **PRE))


def test_a_new_rule_of_an_old_policy_comes_too_late_for_an_upgrade(find: Find) -> None:
    wider = LET_OUT.replace("port: 5432", "port: 6432")
    hook = job(hook="pre-upgrade")
    assert find("WB208", policy(wider), hook, before=(policy(LET_OUT), hook))
    assert not find("WB208", policy(LET_OUT), hook, before=(policy(LET_OUT), hook))


def test_so_does_one_for_whom_the_hook_talks_to(find: Find) -> None:
    database = plain(
        "StatefulSet",
        "db",
        """\
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: c}]}
""",
        "apps/v1",
    )
    let_in = "  podSelector: {matchLabels: {app: db}}\n  ingress: [{from: [{podSelector: {matchLabels: {app: WHO}}}]}]\n"
    rest = (database, plain("Service", "db", SERVICE), job(container=ASKS, hook="pre-upgrade"))
    old, new = (policy(let_in.replace("WHO", who)) for who in ("web", "migrate"))
    assert find("WB208", new, *rest, before=(old, *rest))
    assert not find("WB208", new, *rest, before=(new, *rest))


CLASS = """\
spec: {secretObjects: [{secretName: credentials, type: Opaque}]}
"""


def test_a_secret_that_comes_with_the_pods_own_volume_is_not_late(find: Find) -> None:
    provider = plain("SecretProviderClass", "vault", CLASS, "secrets-store.csi.x-k8s.io/v1")
    asks = "          envFrom: [{secretRef: {name: credentials}}]\n"
    volume = """\
      volumes:
        - name: vault
          csi: {driver: secrets-store.csi.k8s.io, volumeAttributes: {secretProviderClass: vault}}
"""
    assert find("WB209", provider, job(container=asks, **PRE))
    assert not find("WB209", provider, job(container=asks, pod=volume, **PRE)), (
        "that it needs its class is WB203"
    )


def test_a_host_that_an_operator_makes_later_is_late_too(find: Find) -> None:
    cluster = plain("Cluster", "db", "spec: {instances: 1}\n", "postgresql.cnpg.io/v1")
    asks = "          env: [{name: DATABASE_HOST, value: db-rw}]\n"
    [finding] = find("WB209", cluster, job(container=asks, **PRE))
    assert 'Service "db-rw"' in finding.title


def test_what_a_hook_produces_early_enough_is_not_late(find: Find) -> None:
    secret = plain(
        "ExternalSecret", "credentials", "spec: {}\n", "external-secrets.io/v1", hook_weight="-1", **PRE
    )
    assert not find(
        "WB209", secret, job(container="          envFrom: [{secretRef: {name: credentials}}]\n", **PRE)
    )


@pytest.mark.parametrize(
    ("event", "level"),
    [("pre-instal", "error"), ("pre-install,", "error"), ("", "error"), ("crd-install", "warning")],
)
def test_how_bad_it_is_to_be_dropped(event: str, level: str, find: Find) -> None:
    [finding] = find("WB210", job(hook=event))
    assert finding.level == level
    assert finding.location is not None


def test_a_document_that_is_dropped_and_also_there_serves_two_versions_of_helm(find: Find) -> None:
    assert not find(
        "WB210", plain("ConfigMap", "settings", hook="crd-install"), plain("ConfigMap", "settings")
    )


def test_a_hook_that_repeats_its_annotation_for_its_pods_is_one(find: Find) -> None:
    template = "      annotations: {helm.sh/hook: pre-install}\n"
    misplaced = job().replace("    spec:\n      restart", f"{template}    spec:\n      restart")
    proper = job(**PRE).replace("    spec:\n      restart", f"{template}    spec:\n      restart")
    assert find("WB211", misplaced)
    assert not find("WB211", proper)


def test_a_label_makes_no_hook(find: Find) -> None:
    [finding] = find(
        "WB211", job().replace("name: migrate\n", "name: migrate\n  labels: {helm.sh/hook: test}\n", 1)
    )
    assert "metadata.labels" in finding.title


def test_a_pod_as_a_hook_is_a_warning_for_helm_4_unless_it_is_a_test(find: Find) -> None:
    pod = "spec: {restartPolicy: Never, containers: [{name: c, image: c}]}\n"
    [finding] = find("WB213", plain("Pod", "check", pod, **PRE))
    assert (finding.level, finding.tools) == ("warning", ("helm@4.3.1",))
    assert not find("WB213", plain("Pod", "check", pod, hook="test"))
