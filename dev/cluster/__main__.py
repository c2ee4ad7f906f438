"""Bring a real Kubernetes up on this machine, and take it down without trace.

  python -m dev.cluster up [--level control|node]     start it, or do nothing if it runs
  python -m dev.cluster down [--level control|node]   remove it (both levels if none is named)
  python -m dev.cluster status                        what runs, and where its logs are
  python -m dev.cluster env [--level control|node]    shell lines that point kubectl and helm at it
  python -m dev.cluster load                          bring the images of examples/charts/membership to the node

control: etcd, API server, controllers and a driver that plays kubelet; for any user, on loopback.
node: real pods, service addresses and names; needs root.
"""

import argparse
import os
import shlex
import sys
from collections.abc import Sequence

from dev.cluster import build, control, lock, node, processes, teardown
from dev.cluster.api import ApiError
from dev.cluster.errors import ClusterError
from dev.cluster.layout import LEVELS, Layout, Level
from dev.cluster.progress import say
from dev.image import recipes


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        "python -m dev.cluster", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("up", "down", "status", "env", "load"))
    parser.add_argument("--level", choices=LEVELS)
    asked = parser.parse_args(arguments)
    level: Level | None = asked.level
    try:
        if asked.command == "up":
            up(level or "node")
        elif asked.command == "down":
            down(level)
        elif asked.command == "status":
            status()
        elif asked.command == "load":
            load()
        else:
            env(level or "node")
    except ClusterError as error:
        print(f"cluster: {error}", file=sys.stderr)
        return 2
    except ApiError as error:
        print(f"cluster: the API server says {error}\n  next: run the same command again", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("cluster: interrupted; `python -m dev.cluster down` removes what was started", file=sys.stderr)
        return 130
    return 0


def up(level: Level) -> None:
    if foreign := os.environ.get("WATCHBILL_KUBECONFIG"):
        say(f"WATCHBILL_KUBECONFIG is set: using the cluster of {foreign}, starting nothing")
        return
    if level == "node" and os.geteuid() != 0:
        raise ClusterError(
            "the node level needs root: it makes namespaces, mounts, a network device and control groups",
            "run it as root (sudo), or use `--level control`, which any user can run",
        )
    layout = Layout.of(level)
    _carry_mark(layout)
    with lock.held(layout.lock):
        if level == "control":
            _up_control(layout)
        else:
            _up_node(layout)


def _carry_mark(layout: Layout) -> None:
    """Start this program again with the instance's mark, so that `down` finds it and all it starts."""
    if os.environ.get(processes.MARK) != processes.mark(layout.root):
        command = [sys.executable, "-m", __package__, "up", "--level", layout.level]
        os.execve(sys.executable, command, processes.python_environment(layout))


def _up_control(layout: Layout) -> None:
    layout.record()
    if control.healthy(layout) and processes.running(layout, control.DRIVER):
        say(f"the control level is up: {layout.kubeconfig}")
        return
    binaries = build.binaries(build.CONTROL)
    control.launch(layout, binaries)
    control.finish(layout, binaries)
    control.ensure_driver(layout)
    say(f"the control level is up: {layout.kubeconfig}")


def _up_node(layout: Layout) -> None:
    binaries = build.binaries(build.NODE)
    images = recipes.all_images(binaries["pause"])
    if control.healthy(layout) and node.healthy(layout):
        node.load_images(layout, images)
    else:
        node.ensure(layout, binaries, images)
    say(f"the node level is up: {layout.kubeconfig}")


def load() -> None:
    """Not a part of `up`: few need them, and they have a PostgreSQL in them."""
    layout = Layout.of("node")
    archive = recipes.membership()
    with lock.held(layout.lock):
        if not node.healthy(layout):
            raise ClusterError(
                "the node level is not up", "start it first: python -m dev.cluster up --level node"
            )
        node.load_images(layout, {recipes.MEMBERSHIP: archive})


def down(level: Level | None) -> None:
    if level:
        teardown.down(Layout.of(level))
    else:
        teardown.everything()


def status() -> None:
    for level in LEVELS:
        layout = Layout.of(level)
        pids = sorted(layout.run.glob("*.pid"))
        print(f"{level}: {'kubeconfig ' + str(layout.kubeconfig) if pids else 'down'}")
        for file in pids:
            pid = processes.running(layout, file.stem)
            log = layout.logs / f"{file.stem}.log"
            print(f"  {file.stem:24} {pid or 'ended':>8}  {log if log.exists() else ''}")


def env(level: Level) -> None:
    kubeconfig = os.environ.get("WATCHBILL_KUBECONFIG") or str(Layout.of(level).kubeconfig)
    print(f"export KUBECONFIG={shlex.quote(kubeconfig)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
