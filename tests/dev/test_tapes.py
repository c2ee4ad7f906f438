"""The recorder's parts that need no cluster: cases, charts, words, and who may play beside whom."""

import base64
import gzip
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from dev.tapes import case as cases
from dev.tapes import charts, corpus, library, moves, naming, play, protobuf, records, words
from dev.tapes.crowd import Crowd, Footprint
from dev.tapes.naming import Ref
from dev.tapes.proxy import Write, read_write
from dev.tapes.snapshot import World, finished, under_way

CASE = """\
-- case.yaml --
why: because
moves: [install, "fail *-migrate", upgrade]
tools: [helm@4.3.1, helm@3.19.0]
-- v1.yaml --
kind: ConfigMap
-- v2/Chart.yaml --
name: two
"""


# Moves


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("install", moves.Act("install", "install")),
        ("rollback 1 --wait", moves.Act("rollback 1 --wait", "rollback", ("1", "--wait"))),
        ("kill 3 upgrade", moves.Act("kill 3 upgrade", "upgrade", (), "", 3)),
        ("release b install", moves.Act("release b install", "install", (), "b")),
        ("release b kill 2 upgrade", moves.Act("release b kill 2 upgrade", "upgrade", (), "b", 2)),
        ("fail *-migrate", moves.Fates("fail *-migrate", "fail", "*-migrate")),
        ("wait 1h30m", moves.Wait("wait 1h30m", 5400)),
        ("delete Job/x", moves.Remove("delete Job/x", "Job", "x")),
        ("delete", moves.Act("delete", "delete")),
        ("delete --cascade=orphan", moves.Act("delete --cascade=orphan", "delete", ("--cascade=orphan",))),
    ],
)
def test_a_move_is_read(text: str, move: moves.Move) -> None:
    assert moves.parse(text) == move


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "a move is empty"),
        ("instal", "'instal' is no move"),
        ("fail", "needs exactly one word"),
        ("wait long", "'long' is no duration"),
        ("kill many upgrade", "'many' is no number of writes"),
        ("kill 3", "lacks the move"),
        ("edit Job/x spec", "is not `edit KIND/NAME PATH=VALUE`"),
        ("delete x", "'x' is not KIND/NAME"),
    ],
)
def test_what_is_no_move_is_refused_with_a_reason(text: str, complaint: str) -> None:
    with pytest.raises(moves.MoveError, match=complaint):
        moves.parse(text)


@pytest.mark.parametrize(
    ("text", "patch"),
    [
        ("edit ConfigMap/x data.text=mine", ("merge", {"data": {"text": "mine"}})),
        ("edit Deployment/x spec.replicas=3", ("merge", {"spec": {"replicas": 3}})),
        (r"edit Job/x metadata.labels.a\\.b/c=null", ("merge", {"metadata": {"labels": {"a.b/c": None}}})),
        (
            "edit Deployment/x spec.template.spec.containers.0.image=a:1",
            ("json", [{"op": "add", "path": "/spec/template/spec/containers/0/image", "value": "a:1"}]),
        ),
        (
            "edit Job/x metadata.finalizers.0=a/b",
            ("json", [{"op": "replace", "path": "/metadata/finalizers/0", "value": "a/b"}]),
        ),
    ],
)
def test_an_edit_is_the_patch_a_person_would_send(text: str, patch: tuple[str, Any]) -> None:
    move = moves.parse(text)

    assert isinstance(move, moves.Edit)
    assert play.edit_patch(move) == patch


# Charts and cases


def test_manifests_become_a_chart_that_renders_to_themselves() -> None:
    chart = charts.of_manifests("kind: ConfigMap\ndata: {a: '{{ x }}'}\n", "c", "2.0.0")

    assert chart.content == {
        "Chart.yaml": b"apiVersion: v2\nname: c\nversion: 2.0.0\n",
        # Helm splits at the dashes whatever stands behind them.
        "templates/manifests.yaml": b"---kind: ConfigMap\ndata: {a: '{{ \"{{\" }} x }}'}\n",
    }


