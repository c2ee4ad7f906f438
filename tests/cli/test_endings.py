"""How commands end: exit codes, errors a person can act on, crashes that leave a report and no traceback."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Watchbill
from watchbill.cli import run
from watchbill.errors import Found

CRASH = """
import sys
sys.argv = ["watchbill", {arguments}]
import watchbill.charts.chart
def broken(*args, **kwargs): raise ZeroDivisionError("engine room flooded")
watchbill.charts.chart.load = broken
from watchbill.__main__ import main
main()
"""


def crash(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = CRASH.format(arguments=", ".join(map(repr, arguments)))
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path)},
    )


def test_a_crash_says_one_line_and_keeps_the_traceback_in_a_file(tmp_path: Path) -> None:
    done = crash(tmp_path, "show", "x", "--set", "password=hunter2")
    assert done.returncode == 70
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert "report" in line
    [report] = (tmp_path / "watchbill").iterdir()
    assert str(report) in line
    assert "engine room flooded" in report.read_text()
    assert "hunter2" not in report.read_text()
    assert report.stat().st_mode & 0o077 == 0


def test_debug_shows_the_traceback_of_a_crash(tmp_path: Path) -> None:
    done = crash(tmp_path, "show", "x", "--debug")
    assert "Traceback" in done.stderr
    assert "engine room flooded" in done.stderr


def test_a_crash_is_reported_even_where_no_file_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "watchbill").write_text("a file where the folder should be")
    done = crash(tmp_path, "show", "x")
    assert done.returncode == 70
    assert len(done.stderr.splitlines()) == 1


def test_findings_are_exit_code_1_and_no_complaint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def found(*_: object, **__: object) -> None:
        raise Found

    monkeypatch.setattr("watchbill.charts.chart.load", found)
    assert run(["show", "x"]) == 1
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "what", "then"),
    [
        (["show"], "Missing argument 'CHART'", "run: watchbill show --help"),
        (["show", "x", "--colour"], "No such option", "run: watchbill show --help"),
        (["shwo"], "unknown command 'shwo'", "run: watchbill --help"),
        (["show", "x", "--timeout", "soon"], "'soon' is not a duration", "run: watchbill show --help"),
        (["show", "x", "--memory", "lots"], "'lots' is not a size", "run: watchbill show --help"),
        (["show", "x", "--timeout", "0s"], "not between 1s and 24h", "run: watchbill show --help"),
        (
            ["show", "x", "--timeout", "99999999999999h"],
            "not between 1s and 24h",
            "run: watchbill show --help",
        ),
        (["show", "x", "--memory", "1"], "not between 64Mi and 1024Gi", "run: watchbill show --help"),
        (["show", "x", "--memory", "99999999999999999999"], "not between 64Mi and 1024Gi", ""),
        (["show", "no/such/chart"], "no/such/chart: no such file or directory", "Chart.yaml"),
        (["show", "README.md"], "README.md", "Chart.yaml"),
        (["show", "b\udcffad"], "not valid UTF-8", ""),
        (["show", "examples/charts/orders", "--set", "a=\udcff"], "not valid UTF-8", ""),
        (["show", "examples/charts/orders", "--set", "a[b]=1"], "examples/charts/orders", "-f or --set"),
    ],
)
def test_bad_input_is_one_clear_error_and_exit_code_2(
    watchbill: Watchbill, arguments: list[str], what: str, then: str
) -> None:
    done = watchbill(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert what in done.stderr
    assert then in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("shell", "what"),
    [
        ("show examples/charts/orders -f - <&-", "stdin is closed"),
        (r"show examples/charts/orders -f - < <(printf '\xff\xfe: x')", "not valid UTF-8"),
        ("show examples/charts/orders > /dev/full", "the output cannot be written"),
    ],
)
def test_broken_pipes_and_disks_are_said(root: Path, shell: str, what: str) -> None:
    command = ["bash", "-c", f"{sys.executable} -m watchbill {shell}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, check=False)
    assert done.returncode == 2
    assert what in done.stderr
    assert len(done.stderr.splitlines()) <= 2


BILLING = "examples/charts/billing"


def in_a_shell(root: Path, shell: str, *, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `watchbill` with redirections; stdout and stderr that stay open are captured."""
    command = ["bash", "-c", f"{sys.executable} -m watchbill {shell}"]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd or root, check=False)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (f"check {BILLING}", 1),
        (f"matrix {BILLING}", 0),
        (f"compare helm@3.19 helm@4 {BILLING}", 0),
        ("explain WB101", 0),
        (f"show {BILLING}", 0),
        (f"rehearse {BILLING} install", 0),
        ("completion bash", 0),
        ("--help", 0),
        ("--version", 0),
        ("bogus", 2),
    ],
)
def test_closed_streams_are_as_if_nobody_reads(root: Path, command: str, code: int) -> None:
    usual = in_a_shell(root, command)
    assert usual.returncode == code
    without_errors = in_a_shell(root, f"{command} 2>&-")
    assert (without_errors.returncode, without_errors.stdout) == (code, usual.stdout)
    without_output = in_a_shell(root, f"{command} >&-")
    assert (without_output.returncode, without_output.stderr) == (code, usual.stderr)
    without_all = in_a_shell(root, f"{command} <&- >&- 2>&-")
    assert without_all.returncode == code


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", ["--help", "--version", "check --help", "explain WB101"])
def test_a_full_disk_is_an_error_of_the_user(
    root: Path, command: str, unbuffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    done = in_a_shell(root, f"{command} > /dev/full")
    assert done.returncode == 2
    assert done.stderr == "error: the output cannot be written: No space left on device\n"
    assert in_a_shell(root, f"{command} > /dev/full 2> /dev/full").returncode == 2


def test_an_error_that_cannot_be_written_keeps_its_exit_code(root: Path) -> None:
    assert in_a_shell(root, "bogus 2> /dev/full").returncode == 2


@pytest.mark.parametrize("command", ["check .", "matrix ."])
def test_a_deleted_working_directory_is_said(root: Path, tmp_path: Path, command: str) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    shell = f"cd {folder} && rmdir {folder} && {sys.executable} -m watchbill {command}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=root, check=False)
    assert done.returncode == 2
    assert done.stderr == "error: the current directory does not exist any more\n  cd to one that does\n"


@pytest.mark.parametrize("kilobytes", [60_000, 300_000])
def test_too_little_memory_for_the_engine_is_said(root: Path, kilobytes: int) -> None:
    shell = f"ulimit -v {kilobytes}; exec {sys.executable} -m watchbill show {BILLING}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=root, check=False)
    assert done.returncode == 2
    assert "too little memory" in done.stderr
    assert "ulimit -v" in done.stderr


def test_without_a_command_the_help_is_shown(watchbill: Watchbill) -> None:
    done = watchbill()
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: watchbill")


def test_a_reader_that_goes_away_is_no_crash(root: Path) -> None:
    command = f"{sys.executable} -m watchbill show examples/charts/orders -o json | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=root, check=True)
    assert done.stderr == ""


def on_a_terminal(root: Path, *arguments: str, **environment: str) -> str:
    """What the command prints where stdout is a terminal."""
    terminal, line = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "watchbill", "show", "examples/charts/billing", *arguments],
        stdout=line,
        stderr=line,
        cwd=root,
        env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", **environment},
    ):
        os.close(line)
        output = b""
        while True:
            try:
                data = os.read(terminal, 65536)
            except OSError:  # the other side is closed
                break
            if not data:
                break
            output += data
    os.close(terminal)
    return output.decode()


def test_colour_is_for_terminals_and_can_be_refused(root: Path, watchbill: Watchbill) -> None:
    assert "\x1b[" in on_a_terminal(root)
    assert "\x1b[" not in on_a_terminal(root, "--no-color")
    assert "\x1b[" not in on_a_terminal(root, NO_COLOR="1")
    assert "\x1b[" not in watchbill("show", "examples/charts/billing").stdout


def test_help_begins_with_examples(watchbill: Watchbill) -> None:
    done = watchbill("show", "--help")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "Examples:"
    assert done.stdout.count("\n  watchbill show ") == 3


def test_version(watchbill: Watchbill) -> None:
    assert watchbill("--version").stdout.startswith("watchbill 0.")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_complete_our_commands(watchbill: Watchbill, shell: str) -> None:
    script = watchbill("completion", shell)
    assert script.returncode == 0
    assert "_WATCHBILL_COMPLETE" in script.stdout
    words = {"COMP_WORDS": "watchbill sh", "COMP_CWORD": "1" if shell != "fish" else "sh"}
    answer = watchbill(env={"_WATCHBILL_COMPLETE": f"{shell}_complete", **words})
    assert "show" in answer.stdout
