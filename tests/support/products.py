"""A small product in a folder of its own: charts, jobs and a bill, deployed with the real command in a process of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import dedent, indent
from typing import Any, NamedTuple

import yaml  # type: ignore[import-untyped]

from dev import binaries
from dev.cluster.client import Namespace, Object, eventually

HELM_4, HELM_3 = "4.3.1", "3.19.0"
PATIENCE = 240  # seconds that a command may take on a busy machine

CONFIG = """
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-config}
data: {chart: {{ .Chart.Version | quote }}, said: {{ .Values.said | default "nothing" | quote }}}
"""
WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec: {containers: [{name: web, image: example.org/web:1}]}
"""
# Its fate is that of the Job RELEASE-migrate.
MIGRATION = """
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-migrate
  annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: example.org/web:1}]
"""
FAILING = MIGRATION.replace("{helm.sh/hook:", "{watchbill.dev/fate: fail, helm.sh/hook:")
# The model knows that Kubernetes does not take it.
BROKEN = """
apiVersion: v1
kind: ConfigMap
metadata: {name: Not_A_Name}
"""

_PRELUDE = """
import asyncio, os, time
from pathlib import Path

from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import ConfigMap, Secret
from watchbill.jobs import GLOBAL, Abort, Manual, Post, Pre, Skip, job

HERE = Path(__file__).parent


def note(line):
    with (HERE / "journal").open("a") as journal:
        journal.write(line + "\\n")
"""


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """Of a run with --events jsonl."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def ended(self) -> dict[str, str]:
        """How everything ended, by what a person calls it: `web`, `web chart`, `web check`, `components`."""
        found = {}
        for event in self.events:
            if event["status"] not in ("started", "working"):
                names = (event.get("component") or event.get("stage") or "deploy", event.get("step"))
                found[" ".join(filter(None, names))] = event["status"]
        return found

    @property
    def said(self) -> str:
        return f"{self.out}\n{self.err}"


class Product:
    """Written by the test, piece by piece; `bill` comes last."""

    def __init__(self, namespace: Namespace, folder: Path, *, name: str = "shop") -> None:
        self.namespace = namespace
        self.folder = folder
        self.name = name
        self.kubeconfig = namespace.cluster.kubeconfig
        folder.mkdir(parents=True, exist_ok=True)
        self._jobs = [_PRELUDE]
        self._last: subprocess.Popen[str] | None = None  # command that was started

    def chart(
        self, name: str, *templates: str, version: str = "1.0.0", files: dict[str, str] | None = None
    ) -> str:
        """Its path, from the folder of the bill."""
        folder = self.folder / "charts" / name
        written = {"Chart.yaml": json.dumps({"apiVersion": "v2", "name": name, "version": version})}
        written |= {f"templates/{at}.yaml": text for at, text in enumerate(templates or (CONFIG,))}
        for path, text in (written | (files or {})).items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return f"charts/{name}"

    def job(
        self, component: str, moment: str, name: str, does: str = "", *, sync: bool = False, **more: Any
    ) -> None:
        """It notes when it begins and when it ends; `does` is what lies between."""
        given = {"until": None, "reason": "a test needs it", "name": name, **more}
        whose = "GLOBAL" if component == "global" else repr(component)
        self._jobs.append(
            f"@job({whose}, {moment.title()}, {', '.join(f'{key}={value!r}' for key, value in given.items())})\n"
            f"{'' if sync else 'async '}def job_{len(self._jobs)}(ctx):\n"
            f"    note('{component}/{name} begins')\n"
            f"{indent(dedent(does).strip(), '    ')}\n"
            f"    note('{component}/{name} ends')\n"
        )

    def no_jobs(self) -> None:
        self._jobs = [_PRELUDE]

    def bill(self, *components: Any, file: str = "bill.yaml", **more: Any) -> Path:
        """Components by name, which have a chart of that name, or as the bill takes them."""
        (self.folder / "jobs.py").write_text("\n\n".join(self._jobs))
        more["prerequisites"] = [self._component(one) for one in more.get("prerequisites", ())]
        written = {
            "product": self.name,
            "version": "1.0.0",
            "defaultNamespace": self.namespace.name,
            "jobs": ["jobs.py"],
            "components": [self._component(one) for one in components],
            **more,
        }
        (self.folder / file).write_text(yaml.safe_dump(written, sort_keys=False))
        return self.folder / file

    def _component(self, one: Any) -> Any:
        if not isinstance(one, str):
            return {"chart": f"charts/{one['name']}", **one}
        if not (self.folder / "charts" / one).exists():
            self.chart(one)
        return {"name": one, "chart": f"charts/{one}"}

    def start(
        self,
        *arguments: str,
        helm: str = HELM_4,
        command: str = "deploy",
        stdout: int = subprocess.PIPE,
        launcher: Sequence[str] = (),
    ) -> "subprocess.Popen[str]":
        """In a process group of its own: as a terminal has it, and so that a test can kill all of it. `launcher` is a
        program that starts the command."""
        scratch = self.namespace.scratch
        folders = {f"HELM_{kind}_HOME": str(scratch / kind) for kind in ("CACHE", "CONFIG", "DATA")}
        environment = {
            **os.environ,
            **folders,
            "KUBECONFIG": str(self.kubeconfig),
            "HELM": str(binaries.helm(helm)),
            "NO_COLOR": "1",
            "COLUMNS": "200",
        }
        self._last = subprocess.Popen(
            [*launcher, sys.executable, "-m", "watchbill", *command.split(), *arguments],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        return self._last

    def run(self, *arguments: str, helm: str = HELM_4, command: str = "deploy") -> Ran:
        return ended(self.start(*arguments, helm=helm, command=command))

    def deploy(self, *arguments: str, file: str = "bill.yaml", helm: str = HELM_4) -> Ran:
        """With events for machines on stdout."""
        return self.run(file, "--events=jsonl", *arguments, helm=helm)

    def deployed(self, *arguments: str, file: str = "bill.yaml", helm: str = HELM_4) -> Ran:
        """One that must end well."""
        ran = self.deploy(*arguments, file=file, helm=helm)
        assert ran.code == 0, ran.said
        return ran

    @property
    def journal(self) -> list[str]:
        """What jobs noted."""
        file = self.folder / "journal"
        return file.read_text().splitlines() if file.exists() else []

    def forget(self) -> None:
        (self.folder / "journal").unlink(missing_ok=True)

    def wait_for(self, line: str, seconds: float = 60) -> None:
        """While a command runs. One that ends before, or takes too long, is shown."""
        process = self._last
        assert process
        eventually(lambda: line in self.journal or process.poll() is not None, seconds, every=0.05)
        if line not in self.journal:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            raise AssertionError(f"no {line!r} in {self.journal}: {ended(process)}")

    def fates(self, **fates: str) -> None:
        """Of Jobs by name, `_` for `-`; `workloads` of all others in lines of patterns."""
        data = {name.replace("_", "-"): fate for name, fate in fates.items() if name != "workloads"}
        if "workloads" in fates:
            data["_jobs"] = fates["workloads"]
        self.namespace.apply(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "watchbill-fates"}, "data": data}
        )

    @property
    def releases(self) -> dict[str, str]:
        """The status of the last revision of each."""
        return {name: one["metadata"]["labels"]["status"] for name, one in self.revisions().items()}

    def revisions(self) -> dict[str, Object]:
        """The last one of each release, as helm stores it."""
        found: dict[str, Object] = {}
        for secret in self.namespace.list("secret", "owner=helm"):
            labels = secret["metadata"]["labels"]
            known = found.get(labels["name"])
            if known is None or int(known["metadata"]["labels"]["version"]) < int(labels["version"]):
                found[labels["name"]] = secret
        return found

    def charts(self) -> dict[str, str]:
        """The chart version that each release's ConfigMap is of."""
        names = ((one["metadata"]["name"], one.get("data", {})) for one in self.namespace.list("configmap"))
        return {
            name.removesuffix("-config"): data["chart"] for name, data in names if name.endswith("-config")
        }

    def snapshot(self) -> dict[str, str]:
        """Everything in the namespace, and the version of each object."""
        kinds = "configmaps,secrets,leases,deployments,jobs,pods,serviceaccounts"
        items = self.namespace.list(kinds)
        return {
            f"{one['kind']}/{one['metadata']['name']}": one["metadata"]["resourceVersion"] for one in items
        }

    @property
    def record(self) -> dict[str, Any]:
        found = self.namespace.find("configmap", f"watchbill-{self.name}")
        return json.loads(found["data"]["record"]) if found else {}

    def history(self) -> list[dict[str, Any]]:
        ran = self.run(
            "--product", self.name, "--namespace", self.namespace.name, "-o", "json", command="history"
        )
        assert ran.code == 0, ran.said
        found: list[dict[str, Any]] = json.loads(ran.out)
        return found

    def shown(self, number: int | None = None) -> dict[str, Any]:
        """One deploy of the history in full; the last one, if none is named."""
        named = () if number is None else (str(number),)
        whose = ("--product", self.name, "--namespace", self.namespace.name, "-o", "json")
        ran = self.run(*named, *whose, command="history show")
        assert ran.code == 0, ran.said
        found: dict[str, Any] = json.loads(ran.out)
        return found


def ended(process: "subprocess.Popen[str]", seconds: float = PATIENCE) -> Ran:
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"it did not end within {seconds:g} s:\n{out}\n{err}") from None
    return Ran(process.returncode, out, err)


def in_order(lines: list[str], *wanted: str) -> bool:
    """Whether they stand in the list in this order, others between them or not."""
    rest: Iterator[str] = iter(lines)
    return all(any(line == one for line in rest) for one in wanted)