def test_documents_stay_in_the_template_they_come_from() -> None:
    text = "---\n# Source: c/templates/b.yaml\nkind: B\n---\n# a note\n# Source: c/charts/sub/templates/a.yaml\nkind: A\n---\nkind: C # Source: c/no.yaml\n"
    chart = charts.of_manifests(text, "c", "1.0.0")

    assert sorted(chart.content) == [
        "Chart.yaml",
        "charts/sub/Chart.yaml",
        "charts/sub/templates/a.yaml",
        "templates/b.yaml",
        "templates/manifests.yaml",
    ]
    assert b"name: sub\n" in chart.content["charts/sub/Chart.yaml"]


def test_a_version_moves_to_another_namespace_with_the_lines_that_name_it() -> None:
    text = "metadata:\n  namespace: ns\nsubjects:\n- namespace: 'ns'\n  name: ns\nother:\n  namespace: nsx\n"
    placed = charts.of_manifests(text, "c", "1.0.0").placed("ns", "tape-1")

    assert placed.manifests == text.replace(" ns\nsub", " tape-1\nsub").replace("'ns'", "'tape-1'")
    assert placed.content["templates/manifests.yaml"].decode().endswith(placed.manifests)


def test_a_recording_is_made_with_short_deadlines_where_the_case_asks_for_them(tmp_path: Path) -> None:
    text = "spec:\n  activeDeadlineSeconds: 240\n  terminationGracePeriodSeconds: 30\n  backoffLimit: 240\n"
    path = tmp_path / "x.txtar"
    for deadline, expected in (
        ("deadline: 2\n", text.replace("Seconds: 240", "Seconds: 2").replace("30", "1")),
        ("", text),
    ):
        path.write_text(f"-- case.yaml --\nwhy: because\n{deadline}moves: [install]\n-- v1.yaml --\n{text}")
        case = cases.read(path)
        assert case.versions[0].manifests == text, "what is shown, and what the model plays"
        [version] = case.hurried().versions
        assert version.manifests == expected
        assert version.content["templates/manifests.yaml"].decode().endswith(expected)


def test_a_case_is_read_with_its_versions_in_order(tmp_path: Path) -> None:
    path = tmp_path / "group" / "name.txtar"
    path.parent.mkdir()
    path.write_text(CASE)
    case = cases.read(path)

    assert case.name == "group/name"
    assert [move.text for move in case.moves] == ["install", "fail *-migrate", "upgrade"]
    assert [sorted(version.content) for version in case.versions] == [
        ["Chart.yaml", "templates/manifests.yaml"],
        ["Chart.yaml"],
    ]


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (CASE.replace("why", "wy"), "unknown keys"),
        (CASE.replace("v2/", "v3/"), "versions must be"),
        (CASE.replace("v2/", "v1/"), "both manifests and a chart"),
        (CASE.replace("v2/Chart.yaml", "notes.txt"), "neither a version"),
        (CASE.replace("install", "instal"), "is no move"),
    ],
)
def test_a_file_that_is_no_case_is_refused_with_its_name(tmp_path: Path, wrong: str, complaint: str) -> None:
    path = tmp_path / "x.txtar"
    path.write_text(wrong)

    with pytest.raises(cases.CaseError, match=rf"x\.txtar: .*{complaint}"):
        cases.read(path)


def test_the_digest_follows_what_decides_the_truth_and_nothing_else(tmp_path: Path) -> None:
    def digest(text: str, tool: str = "helm@4.3.1") -> str:
        path = tmp_path / "x.txtar"
        path.write_text(text)
        return cases.read(path).digest(tool)

    before = digest(CASE)

    assert (
        digest(CASE.replace("because", "why not").replace("tools: [helm@4.3.1, helm", "tools: [helm"))
        == before
    )
    assert digest(CASE, "helm@3.19.0") != before
    assert digest(CASE.replace("fail *", "hang *")) != before
    assert digest(CASE.replace("ConfigMap", "Secret")) != before


def test_truth_is_written_behind_the_inputs_in_the_order_of_tools(tmp_path: Path) -> None:
    path = tmp_path / "x.txtar"
    path.write_text(CASE)
    new, old = {"tool": "helm@4.3.1", "moves": ["…"]}, {"tool": "helm@3.19.0", "moves": []}

    library.keep(library.Task(path, cases.read(path), "helm@3.19.0", None), old)
    library.keep(library.Task(path, cases.read(path), "helm@4.3.1", None), new)

    assert path.read_text() == (
        CASE
        + '-- truth.jsonl --\n{"tool": "helm@4.3.1", "moves": ["…"]}\n{"tool": "helm@3.19.0", "moves": []}\n'
    )
    assert cases.recorded(path) == {"helm@4.3.1": new, "helm@3.19.0": old}


