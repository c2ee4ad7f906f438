"""The node's own namespaces: processes, mounts, network, host name. It is a machine inside the machine.

Everything a node leaves about (mounts, network namespaces of pods, packet filter tables, runtime sockets,
logs in fixed places, kernel settings) exists only inside, and the kernel removes it when the first process
ends. Its root is an overlay in memory over unpacked Debian packages; of the machine it sees the instance's
directory, the binaries, devices and control groups.

Run as a program (`python -m dev.cluster.sandbox`), it becomes that first process.
"""

import ctypes
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from dev.cluster import processes
from dev.cluster.errors import ClusterError
from dev.cluster.layout import NODE_NAME, Layout

# From <linux/sched.h> and <linux/mount.h>; the os module has them only from Python 3.12 on.
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = (
    0x00020000, 0x04000000, 0x08000000, 0x20000000, 0x40000000,
)  # fmt: skip
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE, MS_SHARED = 1, 32, 4096, 16384, 1 << 18, 1 << 20
MNT_DETACH = 2

NAME = "sandbox"
BINARIES = "/opt/watchbill"
NAMESPACES = ("pid", "net", "ipc", "uts", "mnt")
# The kubelet sets these for the whole machine. It gets files that say what it wants to read.
KERNEL_SETTINGS = {"vm/overcommit_memory": "1", "kernel/panic": "10", "kernel/panic_on_oops": "1"}

_libc = ctypes.CDLL(None, use_errno=True)


def inside(executable: Path) -> str:
    """Where one of our binaries is in the sandbox; a bare name is a program of its own root."""
    return f"{BINARIES}/{executable.name}" if executable.is_absolute() else str(executable)


def running(layout: Layout) -> int | None:
    """The pid of the sandbox's first process, as the machine sees it."""
    return processes.running(layout, NAME)


def create(layout: Layout, root: Path, first: Path, binaries: Sequence[Path]) -> None:
    """Make it, with that root and that first process, and the binaries in one directory of its own."""
    arguments = map(str, (layout.root, root, first, *binaries))
    command = [sys.executable, "-m", __name__, *arguments]
    made = subprocess.run(
        command,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=processes.python_environment(layout),
    )
    if made.returncode or not made.stdout.strip().isdigit():
        raise ClusterError(
            f"the node's namespaces could not be made:\n{made.stderr.strip()}",
            "root needs the right to create namespaces and mounts: a virtual machine or a privileged container",
        )
    processes.remember(layout, NAME, int(made.stdout))


