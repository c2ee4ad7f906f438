"""Releases of examples/charts/membership on real pods, and the databases they have."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import DEVNULL
from typing import Any, Literal, TypeVar

from dev import binaries
from dev.charts_tree import ROOT
from dev.cluster.client import Done, Namespace, Object, eventually

LIBRARY = ROOT / "charts/watchbill-lib"
EXAMPLE = ROOT / "examples/charts/membership"
PASSWORD = "s3cret"
# For whatever takes seconds, on a machine that has much else to do.
PATIENCE = 240
TIMEOUT = f"--timeout={PATIENCE}s"
# What the migrations of the image lock, see image/membership.
LOCK = 20261116
# Everything that a release, its Jobs or its pods may leave in a namespace.
MADE = "jobs,cronjobs,deployments,statefulsets,services,secrets,configmaps,serviceaccounts,roles,rolebindings"
KINDS = f"{MADE},pods,replicasets,persistentvolumeclaims"
ALWAYS_THERE = {"configmap/kube-root-ca.crt", "serviceaccount/default"}
RESTRICTED = "pod-security.kubernetes.io/enforce=restricted"
SECURE_POD = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
SECURE_CONTAINER = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}

T = TypeVar("T")
Values = dict[str, Any]
HOOKS: Values = {"feature": {"migrationHooks": True}}
PLAIN: Values = {"feature": {"migrationHooks": False}}
# As which the migration runs; with a bundled database it is a hook where it can be.
Form = Literal["hook", "plain", "bundled"]


def chart(folder: Path) -> Path:
    """A copy of the example with the library as it is now, whatever is packaged."""
    copy = shutil.copytree(EXAMPLE, folder / "membership", ignore=shutil.ignore_patterns("charts", "image"))
    shutil.copytree(LIBRARY, copy / "charts/watchbill-lib")
    return copy


def merged(below: Values, above: Values) -> Values:
    both = {
        key: merged(below[key], above[key])
        for key in below.keys() & above.keys()
        if _maps(below[key], above[key])
    }
    return {**below, **above, **both}


def _maps(*values: object) -> bool:
    return all(isinstance(value, dict) for value in values)


def until(look: Callable[[], T | None]) -> T | None:
    """The first thing seen, or None after all patience. Seldom: asking takes processor time from the pods."""
    return eventually(look, PATIENCE, every=0.5)


@dataclass(frozen=True)
class Database:
    """One database of the PostgreSQL that runs in a pod."""

    namespace: Namespace
    pod: str
    name: str = "membership"

    def query(self, sql: str, *, database: str = "") -> list[str]:
        return self.namespace.kubectl(*self._psql(sql, database or self.name)).stdout.splitlines()

    def _psql(self, sql: str, database: str) -> list[str]:
        script = (
            'PGPASSWORD="$POSTGRES_PASSWORD" psql -qAt -h 127.0.0.1 -U "$POSTGRES_USERNAME" -d "$0" -c "$1"'
        )
        return ["exec", self.pod, "--", "sh", "-c", script, database, sql]

    def history(self) -> list[str]:
        """The versions that were applied, each as often as it was."""
        return self.query("select version from schema_migrations order by applied_at")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Somebody holds the lock as a migration that does not end would: the others wait."""
        sql = f"select pg_advisory_lock({LOCK}), pg_sleep(600)"
        command = [str(binaries.kubectl()), f"--namespace={self.namespace.name}", *self._psql(sql, self.name)]
        environment = {**os.environ, "KUBECONFIG": str(self.namespace.cluster.kubeconfig)}
        with subprocess.Popen(command, env=environment, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL):
            try:
                assert until(lambda: self._locks(granted=True)), "nobody holds the lock"
                yield
            finally:
                self.query(f"select pg_terminate_backend(pid) {self._where} and granted")

    def wait_for_the_waiting(self) -> None:
        assert until(lambda: self._locks(granted=False)), "nobody waits for the lock"

    def _locks(self, *, granted: bool) -> list[str]:
        return self.query(f"select pid {self._where} and {'' if granted else 'not '}granted")

    @property
    def _where(self) -> str:
        here = "database = (select oid from pg_database where datname = current_database())"
        return f"from pg_locks where locktype = 'advisory' and {here}"


