"""What `watchbill check` says of charts and manifests, and how it ends."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Watchbill
from watchbill.cli import run

JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-migrate
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: app:{{ .Values.tag }}
"""
GOOD = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-migrate
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-delete-policy: before-hook-creation
    watchbill.dev/rollback: safe
spec:
  ttlSecondsAfterFinished: 86400
  backoffLimit: 0
  template:
    spec:
      activeDeadlineSeconds: 200
      restartPolicy: Never
      containers:
        - name: migrate
          image: app:{{ .Values.tag }}
"""


def chart(at: Path, files: dict[str, str], name: str = "app", extra: str = "") -> Path:
    files = {
        "Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: 1.0.0\n{extra}",
        "values.yaml": "tag: '1.0'\n",
    } | files
    for path, text in files.items():
        (at / path).parent.mkdir(parents=True, exist_ok=True)
        (at / path).write_text(text)
    return at


def findings(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return found


def rules(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [finding["rule"] for finding in findings(done)]


# --- one chart


def test_a_chart_that_is_right_takes_one_line(watchbill: Watchbill, tmp_path: Path) -> None:
    done = watchbill("check", str(chart(tmp_path / "app", {"templates/job.yaml": GOOD})))
    assert (done.returncode, done.stderr) == (0, "")
    assert "app 1.0.0" in done.stdout
    assert "fine: 1 Job" in done.stdout


def test_an_error_gives_exit_code_1_and_its_line(watchbill: Watchbill, tmp_path: Path) -> None:
    path = chart(tmp_path / "app", {"templates/job.yaml": JOB})
    done = watchbill("check", str(path))
    assert done.returncode == 1
    assert 'error WB101  the image upgrade fails: Job "app-migrate" cannot be changed in place' in done.stdout
    assert "    line 11: the image of container" in done.stdout
    assert "field is immutable" in " ".join(done.stdout.split()), "the server's own words"


@pytest.mark.parametrize(("fail_on", "expected"), [("error", 1), ("warning", 1), ("note", 1), ("never", 0)])
def test_what_fails_a_run_is_the_users_choice(
    watchbill: Watchbill, tmp_path: Path, fail_on: str, expected: int
) -> None:
    path = chart(tmp_path / "app", {"templates/job.yaml": JOB})
    assert watchbill("check", str(path), "--fail-on", fail_on).returncode == expected


def test_notes_alone_do_not_fail_a_run(watchbill: Watchbill, tmp_path: Path) -> None:
    text = GOOD.replace("      activeDeadlineSeconds: 200\n", "")
    path = str(chart(tmp_path / "app", {"templates/job.yaml": text}))
    assert watchbill("check", path).returncode == 0
    assert watchbill("check", path, "--fail-on", "note").returncode == 1


def test_the_same_input_gives_the_same_bytes(watchbill: Watchbill, tmp_path: Path) -> None:
    for number in range(3):
        chart(tmp_path / "charts" / f"c{number}", {"templates/job.yaml": JOB}, name=f"c{number}")
    outputs = {
        watchbill("check", str(tmp_path / "charts"), "-o", "json", env={"PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1


# --- this very upgrade


def test_an_upgrade_from_an_older_version(watchbill: Watchbill, tmp_path: Path) -> None:
    old = chart(tmp_path / "old", {"templates/job.yaml": JOB})
    new = chart(tmp_path / "new", {"templates/job.yaml": JOB, "values.yaml": "tag: '2.0'\n"})
    same = chart(tmp_path / "same", {"templates/job.yaml": JOB})
    assert "WB101" in rules(watchbill("check", str(new), "--from", str(old), "-o", "json"))
    assert "WB101" not in rules(watchbill("check", str(same), "--from", str(old), "-o", "json"))


def test_what_only_the_older_version_does_is_not_told(watchbill: Watchbill, tmp_path: Path) -> None:
    broken = GOOD.replace("before-hook-creation", "hook-succeeded")
    old = chart(tmp_path / "old", {"templates/job.yaml": broken})
    new = chart(tmp_path / "new", {"templates/job.yaml": GOOD})
    assert "WB201" in rules(watchbill("check", str(old), "-o", "json"))
    assert "WB201" not in rules(watchbill("check", str(new), "--from", str(old), "-o", "json"))


def test_manifests_from_stdin(watchbill: Watchbill, tmp_path: Path) -> None:
    text = JOB.replace("{{ .Release.Name }}", "r").replace("{{ .Values.tag }}", "1.0")
    (tmp_path / "old.yaml").write_text(text)
    done = watchbill(
        "check",
        "-m",
        "-",
        "--from",
        str(tmp_path / "old.yaml"),
        "-o",
        "json",
        given=text.replace("1.0", "2.0"),
    )
    [finding] = [one for one in findings(done) if one["rule"] == "WB101"]
    assert (finding["location"]["file"], finding["location"]["line"]) == ("stdin", 6)
    assert [place["line"] for place in finding["related"]] == [11], "the image"


# --- values, profiles, capabilities, lookup


def test_findings_of_values_profiles_are_merged(watchbill: Watchbill, tmp_path: Path) -> None:
    text = "{{- if .Values.migrate }}\n" + JOB + "{{- end }}\n"
    path = chart(
        tmp_path / "app",
        {
            "templates/job.yaml": text,
            "values.yaml": "tag: '1.0'\nmigrate: false\n",
            "ci/one-values.yaml": "migrate: true\n",
            "ci/two-values.yaml": "migrate: true\n",
        },
    )
    [finding] = [
        one for one in findings(watchbill("check", str(path), "-o", "json")) if one["rule"] == "WB101"
    ]
    assert [Path(profile).name for profile in finding["profiles"]] == ["one-values.yaml", "two-values.yaml"]


def test_a_chart_that_needs_values_is_not_checked(watchbill: Watchbill, tmp_path: Path) -> None:
    text = GOOD.replace(".Values.tag", 'required "tag is needed" .Values.release')
    path = str(chart(tmp_path / "app", {"templates/job.yaml": text}))
    done = watchbill("check", path)
    assert done.returncode == 2
    assert "tag is needed" in done.stdout + done.stderr
    assert watchbill("check", path, "--allow-unchecked").returncode == 0
    assert watchbill("check", path, "--set", "release=1").returncode == 0


def test_apis_that_templates_ask_for_are_tried_both_ways(watchbill: Watchbill, tmp_path: Path) -> None:
    text = '{{- if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" }}\n' + JOB + "{{- end }}\n"
    path = chart(tmp_path / "app", {"templates/job.yaml": text})
    assert "WB101" in rules(watchbill("check", str(path), "-o", "json"))


def test_lookup_finds_the_objects_that_are_given(watchbill: Watchbill, tmp_path: Path) -> None:
    text = '{{- if lookup "v1" "Secret" .Release.Namespace "there" }}\n' + JOB + "{{- end }}\n"
    path = str(chart(tmp_path / "app", {"templates/job.yaml": text}))
    given = tmp_path / "objects.yaml"
    given.write_text("apiVersion: v1\nkind: Secret\nmetadata: {name: there, namespace: default}\n")
    assert "WB101" not in rules(watchbill("check", path, "-o", "json"))
    assert "WB101" in rules(watchbill("check", path, "-o", "json", "--objects", str(given)))


def test_a_post_renderer_has_the_last_word(watchbill: Watchbill, tmp_path: Path) -> None:
    path = str(chart(tmp_path / "app", {"templates/job.yaml": JOB}))
    script = tmp_path / "drop.sh"
    script.write_text(
        "#!/bin/sh\ncat > /dev/null\nprintf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: x}\\n'\n"
    )
    script.chmod(0o755)
    done = watchbill("check", path, "--post-renderer", str(script))
    assert done.returncode == 0, done.stdout + done.stderr


# --- dependencies and shared defines


def test_a_finding_in_a_dependency_names_it_and_offers_values(watchbill: Watchbill, tmp_path: Path) -> None:
    path = chart(tmp_path / "app", {}, extra="dependencies: [{name: db, version: 1.0.0}]\n")
    text = "{{- if .Values.job.enabled }}\n" + JOB + "{{- end }}\n"
    chart(
        path / "charts" / "db",
        {"templates/job.yaml": text, "values.yaml": "tag: '1.0'\njob: {enabled: true}\n"},
        name="db",
    )
    [finding] = [
        one for one in findings(watchbill("check", str(path), "-o", "json")) if one["rule"] == "WB101"
    ]
    assert finding["dependency"] == "db 1.0.0"
    assert finding["override"] == "db.job.enabled: false"


@pytest.mark.parametrize(
    ("where", "entry", "file"),
    [
        ("app/charts/db", "alias: store", "app/charts/db/templates/job.yaml"),
        ("db", "repository: 'file://../db'", "db/templates/job.yaml"),
        ("db", "alias: store, repository: 'file://../db'", "db/templates/job.yaml"),
    ],
)
def test_a_finding_in_a_dependency_stands_in_a_file_that_is_there(
    watchbill: Watchbill, tmp_path: Path, where: str, entry: str, file: str
) -> None:
    """Helm knows it by its alias, and as if all dependencies were in charts/."""
    path = chart(tmp_path / "app", {}, extra=f"dependencies: [{{name: db, version: 1.0.0, {entry}}}]\n")
    ignore = "# watchbill: ignore long-name names are short here\n"
    chart(tmp_path / where, {"templates/job.yaml": ignore + JOB, "values.yaml": "tag: '1.0'\n"}, name="db")
    told = findings(watchbill("check", str(path), "-o", "json"))
    assert {one["location"]["file"] for one in told} == {str(tmp_path / file)}
    assert "WB104" not in {one["rule"] for one in told}


def test_jobs_of_one_define_are_one_finding(watchbill: Watchbill, tmp_path: Path) -> None:
    define = (
        '{{- define "job" -}}\n'
        + JOB.replace("migrate\nspec", "{{ .name }}\nspec")
        .replace("{{ .Release.Name }}", "{{ .top.Release.Name }}")
        .replace(".Values.tag", ".top.Values.tag")
        + "{{- end }}\n"
    )
    use = '{{ include "job" (dict "top" . "name" "one") }}\n---\n{{ include "job" (dict "top" . "name" "two") }}\n'
    path = chart(tmp_path / "app", {"templates/_job.tpl": define, "templates/jobs.yaml": use})
    [finding] = [
        one for one in findings(watchbill("check", str(path), "-o", "json")) if one["rule"] == "WB101"
    ]
    assert finding["objects"] == ["Job/app-one", "Job/app-two"]


def test_a_library_used_by_several_charts_is_one_finding(watchbill: Watchbill, tmp_path: Path) -> None:
    define = '{{- define "lib.job" -}}\n' + JOB + "{{- end }}\n"
    for name in ("one", "two"):
        path = chart(
            tmp_path / "charts" / name,
            {"templates/job.yaml": '{{ include "lib.job" . }}\n'},
            name=name,
            extra="dependencies: [{name: lib, version: 1.0.0}]\n",
        )
        chart(path / "charts" / "lib", {"templates/_job.tpl": define}, name="lib", extra="type: library\n")
    done = watchbill("check", str(tmp_path / "charts"), "-o", "json")
    [finding] = [one for one in findings(done) if one["rule"] == "WB101"]
    assert [Path(one).name for one in finding["charts"]] == ["one", "two"]


def test_a_library_that_lies_beside_several_charts_is_one_finding(
    watchbill: Watchbill, tmp_path: Path
) -> None:
    define = '{{- define "lib.job" -}}\n' + JOB + "{{- end }}\n"
    chart(tmp_path / "lib", {"templates/_job.tpl": define}, name="lib", extra="type: library\n")
    paths = [
        chart(
            tmp_path / name,
            {"templates/job.yaml": '{{ include "lib.job" . }}\n'},
            name=name,
            extra="dependencies: [{name: lib, version: 1.0.0, repository: 'file://../lib'}]\n",
        )
        for name in ("one", "two")
    ]
    done = watchbill("check", *map(str, paths), "-o", "json")
    [finding] = [one for one in findings(done) if one["rule"] == "WB101"]
    assert [Path(one).name for one in finding["charts"]] == ["one", "two"]


def test_a_library_chart_is_skipped_with_a_line(watchbill: Watchbill, tmp_path: Path) -> None:
    chart(tmp_path / "charts" / "lib", {"templates/_x.tpl": ""}, name="lib", extra="type: library\n")
    chart(tmp_path / "charts" / "app", {"templates/job.yaml": GOOD})
    done = watchbill("check", str(tmp_path / "charts"))
    assert done.returncode == 0
    assert "library" in done.stdout


# --- bad input: one clear error, and the others are still checked

BAD = {
    "broken YAML": {"templates/x.yaml": "a: [\n"},
    "a template error": {"templates/x.yaml": "{{ .Values.a.b.c }}\n"},
    "values that do not fit": {
        "values.schema.json": '{"type": "object", "properties": {"tag": {"type": "integer"}}}'
    },
    "a Chart.yaml that is none": {"Chart.yaml": "hello\n"},
    "values that are no map": {"values.yaml": "- a\n"},
    "a cyclic anchor": {"values.yaml": "a: &a\n  b: *a\n"},
    "anchors that explode": {
        "values.yaml": "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(8))
    },
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_fails_its_own_chart_only(watchbill: Watchbill, tmp_path: Path, kind: str) -> None:
    chart(tmp_path / "charts" / "bad", BAD[kind], name="bad")
    chart(tmp_path / "charts" / "good", {"templates/job.yaml": JOB}, name="good")
    done = watchbill("check", str(tmp_path / "charts"))
    assert done.returncode == 2, "2 beats 1"
    assert "WB101" in done.stdout, "the other chart is checked"
    assert "bad" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_names_of_64_kilobytes(watchbill: Watchbill, tmp_path: Path) -> None:
    path = chart(tmp_path / "app", {"templates/job.yaml": JOB.replace("-migrate", "-" + "m" * 65_536)})
    done = watchbill("check", str(path))
    assert done.returncode == 1
    assert max(map(len, done.stdout.splitlines())) < 300


def test_an_empty_directory(watchbill: Watchbill, tmp_path: Path) -> None:
    done = watchbill("check", str(tmp_path))
    assert done.returncode == 2
    assert "chart" in done.stdout + done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_chart_nobody_may_read(watchbill: Watchbill, tmp_path: Path) -> None:
    path = chart(tmp_path / "app", {"templates/job.yaml": GOOD})
    (path / "values.yaml").chmod(0)
    assert watchbill("check", str(path)).returncode == 2


@pytest.mark.parametrize("command", [("check",), ("matrix",), ("compare", "helm@3.19", "helm@4")])
def test_without_a_chart_the_current_directory_is_meant(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
) -> None:
    chart(tmp_path / "app", {"templates/job.yaml": GOOD})
    monkeypatch.chdir(tmp_path)
    run(list(command))
    said = capsys.readouterr().out
    run([*command, "."])
    assert said == capsys.readouterr().out
    assert "app" in said
