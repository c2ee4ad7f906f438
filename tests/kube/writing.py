"""Kubeconfig files for tests, and what real kubectl makes of them."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from dev import binaries

Part = dict[str, Any]


def kubeconfig(
    cluster: Part | None = None, user: Part | None = None, *, name: str = "here", namespace: str = ""
) -> Part:
    """One cluster, one user and a context of them, which is current."""
    context = {"cluster": name, "user": name, **({"namespace": namespace} if namespace else {})}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": name, "cluster": cluster or {}}],
        "users": [{"name": name, "user": user or {}}],
        "contexts": [{"name": name, "context": context}],
    }


def write(file: Path, content: Part) -> Path:
    """JSON is YAML."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))
    return file


def kubectl(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    environment = {**{key: os.environ[key] for key in ("PATH",)}, **env}
    return subprocess.run(
        [str(binaries.kubectl()), *arguments],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        stdin=subprocess.DEVNULL,
        timeout=300,
    )
