"""The control group that all pods of a node are in, in every hierarchy of the machine."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from dev.cluster.errors import ClusterError
from dev.cluster.layout import Layout, write_whole
from dev.cluster.progress import wait_until

BASE = Path("/sys/fs/cgroup")
# What the kubelet insists on in the unified hierarchy.
CONTROLLERS = ("cpu", "cpuset", "hugetlb", "memory", "pids")


def hierarchies(base: Path = BASE) -> Iterator[Path]:
    if (base / "cgroup.controllers").exists():
        yield base
    elif base.is_dir():
        yield from (entry for entry in sorted(base.iterdir()) if entry.is_mount() and not entry.is_symlink())


def create(layout: Layout, base: Path = BASE) -> None:
    if (base / "cgroup.controllers").exists():
        _enable_controllers(layout, base)
    for hierarchy in hierarchies(base):
        (hierarchy / layout.cgroup).mkdir(exist_ok=True)


def _enable_controllers(layout: Layout, base: Path) -> None:
    """Give the unified hierarchy's children what the kubelet needs, and write down what was not given before."""
    available = (base / "cgroup.controllers").read_text().split()
    given = (base / "cgroup.subtree_control").read_text().split()
    missing = [name for name in CONTROLLERS if name in available and name not in given]
    record = layout.run / "controllers.json"
    if not record.exists():
        write_whole(record, json.dumps(missing))
    if missing:
        try:
            (base / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in missing))
        except OSError as error:
            raise ClusterError(
                f"the controllers {', '.join(missing)} cannot be enabled in {base}: {error}",
                "run on a machine, or in a container, that owns its control groups",
            ) from error


def remove(layout: Layout, base: Path = BASE) -> None:
    """Also after the processes in it were killed only a moment ago."""
    tops = [hierarchy / layout.cgroup for hierarchy in hierarchies(base)]
    if not wait_until(lambda: all(_removed(top) for top in tops), 20):
        left = ", ".join(str(top) for top in tops if top.exists())
        raise ClusterError(
            f"control groups are still in use: {left}",
            "end the processes in their cgroup.procs, then try again",
        )
    record = layout.run / "controllers.json"
    if record.exists():
        enabled = json.loads(record.read_text())
        if enabled:
            (base / "cgroup.subtree_control").write_text(" ".join(f"-{name}" for name in enabled))


def _removed(top: Path) -> bool:
    for directory, _, _ in os.walk(top, topdown=False):
        try:
            Path(directory).rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            return False
    return True