def start(layout: Layout, name: str, executable: Path, arguments: Sequence[str]) -> None:
    """Start a daemon inside. A second fork is needed: only children enter another process namespace."""
    holder = _holder(layout)
    layout.logs.mkdir(parents=True, exist_ok=True)
    log = os.open(layout.logs / f"{name}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    environment = processes.environment(layout.root)
    receive, send = os.pipe()
    middle = os.fork()
    if middle == 0:
        try:
            enter(holder, NAMESPACES)
            daemon = os.fork()
            if daemon:
                os.write(send, str(daemon).encode())
                os._exit(0)
            os.setsid()
            os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
            os.dup2(log, 1)
            os.dup2(log, 2)
            os.execvpe(inside(executable), [name, *arguments], environment)
        except OSError as error:
            os.write(log, f"{name} could not be started: {error}\n".encode())
        finally:
            # Whatever happens, a copy of this program must not go on.
            os._exit(127)
    os.close(send)
    os.close(log)
    said = os.read(receive, 32)
    os.close(receive)
    os.waitpid(middle, 0)
    if not said:
        raise ClusterError(f"{name} could not be started in the node", f"read {layout.logs / f'{name}.log'}")
    processes.remember(layout, name, int(said))


def run(
    layout: Layout,
    argv: Sequence[str],
    namespaces: Sequence[str] = ("net", "mnt"),
    stdin: int = subprocess.DEVNULL,
) -> str:
    """Run a short command with the node's files and, unless told otherwise, its network; its output."""
    holder = _holder(layout)
    done = subprocess.run(
        argv,
        check=False,
        stdin=stdin,
        capture_output=True,
        text=True,
        env=processes.environment(layout.root),
        preexec_fn=lambda: enter(holder, namespaces),  # this program has one thread
    )
    if done.returncode:
        raise ClusterError(
            f"`{' '.join(argv)}` failed in the node with {done.returncode}:\n{done.stderr.strip()}",
            f"read the logs in {layout.logs}, or start over: `python -m dev.cluster down`",
        )
    return done.stdout


def _holder(layout: Layout) -> int:
    holder = running(layout)
    if holder is None:
        raise ClusterError("the node has ended", "run `python -m dev.cluster up --level node` again")
    return holder


def enter(pid: int, namespaces: Sequence[str]) -> None:
    """Move this process into another one's namespaces."""
    # All are opened first: after entering the mounts, /proc is another one.
    descriptors = [os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in namespaces]
    for descriptor in descriptors:
        _check(_libc.setns(descriptor, 0), "setns")
    os.chdir("/")


def _check(result: int, what: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _mount(source: str, target: Path, kind: str = "", flags: int = 0, options: str = "") -> None:
    target.mkdir(parents=True, exist_ok=True)
    _mount_file(source, target, kind, flags, options)


def _mount_file(source: str, target: Path, kind: str = "", flags: int = 0, options: str = "") -> None:
    result = _libc.mount(
        source.encode(), str(target).encode(), kind.encode(), ctypes.c_ulong(flags), options.encode()
    )
    _check(result, f"mounting {source} on {target}")


def _become(state: str, base: str, first: str, binaries: Sequence[str]) -> None:
    """Create the namespaces; the child is the first process of the new ones, the parent tells its pid."""
    environment = processes.environment(Path(state))
    new = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS
    _check(_libc.unshare(new), "unshare")
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receive)
        try:
            _furnish(state, base, [first, *binaries])
            os.execve(inside(Path(first)), ["watchbill-node", state], environment)
        except OSError as error:
            os.write(send, str(error).encode())
        finally:
            os._exit(1)
    os.close(send)
    with os.fdopen(receive, "rb") as problems:
        # The descriptor closes by itself when the child has become the first process.
        problem = problems.read().decode()
    if problem:
        raise SystemExit(problem)
    print(child)


def _furnish(state: str, base: str, binaries: Sequence[str]) -> None:
    os.setsid()
    quiet = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(quiet, descriptor)
    socket.sethostname(NODE_NAME)
    # Nothing mounted from here on reaches the machine.
    _mount("none", Path("/"), flags=MS_REC | MS_PRIVATE)
    memory = Path(state, "run", NAME)
    _mount("tmpfs", memory, "tmpfs", options="mode=755")
    root, upper, work = (memory / name for name in ("root", "upper", "work"))
    for directory in (root, upper, work):
        directory.mkdir()
    _mount("overlay", root, "overlay", options=f"lowerdir={base},upperdir={upper},workdir={work}")
    _mount("tmpfs", root / "run", "tmpfs", options="mode=755")
    _mount("tmpfs", root / "tmp", "tmpfs", options="mode=1777")
    _mount("proc", root / "proc", "proc")
    _mount("sysfs", root / "sys", "sysfs")
    _mount("/sys/fs/cgroup", root / "sys/fs/cgroup", flags=MS_BIND | MS_REC)
    _mount("/dev", root / "dev", flags=MS_BIND | MS_REC)
    # At the same place inside and outside: configuration names files in it.
    _mount(state, root / state.lstrip("/"), flags=MS_BIND)
    for binary in binaries:
        place = root / inside(Path(binary)).lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
        _mount_file(binary, place, flags=MS_BIND)
        _mount_file(binary, place, flags=MS_BIND | MS_REMOUNT | MS_RDONLY)
    # Its own places for these, on the disk: sockets below them would not bear a longer path.
    for usual, kept in (("var/lib/kubelet", "kubelet"), ("var/log/pods", "podlogs")):
        source = Path(state, "data", kept)
        source.mkdir(parents=True, exist_ok=True)
        _mount(str(source), root / usual, flags=MS_BIND)
    for setting, value in KERNEL_SETTINGS.items():
        stand_in = root / "run" / setting.replace("/", ".")
        stand_in.write_text(f"{value}\n")
        _mount_file(str(stand_in), root / "proc/sys" / setting, flags=MS_BIND)
    # The node's own setting, not the machine's: it belongs to the network namespace.
    (root / "proc/sys/net/ipv4/ip_forward").write_text("1\n")
    os.chdir(root)
    _check(_libc.pivot_root(b".", b"."), "pivot_root")
    _check(_libc.umount2(b".", MNT_DETACH), "leaving the machine's root")
    os.chdir("/")
    # Among the node and its pods mounts do travel: volumes may ask for it.
    _mount("none", Path("/"), flags=MS_REC | MS_SHARED)


if __name__ == "__main__":
    _become(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
