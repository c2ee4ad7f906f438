"""`--timeout` bounds the whole check of a chart, and a run tells how far it is."""

import json
import os
import pty
import subprocess
import sys

import pytest

from watchbill import ticking
from watchbill.checking import findings
from watchbill.cli import run

CHART = "examples/charts/orders"


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time be up once the first tool was played: a chart that takes long enough on every machine."""
    listen, seen = findings.listen, list[object]()

    def late(*arguments: object) -> object:
        if seen:
            raise ticking.OutOfTime
        seen.append(arguments)
        yield from listen(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(findings, "listen", late)


@pytest.mark.usefixtures("slow")
def test_what_was_found_until_then_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", CHART]) == 2
    told = capsys.readouterr().out
    assert "error WB101" in told
    assert f"incomplete  {CHART}: the check took longer than 300 s and was stopped" in told
    assert told.rstrip().splitlines()[-2].endswith("in 1 chart; 1 chart incomplete")


@pytest.mark.usefixtures("slow")
def test_machine_formats_say_so_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", CHART, "-o", "json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert told["findings"]
    assert "stopped" in told["charts"][0]["problem"]["what"]


def test_time_is_up_in_the_middle_of_anything() -> None:
    with pytest.raises(ticking.OutOfTime), ticking.limit(0.0):
        _work_without_end()


def test_a_terminal_shows_what_is_at_work() -> None:
    """A template that never ends takes longer than two seconds on every machine."""
    primary, secondary = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "watchbill", "check", "tests/cli/endless", "--timeout", "4s"],
        stdout=subprocess.DEVNULL,
        stderr=secondary,
    )
    os.close(secondary)
    told = b""
    while chunk := _read(primary):
        told += chunk
    assert process.wait() == 2
    assert b"tests/cli/endless" in told.replace(b"\r", b"")


def _work_without_end() -> None:
    while True:
        pass


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # how Linux says that nobody writes any more
        return b""
