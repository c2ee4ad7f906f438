"""What goes when the cluster goes, should it be killed before it can tidy up itself.

Tests have clusters of their own beside the main one, and a test session without a cluster would only bring it up
again. Both are written down in the main cluster's state directory; `down` ends the sessions and removes the clusters.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dev.cluster import processes
from dev.cluster.layout import state_dir, write_whole


def home() -> Path:
    return state_dir() / "also"


@contextmanager
def cluster(base: Path) -> Iterator[None]:
    """A further state directory, as long as the block lasts."""
    entry = home() / f"cluster-{hashlib.sha256(str(base).encode()).hexdigest()[:16]}"
    write_whole(entry, str(base))
    try:
        yield
    finally:
        entry.unlink(missing_ok=True)


@contextmanager
def session(*pids: int) -> Iterator[None]:
    """Processes that use the cluster, as long as the block lasts."""
    entry = home() / f"session-{os.getpid()}"
    write_whole(entry, "".join(f"{pid} {processes.start_time(pid)}\n" for pid in pids))
    try:
        yield
    finally:
        entry.unlink(missing_ok=True)


def sessions() -> Iterator[tuple[Path, list[tuple[int, int]]]]:
    """Where each is written down, and its processes with their start times."""
    for entry in sorted(home().glob("session-*")):
        lines = [line.split() for line in entry.read_text().splitlines()]
        yield entry, [(int(pid), int(started)) for pid, started in lines]


def clusters() -> Iterator[tuple[Path, Path]]:
    """Where each is written down, and its state directory."""
    for entry in sorted(home().glob("cluster-*")):
        yield entry, Path(entry.read_text())
