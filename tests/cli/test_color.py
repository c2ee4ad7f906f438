"""Colours and links: who gets them."""

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.report.samples import PLAIN
from watchbill.checking.result import Location
from watchbill.cli.color import wants_color, wants_links
from watchbill.report.links import add_links
from watchbill.report.styles import unstyle

VARIABLES = (
    "NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE TERM CI SSH_CONNECTION TMUX STY TERM_PROGRAM VTE_VERSION WT_SESSION "
    "KITTY_WINDOW_ID KONSOLE_VERSION DOMTERM FORCE_HYPERLINK"
).split()


class Stream(io.StringIO):
    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def given(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", **environment}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("environment", "terminal", "colored"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"TERM": "dumb"}, True, False),
        ({"CLICOLOR": "0"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"CLICOLOR_FORCE": "1"}, False, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
    ],
)
def test_who_gets_colours(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], terminal: bool, colored: bool
) -> None:
    given(monkeypatch, environment)
    assert wants_color(Stream(terminal=terminal), off=False) is colored
    assert not wants_color(Stream(terminal=terminal), off=True)


@pytest.mark.parametrize(
    ("environment", "linked"),
    [
        ({}, False),
        ({"TERM_PROGRAM": "iTerm.app"}, True),
        ({"VTE_VERSION": "7600"}, True),
        ({"VTE_VERSION": "4205"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM_PROGRAM": "iTerm.app", "CI": "true"}, False),
        ({"TERM_PROGRAM": "iTerm.app", "TERM": "dumb"}, False),
        ({"TERM_PROGRAM": "iTerm.app", "SSH_CONNECTION": "1 2 3 4"}, False),
        ({"TERM_PROGRAM": "iTerm.app", "TERM": "tmux-256color"}, False),
        ({"FORCE_HYPERLINK": "1"}, True),
        ({"FORCE_HYPERLINK": "0", "TERM_PROGRAM": "iTerm.app"}, False),
    ],
)
def test_who_gets_links(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], linked: bool) -> None:
    given(monkeypatch, environment)
    assert wants_links(Stream(terminal=True), off=False) is linked
    assert not wants_links(Stream(terminal=True), off=True)
    assert not wants_links(Stream(terminal=False), off=False)


def test_links_lead_to_files_that_are_there_and_change_no_text(tmp_path: Path) -> None:
    file = tmp_path / "a b.yaml"
    file.write_text("")
    finding = replace(PLAIN, location=Location(str(file), 3), related=(Location("nowhere.yaml", 1),))
    text = f"error WB101  it fails\n  {file}:3   here\n  nowhere.yaml:1   there\n  {file}:31   other"
    linked = add_links(text, [finding], "host", lambda rule: f"/rules/{rule}.md")
    assert unstyle(linked) == text
    assert f"\x1b]8;;file://host{tmp_path}/a%20b.yaml\x1b\\{file}:3\x1b]8;;\x1b\\   here" in linked
    assert "\x1b]8;;file://host/rules/WB101.md\x1b\\WB101\x1b]8;;\x1b\\" in linked
    assert linked.count("\x1b]8;;file:") == 2


@pytest.mark.parametrize(
    ("environment", "escape"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm-256color", "NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_explain_on_a_real_terminal(root: Path, environment: dict[str, str], escape: bool) -> None:
    own = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "watchbill", "explain", "WB101"]
    with subprocess.Popen(command, stdout=theirs, cwd=root, env={**own, **environment}) as running:
        os.close(theirs)
        printed = b""
        while True:
            try:
                piece = os.read(ours, 1 << 16)
            except OSError:  # Linux ends a terminal so
                break
            if not piece:
                break
            printed += piece
    os.close(ours)
    assert running.returncode == 0
    assert (b"\x1b[" in printed) is escape