def test_documents_name_objects_and_lists_name_their_items() -> None:
    text = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: a, namespace: b}}\n---\n: {\n---\nkind: Job\nmetadata: {generateName: x-}\n"

    assert list(naming.named_in(text)) == [Ref("v1", "Secret", "b", "a")]


# What the proxy understands


@pytest.mark.parametrize(
    ("method", "target", "kind", "words"),
    [
        (
            "POST",
            "/api/v1/namespaces/n/configmaps",
            "application/json",
            ("create", "", "configmaps", "n", "x"),
        ),
        ("PUT", "/api/v1/namespaces/n/secrets/x", "application/json", ("replace", "", "secrets", "n", "x")),
        (
            "DELETE",
            "/apis/batch/v1/namespaces/n/jobs/x",
            "application/json",
            ("delete", "batch", "jobs", "n", "x"),
        ),
        (
            "PATCH",
            "/apis/batch/v1/namespaces/n/jobs/x?force=true",
            "application/apply-patch+yaml",
            ("apply", "batch", "jobs", "n", "x"),
        ),
        (
            "PATCH",
            "/apis/apps/v1/namespaces/n/deployments/x",
            "application/strategic-merge-patch+json",
            ("patch", "apps", "deployments", "n", "x"),
        ),
        ("DELETE", "/api/v1/namespaces/x", "application/json", ("delete", "", "namespaces", "", "x")),
    ],
)
def test_a_request_that_changes_something_is_a_write(
    method: str, target: str, kind: str, words: tuple[str, ...]
) -> None:
    write = read_write(method, target, kind, b'{"metadata": {"name": "x"}}')

    assert write is not None
    assert (write.verb, write.group, write.resource, write.namespace, write.name) == words


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/api/v1/namespaces/n/configmaps/x"),
        ("PATCH", "/api/v1/namespaces/n/configmaps/x?dryRun=All&fieldManager=helm"),
        ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),
    ],
)
def test_what_changes_nothing_is_no_write(method: str, target: str) -> None:
    assert read_write(method, target, "application/json", b"{}") is None


def test_a_generated_name_is_told_by_its_beginning() -> None:
    write = read_write(
        "POST", "/api/v1/namespaces/n/pods", "application/json", b'{"metadata": {"generateName": "p-"}}'
    )

    assert write is not None
    assert write.name == "p-*"


def field(number: int, content: bytes) -> bytes:
    """A length-delimited protobuf field; lengths here stay below 128 or are two bytes long."""
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([size & 0x7F | 0x80, size >> 7])
    return bytes([number << 3 | 2]) + length + content


def test_a_release_record_is_read_from_its_binary_form() -> None:
    release = {"manifest": "kind: A", "hooks": [{"manifest": "kind: B"}]}
    packed = base64.b64encode(gzip.compress(json.dumps(release).encode()))
    label = field(11, field(1, b"status") + field(2, b"deployed"))
    metadata = field(1, field(1, b"sh.helm.release.v1.r.v2") + label) + bytes([3 << 3, 1])
    secret = metadata + field(2, field(1, b"release") + field(2, packed))
    body = protobuf.MAGIC + field(1, field(1, b"v1") + field(2, b"Secret")) + field(2, secret)

    read = protobuf.read_object(body)

    assert records.of_secret(read) == records.Record("r", 2, "deployed")
    assert records.manifests(read) == "kind: A\n---\nkind: B"


# Words


def test_an_error_is_what_the_tool_says_after_its_logs() -> None:
    stderr = (
        'time=2030-01-01T00:00:00.000Z level=WARN msg="unable"\n'
        "I1116 04:00:00.000000   123 warnings.go:110] deprecated\n"
        "WARNING: Kubernetes configuration file is group-readable\n"
        "Error: UPGRADE FAILED: first\n"
        "\t* second uid 01234567-89ab-cdef-0123-456789abcdef\n"
    )

    assert words.error(stderr, 1) == "Error: UPGRADE FAILED: first\n\t* second uid UID"
    assert words.error(stderr, 0) == ""


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ('spec: Invalid value: {"a":[1,"}"]}: immutable', "spec: Invalid value: …: immutable"),
        ("x: Invalid value: core.Spec{A:[]int{1}, B:map[string]string{}}: no", "x: Invalid value: …: no"),
        ('x: Invalid value: map[string]string{"a":"b"}: no', "x: Invalid value: …: no"),
        ('x: Invalid value: []string{"a\\"]"}: no', "x: Invalid value: …: no"),
        ('x: Invalid value: "Always": no', 'x: Invalid value: "Always": no'),
        ("x: Invalid value: 5: no", "x: Invalid value: 5: no"),
        (
            "[a: Invalid value: {}: p, b: Invalid value: [1]: q]",
            "[a: Invalid value: …: p, b: Invalid value: …: q]",
        ),
    ],
)
def test_dumped_values_are_left_out_and_plain_ones_stay(said: str, kept: str) -> None:
    assert words.normalise(said) == kept


