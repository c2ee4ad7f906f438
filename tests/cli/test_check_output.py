"""Formats, files, `--quiet`, `--select` and `--ignore` of `watchbill check`, as users meet them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_check import GOOD, JOB, chart, rules
from tests.conftest import Watchbill

SEED = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-seed
  annotations:
    helm.sh/hook: post-install
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: seed
          image: app:1.0
"""


@pytest.fixture
def bad(tmp_path: Path) -> str:
    """A chart with an error (WB101) and notes."""
    return str(chart(tmp_path / "app", {"templates/job.yaml": JOB, "templates/seed.yaml": SEED}))


def test_concise_is_a_line_for_each_finding_and_a_summary(watchbill: Watchbill, bad: str) -> None:
    done = watchbill("check", bad, "-o", "concise")
    *lines, summary = done.stdout.splitlines()
    assert done.returncode == 1
    assert lines[0].startswith(f"{bad}/templates/job.yaml:")
    assert ": WB101 the " in lines[0]
    assert summary.startswith("1 error")
    quiet = watchbill("check", bad, "-o", "concise", "--quiet")
    assert quiet.stdout.splitlines() == lines


def test_quiet_prints_findings_and_what_was_not_checked(
    watchbill: Watchbill, bad: str, tmp_path: Path
) -> None:
    good = str(chart(tmp_path / "good", {"templates/job.yaml": GOOD}, "good"))
    assert watchbill("check", good, "-q").stdout == ""
    done = watchbill("check", bad, good, str(tmp_path / "nowhere"), "-q")
    assert done.returncode == 2
    assert done.stdout.startswith("error WB101")
    assert "not checked" in done.stdout
    for word in ("fine", "assumed", "in 1 of 2 charts"):
        assert word not in done.stdout


def test_quiet_and_verbose_exclude_each_other(watchbill: Watchbill, bad: str) -> None:
    done = watchbill("check", bad, "-q", "-v")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--quiet and --verbose exclude each other" in done.stderr


def test_several_formats_in_one_run(watchbill: Watchbill, bad: str, tmp_path: Path) -> None:
    sarif, quality = tmp_path / "report.sarif", tmp_path / "quality.json"
    done = watchbill("check", bad, "-o", "concise", "-o", f"sarif={sarif}", "-o", f"gitlab={quality}")
    assert ": WB101 " in done.stdout
    assert json.loads(sarif.read_text())["version"] == "2.1.0"
    assert json.loads(quality.read_text())[0]["check_name"] == "WB101"


def test_a_report_in_a_file_leaves_one_line_on_stdout(watchbill: Watchbill, bad: str, tmp_path: Path) -> None:
    file = tmp_path / "report.txt"
    done = watchbill("check", bad, "--output-file", str(file), env={"FORCE_COLOR": "1"})
    assert done.stdout.startswith("1 error")
    assert done.stdout.endswith(f"written to {file}\n")
    assert "error WB101" in file.read_text()
    assert "\x1b" not in file.read_text()
    assert watchbill("check", bad, "-q", "--output-file", str(file)).stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "text", "-o", "json"), "only one report can go to stdout, not text and json"),
        (("-o", "json={0}/a", "-o", "sarif={0}/./a"), "two reports would go to"),
        (("-o", "json={0}/no/a.json"), "there is no folder"),
        (("-o", "json={0}/a", "--output-file", "{0}/b"), "--output-file is for a single report"),
        (("-o", "json="), "names no file"),
        (("-o", "jsonn"), "'jsonn' is not one of"),
        (("--select", "WB9"), "unknown rule 'WB9'"),
        (("--ignore", "WB3O2"), "did you mean 'WB302'?"),
        (("--select", "WB101,"), "has an empty entry"),
    ],
)
def test_a_mistake_is_said_before_anything_is_checked(
    watchbill: Watchbill, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = watchbill("check", str(tmp_path / "nowhere"), *(text.format(tmp_path) for text in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_exit_code_2(watchbill: Watchbill, bad: str) -> None:
    done = watchbill("check", bad, "-o", f"json={Path(bad).parent}")
    assert done.returncode == 2
    assert "the report cannot be written to" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "kept", "gone"),
    [
        (("--select", "WB101"), {"WB101"}, {"WB302"}),
        (("--select", "immutable-job"), {"WB101"}, {"WB302"}),
        (("--select", "wb3"), {"WB302"}, {"WB101"}),
        (("--select", "WB1,WB3", "--ignore", "WB302"), {"WB101"}, {"WB302"}),
        (("--select", "WB302", "--ignore", "WB3"), {"WB302"}, {"WB101"}),
        (("--ignore", "WB101"), {"WB302"}, {"WB101"}),
        (("--ignore", "WB1", "--ignore", "WB302"), set(), {"WB101", "WB302"}),
    ],
)
def test_rules_are_chosen_on_the_command_line(
    watchbill: Watchbill, bad: str, arguments: tuple[str, ...], kept: set[str], gone: set[str]
) -> None:
    done = watchbill("check", bad, "-o", "json", *arguments)
    reported = set(rules(done))
    assert kept <= reported
    assert not gone & reported
    assert done.returncode == ("WB101" in kept)
    reasons = {
        one["finding"]["rule"]: one["reason"] for one in json.loads(done.stdout)["charts"][0]["ignored"]
    }
    assert gone <= set(reasons)


def test_an_ignore_for_a_rule_that_is_not_selected_is_still_of_use(
    watchbill: Watchbill, bad: str, tmp_path: Path
) -> None:
    (tmp_path / ".watchbill.yaml").write_text("ignores: [{rule: WB302, reason: fine with us}]\n")
    done = watchbill("check", bad, "-o", "json", "--select", "WB101")
    assert json.loads(done.stdout)["unknownIgnores"] == []


def test_writing_a_baseline_says_how_much_it_accepts_and_succeeds(
    watchbill: Watchbill, bad: str, tmp_path: Path
) -> None:
    file = tmp_path / "baseline.json"
    done = watchbill("check", bad, "--write-baseline", str(file))
    number = len(json.loads(file.read_text())["findings"])
    assert number > 1
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"wrote {number} findings to {file}\n"


def test_writing_a_baseline_shows_what_was_not_checked(
    watchbill: Watchbill, bad: str, tmp_path: Path
) -> None:
    done = watchbill("check", bad, str(tmp_path / "nowhere"), "--write-baseline", str(tmp_path / "b.json"))
    assert done.returncode == 2
    assert done.stdout.startswith("not checked")
    assert "WB101" not in done.stdout


def test_since_with_nothing_changed_says_so(watchbill: Watchbill, bad: str, tmp_path: Path) -> None:
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "chart"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *identity, *command], cwd=tmp_path, check=True)
    done = watchbill("check", bad, "--since", "main")
    assert (done.returncode, done.stdout) == (0, "no chart changed since main\n")
    compared = watchbill("compare", "helm@3.19", "helm@4", bad, "--since", "main")
    assert compared.stdout == "no chart changed since main\n"