@dataclass(frozen=True)
class Release:
    """A release of the example, deployed by one Helm with values that are given each time."""

    namespace: Namespace
    helm: str
    chart: Path
    values: Values
    database: Database
    name: str = "acme"

    @property
    def fullname(self) -> str:
        return f"{self.name}-membership"

    def like(self, **values: Any) -> "Release":
        """The same with other values."""
        return replace(self, values=merged(self.values, values))

    def install(self, version: int, *flags: str, check: bool = True) -> Done:
        return self.run(*self.words("install", version), *flags, check=check)

    def upgrade(self, version: int, *flags: str, check: bool = True) -> Done:
        return self.run(*self.words("upgrade", version), *flags, check=check)

    def uninstall(self, *flags: str) -> Done:
        return self.run("uninstall", self.name, TIMEOUT, *flags)

    def rollback(self, revision: int, *flags: str) -> Done:
        return self.run("rollback", self.name, str(revision), TIMEOUT, *flags)

    def run(self, *words: str, check: bool = True) -> Done:
        return self.namespace.helm(self.helm, *words, check=check)

    def begin(self, verb: str, version: int, *flags: str) -> "subprocess.Popen[str]":
        return self.namespace.start_helm(self.helm, *self.words(verb, version), *flags)

    def words(self, verb: str, version: int) -> list[str]:
        values = merged(self.values, {"image": {"tag": str(version)}})
        given = [f"--set-json={key}={json.dumps(value)}" for key, value in values.items()]
        return [verb, self.name, str(self.chart), *given, TIMEOUT]

    @property
    def helm_4(self) -> bool:
        return self.helm.startswith("4.")

    def history(self) -> list[str]:
        """The status of each revision, the newest last; empty if Helm knows no such release."""
        done = self.run("history", self.name, "--output=json", check=False)
        if "release: not found" in done.stderr:
            return []
        return [revision["status"] for revision in json.loads(done.stdout)]

    def runs(self) -> list[Object]:
        """The Jobs of the migration, the newest last."""
        return self.jobs("migrate")

    def jobs(self, name: str) -> list[Object]:
        found = self.namespace.list("jobs", f"watchbill.dev/job={self.fullname}-{name}")
        return sorted(found, key=lambda job: str(job["metadata"]["creationTimestamp"]))

    def the_run(self) -> Object:
        [job] = self.runs()
        return job

    def completed(self) -> Object:
        """The newest run, once it has completed."""
        return self.ended(_name(self.runs()[-1]), "Complete")

    def ended(self, job: str, condition: str) -> Object:
        """A Job once it has that condition."""
        words = ["wait", f"job/{job}", f"--for=condition={condition}", TIMEOUT, "--output=json"]
        found: Object = json.loads(self.namespace.kubectl(*words).stdout)
        return found

    def said(self, job: Object) -> str:
        return self.namespace.kubectl("logs", f"job/{_name(job)}").stdout

    def pods(self, job: Object) -> list[Object]:
        labels = job["spec"]["selector"]["matchLabels"]
        return self.namespace.list("pods", ",".join(f"{key}={value}" for key, value in labels.items()))

    def wait_for_application(self, version: int) -> None:
        """Until that version is all that answers."""
        self.namespace.kubectl("rollout", "status", f"deployment/{self.fullname}", TIMEOUT)
        assert until(lambda: self.ask("healthz") == {"version": version}), self.ask("healthz")

    def ask(self, path: str) -> Any:
        """What the application answers; None if nobody does."""
        service = f"/api/v1/namespaces/{self.namespace.name}/services/{self.fullname}:80/proxy/{path}"
        done = self.namespace.cluster.kubectl("get", "--raw", service, check=False)
        return None if done.returncode else json.loads(done.stdout)

    def manifest(self) -> set[str]:
        """The names of what is part of the release, as kubectl prints them."""
        text = self.run("get", "manifest", self.name).stdout
        return set(self.namespace.kubectl("get", "--filename=-", "--output=name", stdin=text).stdout.split())

    def strays(self) -> set[str]:
        """What has the release's label and is no part of it: hooks."""
        ours = f"app.kubernetes.io/instance={self.name}"
        there = self.namespace.kubectl("get", MADE, f"--selector={ours}", "--output=name").stdout.split()
        return set(there) - self.manifest()


def is_hook(job: Object) -> bool:
    return "helm.sh/hook" in job["metadata"].get("annotations", {})


def uid(thing: Object) -> str:
    return str(thing["metadata"]["uid"])


def _name(thing: Object) -> str:
    return str(thing["metadata"]["name"])


def left_in(namespace: Namespace) -> set[str]:
    return set(namespace.kubectl("get", KINDS, "--output=name").stdout.split()) - ALWAYS_THERE


def server(image: str) -> list[Object]:
    """A PostgreSQL for several releases, and the name it is found by."""
    access = {"USERNAME": "membership", "DATABASE": "membership", "PASSWORD": PASSWORD}
    container = {
        "name": "postgresql",
        "image": image,
        "imagePullPolicy": "Never",
        "command": ["membership", "database"],
        "env": [{"name": f"POSTGRES_{key}", "value": value} for key, value in access.items()],
        "readinessProbe": {"exec": {"command": ["pg_isready", "--host=127.0.0.1"]}, "periodSeconds": 1},
        "volumeMounts": [{"name": "data", "mountPath": "/var/lib/membership"}],
        "securityContext": SECURE_CONTAINER,
    }
    spec = {
        "containers": [container],
        "securityContext": SECURE_POD,
        "volumes": [{"name": "data", "emptyDir": {}}],
    }
    metadata = {"name": "postgresql", "labels": {"app": "postgresql"}}
    service = {"selector": {"app": "postgresql"}, "ports": [{"port": 5432}]}
    return [
        {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec},
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "postgresql"}, "spec": service},
    ]
