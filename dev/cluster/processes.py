"""Start the cluster's programs and find them again, whatever was killed in between.

Every process of an instance carries the instance's directory in its environment, from `up` itself down to
what its children start. So nothing can be lost between starting a process and writing down its number. The
pid files only tell one program from another; they hold (pid, start time), so that a number which the kernel
has given to somebody else is never mistaken for ours.
"""

import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from dev.cluster.errors import ClusterError
from dev.cluster.layout import CHECKOUT, Layout, write_whole
from dev.cluster.progress import say, wait_until

MARK = "WATCHBILL_CLUSTER_INSTANCE"
TELL_EVERY = 30.0
PF_EXITING = 4  # <linux/sched.h>


def mark(root: Path) -> str:
    """The instance's directory and the root it is seen from: a container may have the same path for another."""
    here = Path("/").stat()
    return f"{here.st_dev}:{here.st_ino}:{root}"


def environment(root: Path) -> dict[str, str]:
    """What a daemon gets: a search path, a home, and the mark. Proxies of the machine are not for it."""
    return {
        MARK: mark(root),
        "HOME": str(root),
        "LANG": "C.UTF-8",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    }


def python_environment(layout: Layout) -> dict[str, str]:
    """For a module of ours, run by the same interpreter."""
    return {**os.environ, MARK: mark(layout.root), "PYTHONPATH": str(CHECKOUT)}


def start(
    layout: Layout, name: str, argv: Sequence[str], executable: Path | None = None, **more: str
) -> None:
    """Start a daemon in a session of its own; it goes by argv[0] even if the executable has another name."""
    layout.logs.mkdir(parents=True, exist_ok=True)
    with (layout.logs / f"{name}.log").open("ab") as log:
        daemon = subprocess.Popen(
            argv,
            executable=executable,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**environment(layout.root), **more},
            start_new_session=True,
        )
    remember(layout, name, daemon.pid)


def remember(layout: Layout, name: str, pid: int) -> None:
    write_whole(layout.run / f"{name}.pid", f"{pid} {start_time(pid)}")


def running(layout: Layout, name: str) -> int | None:
    """The daemon's pid, if it is alive."""
    try:
        pid, started = map(int, (layout.run / f"{name}.pid").read_text().split())
    except (FileNotFoundError, ValueError):
        return None
    return pid if started and start_time(pid) == started else None


def start_time(pid: int) -> int:
    """In ticks since boot; 0 for a process that is gone.

    A zombie is gone: only its parent has not looked. One that is ending is gone as well: the first process of
    a sandbox stays in that state until all others in it have ended.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    fields = stat[stat.rindex(b")") + 2 :].split()
    ending = int(fields[6]) & PF_EXITING
    return 0 if ending or fields[0] in (b"Z", b"X") else int(fields[19])


def instances() -> set[str]:
    """The directories of all instances that run on this machine, as far as this user may see."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                variables = (entry / "environ").read_bytes().split(b"\0")
                found |= {
                    v.split(b":", 2)[-1].decode() for v in variables if v.startswith(f"{MARK}=".encode())
                }
    return found


def marked(root: Path) -> Iterator[int]:
    """Every live process of the instance but this one."""
    sign = f"{MARK}={mark(root)}\0".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid() and _carries(int(entry.name), sign):
            yield int(entry.name)


def _carries(pid: int, sign: bytes) -> bool:
    try:
        return sign in Path(f"/proc/{pid}/environ").read_bytes() + b"\0"
    except OSError:
        return False


def kill_marked(root: Path) -> int:
    """End every process of the instance and wait for its end. Returns how many there were."""
    sign = f"{MARK}={mark(root)}\0".encode()
    killed = 0
    while found := list(marked(root)):
        descriptors = [descriptor for pid in found if (descriptor := _kill(pid, sign)) is not None]
        killed += len(descriptors)
        # The first process of a sandbox ends after all others in it have ended.
        ended = wait_until(lambda fds=descriptors: all(_has_ended(fd) for fd in fds), 30)  # type: ignore[misc]
        for descriptor in descriptors:
            os.close(descriptor)
        if not ended:
            raise ClusterError(
                f"processes {found} do not end after SIGKILL",
                "look at /proc/PID/stack of each, then run the same command again",
            )
    return killed


def kill(pid: int, started: int) -> None:
    """End a process if it is still the one that began then."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    if started and start_time(pid) == started:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    os.close(descriptor)


def _kill(pid: int, sign: bytes) -> int | None:
    """Kill the process if it is still the one that carries the sign; a descriptor to wait with."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    # Looked at again now that the descriptor pins the process: a number used anew is never hit.
    if _carries(pid, sign):
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        return descriptor
    os.close(descriptor)
    return None


def _has_ended(descriptor: int) -> bool:
    return bool(select.select([descriptor], [], [], 0)[0])


def quick(argv: Sequence[str], **environ: str) -> str:
    """Run a short command; its output, or an error that carries what it said."""
    done = subprocess.run(
        argv,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, **environ},
    )
    if done.returncode:
        raise ClusterError(
            f"`{' '.join(argv)}` failed with {done.returncode}:\n{(done.stderr or done.stdout).strip()}",
            "the text above is the command's own",
        )
    return done.stdout


def patient(what: str, argv: Sequence[str], cwd: Path | None = None, **environ: str) -> None:
    """Run a long command and say now and then how far it is: lines it has written, last one."""
    began = time.monotonic()
    lines: list[str] = []
    with subprocess.Popen(
        argv,
        cwd=cwd,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as command:
        assert command.stdout is not None
        descriptor = command.stdout.fileno()
        pending = b""
        told = began
        while True:
            readable, _, _ = select.select([descriptor], [], [], 1)
            if readable:
                chunk = os.read(descriptor, 65536)
                if not chunk:
                    break
                *whole, pending = (pending + chunk).split(b"\n")
                lines += [line.decode(errors="replace") for line in whole]
            if time.monotonic() - told >= TELL_EVERY:
                told = time.monotonic()
                last = f", last: {lines[-1].strip()[:80]}" if lines else ""
                say(f"{what}: {told - began:.0f} s, {len(lines)} steps{last}")
    if command.returncode:
        tail = "\n".join(lines[-30:])
        raise ClusterError(
            f"{what} failed (`{' '.join(argv)}` ended with {command.returncode}):\n{tail}",
            "the text above is the command's own; run the same command again after mending it",
        )
