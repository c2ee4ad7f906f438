"""Ctrl-C prints one line and exits with 130, at any moment; nothing outlives it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# Sends itself SIGINT when it has done the given number of things that Python audits: imports, opened files, processes.
AT_A_MOMENT = """
import os, signal, sys
from watchbill import interrupts
from watchbill.__main__ import start
left = int(sys.argv.pop(1))
def interrupt(event, arguments):
    global left
    left -= 1
    if left == 0 and os.getpid() == process:
        os.killpg(0, signal.SIGINT)
process = os.getpid()
sys.addaudithook(interrupt)
start()
"""
AT_WORK = """
import os, sys, time
from types import SimpleNamespace
from watchbill import interrupts
from watchbill.charts.engine import Engine
from watchbill.charts.process import Limits
from watchbill.checking import workers

workers._cores = lambda: 2
interrupts.end_on_interrupt()

def work(engine, subject, options):
    {work}

with Engine() as engine:
    tasks = [(SimpleNamespace(path=f"chart-{{number}}"), number) for number in range({tasks})]
    for result in workers.each(work, tasks, Limits(), engine):
        print(result, flush=True)
"""


def begin(*command: str, cwd: Path | None = None) -> "subprocess.Popen[str]":
    """Start it as a terminal would: in a process group of its own, with Ctrl-C allowed."""
    allowed = "import os, signal, sys; signal.signal(2, 0); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    return subprocess.Popen(
        [sys.executable, "-c", allowed, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        process_group=0,
    )


@pytest.mark.parametrize(
    "command",
    [
        "check examples/charts/billing",
        "check examples/charts/billing examples/charts/orders",
        "show examples/charts/billing",
        "explain WB101",
        "--help",
    ],
)
def test_ctrl_c_at_any_moment(root: Path, command: str) -> None:
    interrupted = 0
    for moment in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048):
        with begin("-c", AT_A_MOMENT, str(moment), *command.split(), cwd=root) as process:
            _, err = process.communicate()
        if process.returncode != 130:
            break  # it was done before
        assert err == "interrupted\n"
        interrupted += 1
    assert interrupted > 5
    assert process.returncode in (0, 1, 130)
    assert process.returncode == 130 or err == ""


def test_workers_end_with_the_run(root: Path) -> None:
    program = AT_WORK.format(work="os.write(1, b'at work\\n'); time.sleep(600)", tasks=2)
    with begin("-c", program, cwd=root) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["at work\n"] * 2
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()  # returns when nobody holds the pipes: when the workers are gone too
    assert (process.returncode, out, err) == (130, "", "interrupted\n")


def test_a_program_that_was_started_deaf_to_ctrl_c_stays_so(root: Path) -> None:
    """Scripts start background jobs so, and nohup does for SIGHUP."""
    program = "import os, signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n" + AT_WORK.format(
        work="os.killpg(0, 2); return 'done'", tasks=2
    )
    with begin("-c", program, cwd=root) as process:
        out, err = process.communicate()
    assert (process.returncode, out, err) == (0, "done\ndone\n", "")


def test_temporary_folders_and_programs_are_gone(root: Path, tmp_path: Path) -> None:
    """The post-renderer runs in a session of its own, which Ctrl-C does not reach."""
    renderer = tmp_path / "renderer"
    renderer.write_text("#!/bin/sh\necho at work >&3\nexec sleep 600\n")
    renderer.chmod(0o755)
    program = f"""
import os
os.dup2(1, 3)
from watchbill import interrupts
from watchbill.checking.inputs import programs
from watchbill.checking.inputs.workspace import Workspace
interrupts.end_on_interrupt()
with Workspace() as workspace:
    os.write(1, workspace.folder().encode() + b"\\n")
    os.set_inheritable(3, True)
    from subprocess import Popen
    import subprocess
    subprocess.Popen = lambda *a, **k: Popen(*a, **k, close_fds=False)
    programs.run([{str(renderer)!r}], seconds=600, then="")
"""
    with begin("-c", program, cwd=root) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert folder.is_dir()
        assert process.stdout.readline() == "at work\n"
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()  # the renderer holds a copy of stdout
    assert (process.returncode, out, err) == (130, "", "interrupted\n")
    assert not folder.exists()


def test_ctrl_c_before_the_handler_is_there_prints_no_traceback(root: Path) -> None:
    program = """
import builtins, os, signal
from watchbill.__main__ import start
imported = builtins.__import__
def interrupt(name, *rest):
    if name == "watchbill":
        os.kill(os.getpid(), signal.SIGINT)
    return imported(name, *rest)
builtins.__import__ = interrupt
start()
"""
    with begin("-c", program, cwd=root) as process:
        out, err = process.communicate()
    assert (process.returncode, out, err) == (-signal.SIGINT, "", "")
