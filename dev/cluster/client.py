"""kubectl and helm for tests, pointed at one cluster and one namespace."""

import json
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from dev import binaries
from dev.cluster.layout import Layout, Level

T = TypeVar("T")
Object = dict[str, Any]
Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Cluster:
    level: Level
    kubeconfig: Path
    # None for a cluster that is not ours: it has no driver, no logs within reach and not our image.
    layout: Layout | None

    def kubectl(self, *arguments: str, stdin: str | None = None, check: bool = True) -> Done:
        return _run([str(binaries.kubectl()), *arguments], self._environment(), stdin, check)

    def get(self, path: str) -> Object:
        """An object or list by its API path."""
        found: Object = json.loads(self.kubectl("get", "--raw", path).stdout)
        return found

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "KUBECONFIG": str(self.kubeconfig)}


@dataclass(frozen=True)
class Namespace:
    """A namespace of its own, and a directory for what helm keeps on disk."""

    cluster: Cluster
    name: str
    scratch: Path

    def kubectl(self, *arguments: str, stdin: str | None = None, check: bool = True) -> Done:
        return self.cluster.kubectl(f"--namespace={self.name}", *arguments, stdin=stdin, check=check)

    def helm(self, version: str, *arguments: str, check: bool = True) -> Done:
        return _run(_helm(version, self.name, arguments), self._helm_environment(), None, check)

    def start_helm(self, version: str, *arguments: str) -> "subprocess.Popen[str]":
        """For those who look on while it runs, or kill it."""
        return subprocess.Popen(
            _helm(version, self.name, arguments),
            env=self._helm_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def _helm_environment(self) -> dict[str, str]:
        folders = {f"HELM_{kind}_HOME": str(self.scratch / kind) for kind in ("CACHE", "CONFIG", "DATA")}
        return {**os.environ, **folders, "KUBECONFIG": str(self.cluster.kubeconfig)}

    def apply(self, *objects: Object, check: bool = True) -> Done:
        """Create or change objects."""
        return self.kubectl("apply", "--filename=-", stdin=_list(objects), check=check)

    def find(self, kind: str, name: str) -> Object | None:
        """None if it does not exist."""
        text = self.kubectl("get", kind, name, "--ignore-not-found", "--output=json").stdout
        found: Object | None = json.loads(text) if text.strip() else None
        return found

    def list(self, kind: str, selector: str = "") -> list[Object]:
        text = self.kubectl("get", kind, f"--selector={selector}", "--output=json").stdout
        items: list[Object] = json.loads(text)["items"]
        return items

    def wait_for_job(self, name: str, condition: str, seconds: float = 60) -> Object:
        """The Job once it has that condition; an error that shows the Job as it is otherwise."""

        def met() -> Object | None:
            job = self.find("job", name)
            conditions = (job or {}).get("status", {}).get("conditions", [])
            return job if any(c["type"] == condition and c["status"] == "True" for c in conditions) else None

        job = eventually(met, seconds)
        if job is None:
            seen = self.kubectl("get", f"job/{name}", "--output=yaml", check=False)
            raise AssertionError(
                f"no condition {condition} after {seconds:.0f} s:\n{seen.stdout}{seen.stderr}"
            )
        return job


def eventually(look: Callable[[], T | None], seconds: float, every: float = 0.2) -> T | None:
    """The first thing seen that is not None or empty; None when the time is over."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > deadline:
            return None
        time.sleep(every)
    return found


def _helm(version: str, namespace: str, arguments: tuple[str, ...]) -> list[str]:
    return [str(binaries.helm(version)), f"--namespace={namespace}", *arguments]


def _list(objects: tuple[Object, ...]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})


def _run(command: list[str], environment: dict[str, str], stdin: str | None, check: bool) -> Done:
    done = subprocess.run(
        command, check=False, input=stdin or "", capture_output=True, text=True, env=environment, timeout=300
    )
    if check and done.returncode:
        raise AssertionError(
            f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return done
