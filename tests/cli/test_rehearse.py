"""What `watchbill rehearse` says of moves, played over charts and over manifests."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Watchbill
from watchbill.cli import run

Complaint = Callable[..., str]

ORDERS, NEXT, BILLING = (f"examples/charts/{name}" for name in ("orders", "orders-1.5.0", "billing"))


def job(name: str, image: str = "a:1", metadata: str = "", spec: str = "", pod: str = "") -> str:
    return f"""---
apiVersion: batch/v1
kind: Job
metadata: {{name: {name}, {metadata}}}
spec:
  {spec or "backoffLimit: 1"}
  template:
    spec:
      restartPolicy: Never
      {pod or "hostNetwork: false"}
      containers: [{{name: main, image: "{image}"}}]
"""


def config(name: str, value: str = "1", metadata: str = "") -> str:
    return f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, {metadata}}}\ndata: {{x: '{value}'}}\n"


def account(name: str) -> str:
    return f"---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: {name}}}\n"


def hook(events: str, policy: str = "before-hook-creation") -> str:
    return f"annotations: {{helm.sh/hook: '{events}', helm.sh/hook-delete-policy: '{policy}'}}"


@pytest.fixture
def played(watchbill: Watchbill, tmp_path: Path) -> Any:
    """Plays moves over manifests; what is said of them, as text or as JSON."""

    def play(versions: list[str], *arguments: str) -> Any:
        files = []
        for number, text in enumerate(versions, 1):
            (tmp_path / f"v{number}.yaml").write_text(text)
            files += ["-m", str(tmp_path / f"v{number}.yaml")]
        done = watchbill("rehearse", *files, *arguments)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)["moves"] if "json" in arguments else done.stdout.splitlines()

    return play


@pytest.fixture
def complaint(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Complaint:
    """What is said of bad input, on stderr alone and without a traceback. In this process: there are many."""
    monkeypatch.chdir(root)

    def say(*arguments: str) -> str:
        assert run(["rehearse", *arguments]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert "Traceback" not in said.err
        return said.err

    return say


def rows(lines: list[str]) -> list[list[str]]:
    """Lines as cells: what two spaces or more hold apart."""
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines]


def test_each_move_says_whether_it_works_and_what_it_wrote(watchbill: Watchbill) -> None:
    done = watchbill("rehearse", ORDERS, NEXT, "install", "upgrade", "uninstall", "--tool", "helm@3.19")
    assert done.returncode == 1
    assert rows(done.stdout.splitlines()) == [
        ['helm 3.19.0, release "r" in namespace "default"'],
        ["1", "install", "works", "revision 1 deployed", ORDERS],
        ["create", "Deployment/r"],
        ["create", "Job/r-migrate", "ran, succeeded"],
        ["create", "CronJob/r-backup"],
        ["2", "upgrade", "fails", "revision 2 failed, 1 still deployed", NEXT],
        ["patch", "Deployment/r", "changed"],
        ["patch", "Job/r-migrate", "refused"],
        ["patch", "CronJob/r-backup", "changed"],
        ['Error: UPGRADE FAILED: cannot patch "r-migrate" with kind Job: Job.batch "r-migrate" is invalid:'],
        ["spec.template: Invalid value: …: field is immutable"],
        ["3", "uninstall", "works", "release is gone"],
        ["delete", "CronJob/r-backup"],
        ["delete", "Job/r-migrate"],
        ["delete", "Deployment/r"],
        ["left behind: nothing"],
    ]


def test_hooks_say_when_they_run_and_what_is_left_of_them(watchbill: Watchbill) -> None:
    done = watchbill("rehearse", BILLING, "install", "fail *-migrate", "upgrade", "uninstall")
    said = rows(done.stdout.splitlines())
    assert ["create", "Job/r-migrate", "hook pre-install, weight 0; ran, succeeded"] in said
    assert ["2", "fail *-migrate", "Job/r-migrate"] in said
    assert ["delete", "Job/r-migrate", "before-hook-creation"] in said
    assert [
        "create",
        "Job/r-migrate",
        "hook pre-upgrade, weight 0; ran, failed: BackoffLimitExceeded",
    ] in said
    assert said[-1] == ["left behind: Job/r-migrate, ServiceAccount/r-migrate"]


def test_json_has_one_entry_a_move(watchbill: Watchbill) -> None:
    done = watchbill(
        "rehearse", ORDERS, NEXT, "install", "wait 2h", "upgrade", "-o", "json", "--tool", "helm@3"
    )
    assert done.returncode == 1
    said = json.loads(done.stdout)
    objects = ["CronJob/default/r-backup", "Deployment/default/r", "Job/default/r-migrate"]
    writes = [
        "save release/1 pending-install",
        *(f"create {objects[i]}" for i in (1, 2, 0)),
        "save release/1 deployed",
    ]
    release = {"revision": 1, "status": "deployed"}
    assert said.keys() == {"schema", "tool", "moves"}
    assert (said["schema"], said["tool"]) == (1, "helm@3.19.0")
    install, wait, upgrade = said["moves"]
    assert install == {
        "move": "install",
        "ok": True,
        "error": "",
        "release": release,
        "ran": ["default/r-migrate"],
        "objects": objects,
        "writes": writes,
    }
    assert wait == {**install, "move": "wait 2h", "ran": [], "writes": []}
    assert not upgrade["ok"]
    assert upgrade["error"].startswith("Error: UPGRADE FAILED: cannot patch")
    assert upgrade["release"] == {"revision": 2, "status": "failed"}
    assert "patch Job/default/r-migrate refused" in upgrade["writes"]


def test_moves_that_all_work_are_exit_code_0(watchbill: Watchbill) -> None:
    assert watchbill("rehearse", ORDERS, "install", "upgrade", "uninstall").returncode == 0


def test_install_takes_the_first_version_each_upgrade_the_next_and_the_last_repeats(played: Any) -> None:
    versions = [config(name) for name in ("one", "two", "three")]
    moves = played(versions, *("upgrade --install", "upgrade", "upgrade", "upgrade", "install"), "-o", "json")
    assert [move["objects"] for move in moves[:4]] == [
        ["ConfigMap/default/one"],
        ["ConfigMap/default/two"],
        ["ConfigMap/default/three"],
        ["ConfigMap/default/three"],
    ]


def test_release_and_namespace_are_those_asked_for(watchbill: Watchbill) -> None:
    done = watchbill("rehearse", ORDERS, "install", "--release", "shop", "-n", "prod", "-o", "json")
    assert json.loads(done.stdout)["moves"][0]["ran"] == ["prod/shop-migrate"]


def test_values_are_given_as_for_helm(watchbill: Watchbill, tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text("replicas: wrong\n")
    text = watchbill("rehearse", ORDERS, "install", "-f", str(tmp_path / "values.yaml")).stdout
    assert "replicas" in text


@pytest.mark.parametrize(
    ("moves", "remark"),
    [
        (["install"], "ran, succeeded"),
        (["fail mi*", "install"], "ran, failed: BackoffLimitExceeded"),
        (["hang mi*", "install"], "still runs"),
        (["late mi*", "install"], "ran, succeeded late"),
    ],
)
def test_a_job_says_what_became_of_it(played: Any, moves: list[str], remark: str) -> None:
    assert ["create", "Job/migrate", remark] in rows(played([job("migrate")], *moves))


def test_a_suspended_job_does_not_run(played: Any) -> None:
    said = rows(played([job("migrate", spec="suspend: true")], "install"))
    assert ["create", "Job/migrate", "is suspended, does not run"] in said


def test_a_job_that_is_deleted_when_it_is_done_has_still_run(played: Any) -> None:
    version = job("migrate", metadata=hook("pre-install", "hook-succeeded"))
    said = rows(played([version], "install"))
    assert ["create", "Job/migrate", "hook pre-install, weight 0; ran, succeeded"] in said
    assert ["delete", "Job/migrate", "hook-succeeded"] in said


def test_a_job_says_what_it_waits_for(played: Any) -> None:
    waiting = job("migrate", metadata=hook("pre-install"), pod="serviceAccountName: worker")
    said = rows(played([waiting + account("worker")], "install"))
    assert ["create", "Job/migrate", "hook pre-install, weight 0; waits for ServiceAccount/worker"] in said


def test_what_no_version_brings_along_is_assumed_and_said(played: Any) -> None:
    version = job("migrate", pod="serviceAccountName: worker") + (
        "---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: elsewhere}\n"
    )
    assert played([version], "install")[-1] == (
        'assumed to be there: kind Widget (example.com), namespace "elsewhere", ServiceAccount/worker'
    )


def test_time_deletes_finished_jobs_and_ends_late_ones(played: Any) -> None:
    versions = [
        job("short", spec="ttlSecondsAfterFinished: 60") + job("long", spec="activeDeadlineSeconds: 600")
    ]
    said = rows(played(versions, "hang long", "install", "wait 1h"))
    assert ["gone", "Job/short", "its time to live is over"] in said
    assert ["then", "Job/long", "ran, failed: DeadlineExceeded"] in said


def test_what_people_do_by_hand_is_shown(played: Any) -> None:
    said = rows(
        played(
            [config("settings") + job("migrate")],
            "install",
            "edit configmap/settings data.x=two",
            "delete Job/migrate",
        )
    )
    assert said[-4:] == [
        ["2", "edit configmap/settings data.x=two"],
        ["change", "ConfigMap/settings"],
        ["3", "delete Job/migrate"],
        ["gone", "Job/migrate"],
    ]


def test_an_object_that_is_not_there_cannot_be_edited(watchbill: Watchbill) -> None:
    done = watchbill("rehearse", ORDERS, "install", "edit Deployment/x spec.replicas=2")
    assert done.returncode == 1
    assert "not found" in done.stdout


def test_many_plain_objects_are_told_by_number_and_all_of_them_with_v(played: Any) -> None:
    versions = [job("migrate") + "".join(config(f"c{n}", value) for n in range(9)) for value in "12"]
    said = rows(played(versions, "install", "upgrade"))
    assert ["create", "9 objects", "9 ConfigMap"] in said
    everything = rows(played(versions, "install", "upgrade", "-v"))
    assert ["create", "ConfigMap/c7"] in everything
    assert ["save", "release/2", "pending-upgrade"] in everything
    assert not any("release/" in cell for row in said for cell in row)


def test_writes_stay_in_their_order_where_they_are_few(played: Any) -> None:
    version = "".join(config(name, metadata=hook("pre-upgrade")) for name in "ab") + job("j")
    said = rows(played([version], "install", "upgrade", "upgrade"))
    assert [row[:2] for row in said[-5:-1]] == [
        ["delete", "ConfigMap/a"],
        ["create", "ConfigMap/a"],
        ["delete", "ConfigMap/b"],
        ["create", "ConfigMap/b"],
    ]


def test_what_an_uninstall_leaves_behind_is_said(played: Any) -> None:
    kept = config("kept", metadata="annotations: {helm.sh/resource-policy: keep}")
    lines = played([kept + job("migrate", metadata=hook("post-install"))], "install", "uninstall")
    assert lines[-1].strip() == "left behind: ConfigMap/kept (resource-policy: keep), Job/migrate"


def test_a_client_that_is_killed_leaves_what_it_wrote(played: Any) -> None:
    lines = rows(played([config("one") + config("two")], "kill 2 install", "upgrade"))
    assert lines[1:3] == [
        ["1", "kill 2 install", "is killed", "revision 1 pending-install"],
        ["create", "ConfigMap/one"],
    ]
    assert lines[3][:3] == ["2", "upgrade", "fails"]


def test_a_pattern_that_matches_nothing_is_said(played: Any) -> None:
    assert ["1", "fail migarte", "matches nothing that these versions run"] in rows(
        played([job("migrate")], "fail migarte", "install")
    )


def test_manifests_come_from_stdin_with_several_documents(root: Path) -> None:
    text = "# nothing\n---\n" + config("a") + job("b") + "---\n"
    command = [sys.executable, "-m", "watchbill", "rehearse", "-m", "-", "install", "-o", "json"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=root, check=True)
    assert json.loads(done.stdout)["moves"][0]["objects"] == ["ConfigMap/default/a", "Job/default/b"]


def test_names_of_strangers_are_no_commands_to_the_terminal(played: Any) -> None:
    said = "\n".join(played([config('"a\\e[31m"')], "install"))
    assert "\x1b" not in said
    assert r"ConfigMap/a\x1b[31m" in said


def test_a_chart_that_fails_for_upgrades_only_is_rehearsed(watchbill: Watchbill, tmp_path: Path) -> None:
    chart(tmp_path, '{{ if .Release.IsUpgrade }}{{ fail "no way back" }}{{ end }}')
    done = watchbill("rehearse", str(tmp_path), "install", "upgrade")
    assert done.returncode == 1
    assert rows(done.stdout.splitlines())[2][:3] == ["2", "upgrade", "fails"]
    assert "no way back" in done.stdout


def chart(folder: Path, template: str) -> None:
    (folder / "templates").mkdir()
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: c\nversion: 1.0.0\n")
    (folder / "templates" / "all.yaml").write_text(template)


def test_a_chart_that_never_renders_is_bad_input(watchbill: Watchbill, tmp_path: Path) -> None:
    chart(tmp_path, '{{ fail "never" }}')
    done = watchbill("rehearse", str(tmp_path), "install")
    assert done.returncode == 2
    assert "never" in done.stderr


def test_a_directory_called_like_a_move_is_named_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "install").mkdir()
    chart(tmp_path / "install", config("a"))
    command = [sys.executable, "-m", "watchbill", "rehearse"]
    bare, path = (
        subprocess.run(
            [*command, *words, "-o", "json"], capture_output=True, text=True, cwd=tmp_path, check=False
        )
        for words in (["install", "upgrade"], ["./install", "install"])
    )
    assert bare.returncode == 2
    assert "the directory of that name is written ./install" in bare.stderr
    assert json.loads(path.stdout)["moves"][0]["objects"] == ["ConfigMap/default/a"]


@pytest.mark.parametrize(
    ("arguments", "what", "then"),
    [
        ([], "no chart given", "versions come first, then moves"),
        (["install", "upgrade"], "no chart given", "-m FILE"),
        ([ORDERS], "no move given", f"watchbill rehearse {ORDERS} install upgrade"),
        (["-m", "README.md"], "no move given", "watchbill rehearse -m README.md install upgrade"),
        ([ORDERS, "instal", "upgrade"], "unknown move 'instal'", "did you mean 'install'?"),
        ([ORDERS, "install", "upgarde"], "unknown move 'upgarde'", "did you mean 'upgrade'?"),
        ([ORDERS, "install", "frobnicate it"], "unknown move 'frobnicate'", "moves are: install, upgrade"),
        ([ORDERS, "install", ""], "a move is empty", "moves are: install, upgrade"),
        (
            [ORDERS, "install", "helm upgrade --force"],
            "unknown move",
            'leave the tool out: "upgrade --force"',
        ),
        (
            [ORDERS, "install", NEXT, "upgrade"],
            "charts come before moves",
            f"rehearse {ORDERS} {NEXT} install upgrade",
        ),
        ([ORDERS, "install", "fail", "x-migrate"], "the move 'fail'", 'one argument: "fail x-migrate"'),
        ([ORDERS, "install", "rollback", "1"], "unknown move '1'", 'one argument: "rollback 1"'),
        ([ORDERS, "install", "kill", "2", "upgrade"], "the move 'kill'", 'one argument: "kill 2 upgrade"'),
        ([ORDERS, "install", "upgrade", "--force"], "--force is a flag of a move", '"upgrade --force"'),
        ([ORDERS, "install", "upgrade --forse"], "no flag --forse", "did you mean --force?"),
        ([ORDERS, "install", "wait soon"], "the move 'wait soon'", "wait 2h"),
        ([ORDERS, "install", "kill 2 wait 1h"], "kills nothing", "kill 3 upgrade"),
        ([ORDERS, "install", "upgrade --timeout 'a"], "cannot be read", ""),
        ([ORDERS, "install", "--tool", "kubectl"], "'install' is a move of helm", "apply, delete"),
        ([ORDERS, "apply"], "'apply' is a move of kubectl", "--tool kubectl"),
        ([ORDERS, "install", "--tool", "terraform"], "unknown tool 'terraform'", "helm, kubectl"),
        ([ORDERS, "install", "--tool", "hlem@4"], "unknown tool 'hlem@4'", "did you mean helm?"),
        ([ORDERS, "install", "--tool", "helm@9"], "newer than any", "helm@4.3.1"),
        ([ORDERS, "install", "--tool", "helm@2.17.0"], "older than any", "helm@3.16.4"),
        ([ORDERS, "install", "--tool", "helm@3.19.7"], "not among the versions", "helm@3.19.0"),
        ([ORDERS, "install", "--tool", "helm@latest"], "'latest' is not a version", "4.3.1"),
        ([ORDERS, "install", "--release", "R_1"], "'R_1' is not a valid release name", "lower-case letters"),
        ([ORDERS, "release R_1 install"], "'R_1' is not a valid release name", "lower-case letters"),
        (["no/such", "install"], "no/such: no such file or directory", "Chart.yaml"),
        (["nosuchchart", "install"], "nosuchchart: no such file or directory", "Chart.yaml"),
        (["README.md", "install"], "README.md", "Chart.yaml"),
        ([ORDERS, "install", "--set", "database=none"], "can't evaluate field host", "-f or --set"),
        (
            ["-m", "no/such.yaml", "install"],
            "no/such.yaml: the manifests cannot be read: No such file",
            "stdin",
        ),
        (["-m", ORDERS, "install"], "Is a directory", "name a file"),
        (["-m", "README.md", ORDERS, "install"], "charts and -m cannot be mixed", "helm template"),
        (["-m", "README.md", "instal"], "unknown move 'instal'", "did you mean 'install'?"),
        (
            ["-m", "README.md", "install", "--set", "a=b"],
            "values cannot be combined",
            "remove -f and --set",
        ),
        (["-m", "-", "-m", "-", "install"], "stdin can be read only once", "name a file"),
        ([ORDERS, "install", "--is-upgrade"], "No such option", "watchbill rehearse --help"),
    ],
)
def test_bad_input_is_one_clear_error_and_exit_code_2(
    complaint: Complaint, arguments: list[str], what: str, then: str
) -> None:
    said = complaint(*arguments)
    assert said.startswith("error: ")
    assert what in said
    assert then in said


@pytest.mark.parametrize(
    "text",
    [b"a: [", b"kind: ConfigMap\n\tx: 1", b"\xff\xfe", b"{{ .Values.x }}", b"- a\n- b\n", b"just words"],
)
def test_broken_manifests_are_named(complaint: Complaint, tmp_path: Path, text: bytes) -> None:
    (tmp_path / "broken.yaml").write_bytes(text)
    assert "broken.yaml" in complaint("-m", str(tmp_path / "broken.yaml"), "install")