def test_formats_are_completed(watchbill: Watchbill) -> None:
    words = {"COMP_WORDS": "watchbill check -o git", "COMP_CWORD": "3"}
    done = watchbill(env={"_WATCHBILL_COMPLETE": "bash_complete", **words})
    assert [line.partition(",")[2] for line in done.stdout.splitlines()] == ["github", "gitlab"]


def test_a_page_has_findings_what_each_job_does_and_the_rules(
    watchbill: Watchbill, bad: str, tmp_path: Path
) -> None:
    file = tmp_path / "report.html"
    done = watchbill("check", bad, "-o", f"html={file}")
    page = file.read_text()
    assert done.returncode == 1
    assert "cannot be changed in place" in page
    assert "What each Job of app 1.0.0 does" in page
    assert "FAILS immutable" in page
    assert "Live with it today" in page


def test_several_charts_have_their_matrices_in_one_page(
    watchbill: Watchbill, bad: str, tmp_path: Path
) -> None:
    good = str(chart(tmp_path / "good", {"templates/job.yaml": GOOD}, "good"))
    page = watchbill("check", bad, good, str(tmp_path / "nowhere"), "-o", "html").stdout
    assert [name in page for name in ("Job of app 1.0.0", "Job of good 1.0.0", "Not checked")] == [True] * 3


def test_matrix_and_compare_write_files_too(watchbill: Watchbill, bad: str, tmp_path: Path) -> None:
    page, table, told = tmp_path / "page.html", tmp_path / "table.md", tmp_path / "told.json"
    done = watchbill("matrix", bad, "--tool", "helm@4", "-o", f"html={page}", "-o", f"markdown={table}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "FAILS immutable" in page.read_text()
    assert "FAILS immutable" in table.read_text()
    watchbill("compare", "helm@3.19", "helm@4", bad, "-o", "json", "--output-file", str(told))
    assert json.loads(told.read_text())["schema"] == 1


@pytest.mark.parametrize("named", [(), (".",), ("./",), ("./app",)])
def test_paths_do_not_begin_with_a_dot(bad: str, tmp_path: Path, named: tuple[str, ...]) -> None:
    here = Path(bad) if named == ("./",) else tmp_path
    done = subprocess.run(
        [sys.executable, "-m", "watchbill", "check", *named, "-o", "concise", "--quiet"],
        capture_output=True,
        text=True,
        cwd=here,
        check=False,
    )
    places = {line.split(":")[0] for line in done.stdout.splitlines()}
    assert places == {
        str(Path(bad, "templates", name).relative_to(here)) for name in ("job.yaml", "seed.yaml")
    }
