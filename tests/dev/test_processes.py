"""Processes are found again by mark and by pid file, and nobody else's is ever taken for ours."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.cluster import processes
from dev.cluster.errors import ClusterError
from dev.cluster.layout import Layout
from dev.cluster.progress import wait_until


@pytest.fixture
def layout(tmp_path: Path) -> Iterator[Layout]:
    layout = Layout("control", tmp_path / "instance", 0)
    yield layout
    processes.kill_marked(layout.root)


def start(layout: Layout, *argv: str) -> int:
    processes.start(layout, "sleeper", argv or ["sleep", "1000"])
    pid = processes.running(layout, "sleeper")
    assert pid is not None
    return pid


@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")
class TestDaemon:
    def test_it_runs_in_a_session_of_its_own_and_logs_to_its_file(self, layout: Layout) -> None:
        pid = start(layout, "sh", "-c", "echo here; exec sleep 1000")

        assert os.getsid(pid) == pid
        log = layout.logs / "sleeper.log"
        assert wait_until(lambda: log.read_text() == "here\n", 60)

    def test_a_killed_one_is_not_running_though_nobody_has_waited_for_it(self, layout: Layout) -> None:
        pid = start(layout)
        os.kill(pid, signal.SIGKILL)

        assert wait_until(lambda: processes.running(layout, "sleeper") is None, 60)
        assert wait_until(lambda: Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z", 60), (
            "this process is its parent"
        )

    def test_a_pid_that_the_kernel_gave_to_another_process_is_not_ours(self, layout: Layout) -> None:
        pid = start(layout)
        file = layout.run / "sleeper.pid"
        _, started = file.read_text().split()
        file.write_text(f"{pid} {int(started) - 1}")

        assert processes.running(layout, "sleeper") is None

    def test_children_of_children_are_found_and_killed(self, layout: Layout) -> None:
        start(layout, "sh", "-c", "setsid sleep 1000 & setsid sleep 1000 & wait")
        assert wait_until(lambda: len(list(processes.marked(layout.root))) == 3, 60)

        assert processes.kill_marked(layout.root) == 3

        assert list(processes.marked(layout.root)) == []
        assert processes.kill_marked(layout.root) == 0

    def test_an_instance_whose_name_begins_the_same_is_left_alone(self, layout: Layout) -> None:
        other = Layout("control", layout.root.with_name("instance-2"), 0)
        pid = start(other)

        assert processes.kill_marked(layout.root) == 0

        assert processes.running(other, "sleeper") == pid
        assert processes.kill_marked(other.root) == 1


@pytest.mark.parametrize("content", ["", "nonsense", "1", "0 0", "999999999 5"])
def test_a_pid_file_without_sense_means_not_running(layout: Layout, content: str) -> None:
    layout.run.mkdir(parents=True)
    (layout.run / "sleeper.pid").write_text(content)

    assert processes.running(layout, "sleeper") is None


def test_a_short_command_that_fails_says_why() -> None:
    with pytest.raises(ClusterError, match=r"(?s)failed with 3:\nit broke"):
        processes.quick(["sh", "-c", "echo it broke >&2; exit 3"])


def test_a_long_command_that_fails_shows_its_last_lines() -> None:
    with pytest.raises(ClusterError, match="counting failed") as caught:
        processes.patient("counting", ["sh", "-c", "for i in $(seq 40); do echo $i; done; exit 1"])

    assert caught.value.what.splitlines()[1:] == [str(number) for number in range(11, 41)]


def test_a_long_command_tells_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(processes, "TELL_EVERY", 0.1)

    processes.patient(
        "building", ["sh", "-c", "echo package a; sleep 0.3; echo package b; sleep 0.3; echo end"]
    )

    told = capsys.readouterr().err
    assert re.search(r"building: \d+ s, 2 steps, last: package b", told)
    assert re.search(r"building: \d+ s, 3 steps, last: end", told)


def test_the_mark_is_seen_by_another_process(layout: Layout) -> None:
    environment = {**os.environ, processes.MARK: processes.mark(layout.root)}
    with subprocess.Popen(["sleep", "1000"], env=environment) as sleeper:
        try:
            assert wait_until(lambda: list(processes.marked(layout.root)) == [sleeper.pid], 60)
            assert str(layout.root) in processes.instances()
        finally:
            sleeper.kill()


def test_the_same_path_below_another_root_is_another_instance(layout: Layout) -> None:
    """A container with a cluster in the same place is not ours to end."""
    elsewhere = {**os.environ, processes.MARK: f"1:1:{layout.root}"}
    with subprocess.Popen(["sleep", "1000"], env=elsewhere) as sleeper:
        try:
            assert wait_until(lambda: str(layout.root) in processes.instances(), 60)
            assert processes.kill_marked(layout.root) == 0
            assert sleeper.poll() is None
        finally:
            sleeper.kill()
