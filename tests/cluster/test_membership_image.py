"""The images of examples/charts/membership: a real PostgreSQL, and migrations that really change a table."""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest

from dev.cluster.client import Cluster, Done, Namespace, Object, eventually
from dev.image.recipes import MEMBERSHIP

pytestmark = pytest.mark.cluster

ACCESS = {
    "HOST": "database",
    "PORT": "5432",
    "DATABASE": "members",
    "USERNAME": "owner",
    "PASSWORD": "s3cret@/%",
}
SECURE_POD = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
SECURE_CONTAINER = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}
# How long anything may take on a machine that does much else.
PATIENCE = 180


def pod(name: str, image: str, *command: str, **spec: Any) -> Object:
    container = {
        "name": "main",
        "image": image,
        "imagePullPolicy": "Never",
        "command": list(command),
        "env": [{"name": f"POSTGRES_{key}", "value": value} for key, value in ACCESS.items()],
        "securityContext": SECURE_CONTAINER,
        **spec.pop("container", {}),
    }
    body = {
        "containers": [container],
        "terminationGracePeriodSeconds": 5,
        "securityContext": SECURE_POD,
        **spec,
    }
    metadata = {"name": name, "labels": {"pod": name}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": body}


@dataclass(frozen=True)
class Database:
    """One of the server's databases, and pods `v1` to `v4` that run the program of each version on it."""

    namespace: Namespace
    name: str

    def run(self, version: int, *words: str) -> tuple[int, str]:
        """A command of a version: its exit code and what it said."""
        done = self._in(f"v{version}", "membership", *words)
        return done.returncode, done.stdout

    def query(self, sql: str) -> list[str]:
        script = (
            'PGPASSWORD="$POSTGRES_PASSWORD" psql -qAt -h 127.0.0.1 -U owner -c "$0" "$POSTGRES_DATABASE"'
        )
        done = self._in("database", "sh", "-c", script, sql)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def history(self) -> list[str]:
        return self.query("select version, by from schema_migrations order by applied_at")

    @property
    def uri(self) -> str:
        return f"postgresql://owner:{quote(ACCESS['PASSWORD'], safe='')}@database/{self.name}"

    def start(self, name: str, *command: str) -> Object:
        """A pod beside those that are there."""
        here = ("env", f"POSTGRES_DATABASE={self.name}")
        one = pod(f"{name}-{self.name}", f"{MEMBERSHIP}:4", *here, *command, restartPolicy="Never")
        self.namespace.apply(one)
        return one

    def _in(self, name: str, *command: str) -> Done:
        here = ("env", f"POSTGRES_DATABASE={self.name}")
        return self.namespace.kubectl("exec", name, "--", *here, *command, check=False)


def ended(namespace: Namespace, one: Object) -> int:
    name = one["metadata"]["name"]

    def code() -> list[int]:
        found = namespace.find("pod", name)
        assert found is not None
        states = [status["state"] for status in found["status"].get("containerStatuses", [])]
        return [state["terminated"]["exitCode"] for state in states if "terminated" in state]

    codes = eventually(code, PATIENCE)
    assert codes is not None, f"the pod {name} still runs"
    return codes[0]


@pytest.fixture(scope="module")
def server(
    node: Cluster, membership_images: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Namespace]:
    """A namespace that admits restricted pods only, with PostgreSQL and a pod of every version in it."""
    namespace = Namespace(node, f"test-{uuid.uuid4().hex[:12]}", tmp_path_factory.mktemp("helm"))
    node.kubectl("create", "namespace", namespace.name)
    try:
        node.kubectl("label", "namespace", namespace.name, "pod-security.kubernetes.io/enforce=restricted")
        assert eventually(lambda: namespace.find("serviceaccount", "default"), PATIENCE)
        ask = {
            "exec": {"command": ["pg_isready", "--host=127.0.0.1"]},
            "periodSeconds": 1,
            "timeoutSeconds": 10,
        }
        mounts = [{"name": "data", "mountPath": "/var/lib/membership"}]
        service = {"selector": {"pod": "database"}, "ports": [{"port": 5432}]}
        namespace.apply(
            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "database"}, "spec": service},
            pod(
                "database",
                f"{membership_images}:1",
                *("membership", "database"),
                container={"readinessProbe": ask, "volumeMounts": mounts},
                volumes=[{"name": "data", "emptyDir": {}}],
            ),
            *(pod(f"v{n}", f"{membership_images}:{n}", "sleep", "3600") for n in range(1, 5)),
        )
        ready(namespace)
        yield namespace
    finally:
        node.kubectl("delete", "namespace", namespace.name, "--wait=false")


def ready(namespace: Namespace) -> None:
    namespace.kubectl("wait", "pod", "--all", "--for=condition=Ready", f"--timeout={PATIENCE}s")


@pytest.fixture
def database(server: Namespace) -> Database:
    """A new one for each test."""
    name = f"d{uuid.uuid4().hex[:8]}"
    Database(server, ACCESS["DATABASE"]).query(f"create database {name}")
    return Database(server, name)


def test_each_version_changes_the_table_once(database: Database) -> None:
    assert database.run(1, "answers") == (0, "")
    assert database.run(1, "ready") == (1, "the schema is at 0, and version 1 needs 1\n")
    assert database.run(1, "migrate") == (0, "version 1 found the schema at 0\napplied 1-members.sql\n")
    assert database.run(1, "welcome") == (0, "welcomed Ada\n")
    assert database.run(2, "ready") == (1, "the schema is at 1, and version 2 needs 2\n")
    assert database.run(2, "migrate") == (0, "version 2 found the schema at 1\napplied 2-email.sql\n")
    assert database.run(2, "migrate") == (0, "version 2 found the schema at 2\n")
    assert database.run(2, "ready") == (0, "the schema is at 2, and version 2 needs 2\n")

    assert database.query("select name, email from members") == ["Ada|ada@example.org"]
    assert database.history() == ["1|v1", "2|v2"]