def write(verb: str, resource: str, name: str, status: int = 200) -> Write:
    return Write(verb, "batch" if resource == "jobs" else "", resource, "ns", name, {}, status)


def test_neighbours_of_one_kind_are_sorted_and_records_are_not() -> None:
    log = [
        write("create", "secrets", "sh.helm.release.v1.r.v2"),
        write("create", "configmaps", "b"),
        write("create", "configmaps", "a"),
        write("create", "jobs", "z", 201),
        write("replace", "secrets", "sh.helm.release.v1.r.v2"),
        write("create", "jobs", "y", 201),
        write("create", "jobs", "x", 409),
        write("replace", "secrets", "sh.helm.release.v1.r.v1"),
        write("replace", "secrets", "sh.helm.release.v1.r.v2"),
    ]

    ordered = words.in_order(log)

    assert [
        made.name.removeprefix("sh.helm.release.v1.r.") for made in ordered
    ] == "v2 a b z v2 x y v1 v2".split()
    assert words.ran(ordered) == ["ns/z", "ns/y"]


# Rest


def job(**status: Any) -> dict[str, Any]:
    return {"spec": {}, "status": status}


def test_a_job_is_under_way_until_it_has_ended_unless_it_hangs_or_is_suspended() -> None:
    ended = job(
        conditions=[{"type": "Failed", "status": "True", "lastTransitionTime": "2030-01-01T00:00:00Z"}]
    )

    assert under_way(job(), "succeed")
    assert not under_way(job(), "hang")
    assert not under_way({**job(), "spec": {"suspend": True}}, "succeed")
    assert finished(ended)
    assert not under_way(ended, "fail")


def test_the_newest_word_about_a_job_counts_and_words_it_covers_are_forgotten() -> None:
    world = World(api=None, catalog=None, namespace="ns")  # type: ignore[arg-type]
    for pattern, fate in (
        ("*", "hang"),
        ("a*", "late"),
        ("Deployment/web", "hang"),
        ("ab", "fail"),
        ("a*", "fail"),
    ):
        world.decree(pattern, fate)

    assert [world.fate(name) for name in ("ab", "ac", "b")] == ["fail", "fail", "hang"]

    world.decree("*", "succeed")

    assert world.fates == [("*", "succeed"), ("Deployment/web", "hang")]


def test_a_job_whose_time_to_live_is_over_is_about_to_go() -> None:
    ended = job(
        conditions=[{"type": "Complete", "status": "True", "lastTransitionTime": "2020-01-01T00:00:00Z"}]
    )

    assert under_way({**ended, "spec": {"ttlSecondsAfterFinished": 60}}, "succeed")
    assert not under_way({**ended, "spec": {"ttlSecondsAfterFinished": 10**9}}, "succeed")


# Side by side


def footprint(*refs: Ref) -> Footprint:
    return Footprint.of(refs, lambda ref: not ref.kind.startswith(("Cluster", "Custom")), "ns")


def test_only_what_is_outside_the_own_namespace_keeps_plays_apart() -> None:
    inside = footprint(Ref("v1", "Secret", "", "a"), Ref("v1", "Secret", "ns", "b"))
    role = footprint(Ref("v1", "ClusterRole", "", "a"))
    other_role = footprint(Ref("v1", "ClusterRole", "", "b"))
    elsewhere = footprint(Ref("v1", "Secret", "kube-system", "a"))
    definition = footprint(Ref("v1", "CustomResourceDefinition", "", "a"))

    assert not inside.meets(inside)
    assert role.meets(role)
    assert not role.meets(other_role)
    assert not role.meets(elsewhere)
    assert elsewhere.meets(elsewhere)
    assert definition.meets(inside)


