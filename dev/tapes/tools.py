"""The real helm and kubectl as processes, each with a home of its own."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from dev import binaries

# A tool that takes longer than its own time limits allow is broken, not slow.
HANGS = 600
# What renders charts for kubectl and tells which objects a chart names.
RENDERER = "4.3.1"

Done = subprocess.CompletedProcess[str]


class ToolError(ValueError):
    """A tool that cannot be had."""


@dataclass(frozen=True)
class Tool:
    name: str  # helm or kubectl
    binary: Path

    @classmethod
    def of(cls, text: str) -> "Tool":
        name, _, version = text.partition("@")
        if name == "helm" and version in binaries.HELMS:
            return cls(name, binaries.helm(version))
        if name == "kubectl" and version == binaries.KUBECTL:
            return cls(name, binaries.kubectl())
        known = [*(f"helm@{version}" for version in binaries.HELMS), f"kubectl@{binaries.KUBECTL}"]
        raise ToolError(f"{text!r} is not pinned; there are {', '.join(known)}")


def start(command: list[str], home: Path, kubeconfig: Path) -> subprocess.Popen[str]:
    """With a fresh home: what a tool remembers of the API server on disk would make runs differ."""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    folders = {f"HELM_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA")}
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "KUBECONFIG": str(kubeconfig), **folders}
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=home,
    )


def finish(process: subprocess.Popen[str], stdin: str = "") -> Done:
    try:
        out, err = process.communicate(stdin, timeout=HANGS)
    except BaseException:
        process.kill()
        process.wait()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def run(command: list[str], home: Path, kubeconfig: Path, stdin: str = "") -> Done:
    return finish(start(command, home, kubeconfig), stdin)


def template(chart: Path, release: str, namespace: str, home: Path, *options: str) -> str:
    """What `helm template` prints, hooks included; nothing for a chart that does not render."""
    binary = str(binaries.helm(RENDERER))
    command = [binary, "template", release, str(chart), f"--namespace={namespace}", *options]
    return run(command, home, Path("/dev/null")).stdout