def test_a_schema_that_is_newer_is_left_as_it_is(database: Database) -> None:
    database.run(4, "migrate")

    assert database.run(1, "migrate") == (0, "version 1 found the schema at 4\n")
    assert database.run(1, "ready") == (0, "the schema is at 4, and version 1 needs 1\n")
    assert database.run(4, "welcome") == (0, "welcomed Ada\n")
    assert database.run(1, "welcome") == (0, "there are members already\n")
    assert database.history() == [f"{version}|v4" for version in (1, 2, 3, 4)]


def test_version_3_fails_and_leaves_nothing_half_done_and_version_4_repairs_it(database: Database) -> None:
    database.run(2, "migrate")

    assert database.run(3, "migrate") == (
        1,
        'version 3 found the schema at 2\nfailed: 3-joined.sql: column "join_date" does not exist\n',
    )

    columns = "select column_name from information_schema.columns where table_name = 'members'"
    assert sorted(database.query(columns)) == ["email", "id", "name"]
    assert database.history() == ["1|v2", "2|v2"]
    assert database.run(4, "migrate") == (
        0,
        "version 4 found the schema at 2\napplied 3-joined.sql\napplied 4-one-address-each.sql\n",
    )
    assert database.history() == ["1|v2", "2|v2", "3|v4", "4|v4"]


def test_several_at_once_change_the_table_once(database: Database) -> None:
    pods = [database.start(f"at-once-{number}", "membership", "migrate") for number in range(3)]

    assert [ended(database.namespace, one) for one in pods] == [0, 0, 0]

    assert [row.split("|")[0] for row in database.history()] == ["1", "2", "3", "4"]


def test_a_migration_waits_while_another_holds_the_lock(database: Database) -> None:
    hold = "select pg_advisory_lock(20261116), pg_sleep(3600)"
    database.start("holds", "psql", database.uri, "-c", hold)
    locks = (
        "from pg_locks where locktype = 'advisory' and database ="
        " (select oid from pg_database where datname = current_database())"
    )
    assert eventually(lambda: database.query(f"select 1 {locks} and granted"), PATIENCE), (
        "nobody has the lock"
    )

    waiting = database.start("waits", "membership", "migrate")

    assert eventually(lambda: database.query(f"select 1 {locks} and not granted"), PATIENCE), "it did not ask"
    database.query(f"select pg_terminate_backend(pid) {locks} and granted")
    assert ended(database.namespace, waiting) == 0


def test_the_service_shows_its_members(database: Database) -> None:
    database.run(4, "migrate")
    database.run(4, "welcome")
    name = database.start("web", "membership", "serve")["metadata"]["name"]
    proxy = f"/api/v1/namespaces/{database.namespace.name}/pods/{name}:8080/proxy"

    def answer(path: str) -> Any:
        done = database.namespace.cluster.kubectl("get", "--raw", f"{proxy}/{path}", check=False)
        return None if done.returncode else json.loads(done.stdout)

    assert eventually(lambda: answer("healthz"), PATIENCE) == {"version": 4}
    [member] = answer("members")
    assert {key: member[key] for key in ("id", "name", "email")} == {
        "id": 1,
        "name": "Ada",
        "email": "ada@example.org",
    }


def test_the_service_ends_when_it_is_told_to(database: Database) -> None:
    one = database.start("web", "membership", "serve")
    name = one["metadata"]["name"]
    database.namespace.kubectl("wait", f"pod/{name}", "--for=condition=Ready", f"--timeout={PATIENCE}s")
    assert eventually(lambda: "listens" in database.namespace.kubectl("logs", name).stdout, PATIENCE)

    database.namespace.kubectl("exec", name, "--", "kill", "1")

    assert ended(database.namespace, one) == 0


def test_the_server_ends_at_once_and_finds_its_data_again(database: Database) -> None:
    """With a client connected: PostgreSQL must not wait for it."""
    database.run(1, "migrate")
    client = database.start("client", "psql", database.uri, "-c", "select pg_sleep(3600)")
    busy = "select 1 from pg_stat_activity where query = 'select pg_sleep(3600)'"
    assert eventually(lambda: database.query(busy), PATIENCE)

    database.namespace.kubectl("exec", "database", "--", "kill", "1")

    assert ended(database.namespace, client) == 2, "psql's word for a lost connection"
    assert eventually(lambda: restarts(database.namespace) == 1, PATIENCE)
    assert eventually(lambda: database.run(1, "answers") == (0, ""), PATIENCE)
    assert database.history() == ["1|v1"]


def restarts(namespace: Namespace) -> int:
    found = namespace.find("pod", "database")
    assert found is not None
    return int(found["status"]["containerStatuses"][0]["restartCount"])


def test_a_database_that_is_not_there_does_not_answer(server: Namespace) -> None:
    done = server.kubectl(
        "exec", "v1", "--", "env", "POSTGRES_HOST=nowhere", "membership", "answers", check=False
    )

    assert done.returncode == 1
    assert done.stdout == (
        'failed: could not translate host name "nowhere" to address: Name or service not known\n'
    )
