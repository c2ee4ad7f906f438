"""Remove an instance: all of it, whatever state it is in, also when a former removal was killed."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from dev.cluster import cgroups, companions, lock, processes
from dev.cluster.errors import ClusterError
from dev.cluster.layout import LEVELS, Layout
from dev.cluster.progress import say, wait_until


def everything() -> None:
    """Test sessions that would only start it again, clusters of theirs, and both levels."""
    for entry, members in companions.sessions():
        for pid, started in members:
            processes.kill(pid, started)
        entry.unlink(missing_ok=True)
    for entry, base in companions.clusters():
        for level in LEVELS:
            down(Layout.of(level, base))
        entry.unlink(missing_ok=True)
    for level in LEVELS:
        down(Layout.of(level))


def down(layout: Layout) -> None:
    # First of all the `up` that may be at work and would hold the lock for minutes.
    killed = processes.kill_marked(layout.root)
    with lock.held(layout.lock, remove=True):
        killed += processes.kill_marked(layout.root)
        existed = layout.root.exists()
        clear(layout)
    _remove_empty(layout.root.parent)
    if killed or existed:
        say(f"{layout.level} level removed ({killed} processes ended)")


def clear(layout: Layout) -> None:
    """Everything but processes. The node's mounts and networks have ended with its processes."""
    if not layout.root.exists():
        return
    if layout.level == "node":
        _wait_for_link(layout)
        cgroups.remove(layout)
    _refuse_mounts(layout.root)
    # The record goes last: without it the next removal would not know the slot.
    record = layout.root / "instance.json"
    for entry in layout.root.iterdir():
        if entry == record:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    shutil.rmtree(layout.root)


def _remove_empty(base: Path) -> None:
    """Directories that were made for the instance, unless something else is in them."""
    ours = [base / "also", base, *([base.parent] if base.parent.name == "watchbill" else [])]
    for directory in ours:
        with suppress(OSError):
            directory.rmdir()


def _wait_for_link(layout: Layout) -> None:
    """The kernel removes it with the node's network, a moment after the last process."""
    link = Path("/sys/class/net", layout.link)
    if not wait_until(lambda: not link.exists(), 20):
        raise ClusterError(
            f"the network device {layout.link} is still there: something keeps the node's network alive",
            f"find it with `lsns -t net`, end it, or run `ip link delete {layout.link}`; then try again",
        )


def _refuse_mounts(root: Path) -> None:
    """Deleting through a mount would delete what is mounted. There is none of ours outside the sandbox."""
    below = f"{root}{os.sep}"
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    mounts = [point for line in lines if (point := line.split()[4]).startswith(below)]
    if mounts:
        raise ClusterError(f"something is mounted at {', '.join(mounts)}", "unmount it, then try again")