def test_plays_that_meet_are_never_under_way_together() -> None:
    role = footprint(Ref("v1", "ClusterRole", "", "a"))
    alone = footprint(Ref("v1", "CustomResourceDefinition", "", "a"))
    lock, busy, seen = threading.Lock(), set[str](), list[frozenset[str]]()

    def work(name: str) -> None:
        with lock:
            busy.add(name)
            seen.append(frozenset(busy))
        threading.Event().wait(0.005)
        with lock:
            busy.remove(name)

    tasks = (
        [(role, f"r{n}") for n in range(5)] + [(alone, "alone")] + [(footprint(), f"f{n}") for n in range(5)]
    )
    Crowd(tasks, work, 4).run()

    assert sum(len(group) == 1 or "alone" not in group for group in seen) == len(seen) == len(tasks)
    assert all(sum(name.startswith("r") for name in group) <= 1 for group in seen)


def test_what_goes_wrong_in_a_play_is_raised_and_ends_the_others() -> None:
    def work(number: int) -> None:
        done.append(number)
        raise ValueError(number)

    done: list[int] = []
    with pytest.raises(ValueError, match="0"):
        Crowd([(footprint(), number) for number in range(9)], work, 1).run()
    assert done == [0]


# The corpus


def test_a_pair_becomes_a_case_with_documents_where_they_come_from() -> None:
    def side(image: str) -> list[dict[str, Any]]:
        return [
            {"source": "orders/templates/job.yaml", "yaml": f"kind: Job\nimage: {image}\n"},
            {"source": None, "yaml": "kind: Secret"},
        ]

    pair = {
        "pair": "p",
        "release": "rel",
        "namespace": "default",
        "old": {"install": side("a")},
        "new": {"upgrade": side("b")},
    }
    case = corpus.case(pair, corpus.VARIANTS["plain"]("helm@4.3.1"))

    assert (
        case.versions[1].manifests
        == "---\n# Source: orders/templates/job.yaml\nkind: Job\nimage: b\n---\nkind: Secret\n"
    )
    assert case.versions[0].content["Chart.yaml"] == b"apiVersion: v2\nname: orders\nversion: 1.0.0\n"
    assert [move.text for move in case.moves] == ["install", "upgrade", "uninstall"]


def test_what_pods_need_and_no_version_brings_along_is_given() -> None:
    job = """kind: Job
spec:
  template:
    spec:
      serviceAccountName: runner
      containers:
      - envFrom: [{secretRef: {name: theirs}}, {secretRef: {name: ours}}, {configMapRef: {name: may-lack, optional: true}}]
"""
    cron = "kind: CronJob\nspec: {jobTemplate: {spec: {template: {spec: {serviceAccountName: default, containers: [], volumes: [{persistentVolumeClaim: {claimName: disk}}]}}}}}\n"
    ours = "kind: Secret\nmetadata: {name: ours, namespace: default}\n"

    assert corpus.given([f"{job}---\n{cron}", ours], "default") == (
        Ref("v1", "PersistentVolumeClaim", "", "disk"),
        Ref("v1", "Secret", "", "theirs"),
        Ref("v1", "ServiceAccount", "", "runner"),
    )


def test_webhooks_of_a_real_chart_are_told_to_look_at_nothing() -> None:
    hook = "kind: ValidatingWebhookConfiguration\nmetadata:\n  name: x\nwebhooks:\n- name: a.b\n  objectSelector: {}\n"

    [ref] = naming.named_in(text := corpus.manifests([{"source": None, "yaml": hook}]))

    assert ref.name == "x"
    assert text.endswith("objectSelector:\n    matchLabels:\n      watchbill.dev/stand-in: never\n")


def test_a_stand_in_serves_every_version_and_stores_one() -> None:
    body = corpus.stand_in("example.com", "Policy", ["v1", "v1beta1"])

    assert body["metadata"]["name"] == "policies.example.com"
    assert [(v["name"], v["served"], v["storage"]) for v in body["spec"]["versions"]] == [
        ("v1", True, False),
        ("v1beta1", True, True),
    ]
    assert [corpus.plural_of(word) for word in ("gateway", "ingress", "box", "job")] == [
        "gateways",
        "ingresses",
        "boxes",
        "jobs",
    ]
