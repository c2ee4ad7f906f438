"""Files, charts and git repositories in a folder of a test's own."""

import os
import subprocess
from pathlib import Path

IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", "2024-01-01T00:00:00Z"))
}


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def chart(root: Path, name: str = "", *, version: str = "1.0.0", more: str = "") -> Path:
    """The smallest that Helm takes; `more` is added to its Chart.yaml."""
    head = f"apiVersion: v2\nname: {name or root.name}\nversion: {version}\n{more}"
    job = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Chart.Name }}-{{ .Chart.Version }}\n"
    return write(root, {"Chart.yaml": head, "templates/config.yaml": job})


def depends(name: str, repository: str, version: str = "1.0.0") -> str:
    """The part of a Chart.yaml that says so."""
    return f"dependencies:\n- name: {name}\n  version: {version}\n  repository: {repository}\n"


class Git:
    """A repository in which everything is committed on request."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self("init", "--quiet", "--initial-branch", "main")

    def __call__(self, *arguments: str) -> str:
        environment = {
            **os.environ,
            **IDENTITY,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
        }
        done = subprocess.run(
            ["git", "-C", str(self.root), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, tag: str = "") -> str:
        self("add", "--all")
        self("commit", "--quiet", "--allow-empty", "--message", tag or "more")
        if tag:
            self("tag", tag)
        return self("rev-parse", "HEAD")
