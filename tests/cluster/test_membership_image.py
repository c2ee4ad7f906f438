"""The images of examples/charts/membership: a real PostgreSQL, and migrations that really change a table."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from dev.cluster.client import Namespace, Object, eventually

pytestmark = pytest.mark.cluster

ACCESS = {
    "HOST": "database",
    "PORT": "5432",
    "DATABASE": "members",
    "USERNAME": "owner",
    "PASSWORD": "s3cret@/%",
}
RESTRICTED = {
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}
Run = Callable[..., tuple[int, str]]


def pod(name: str, image: str, *command: str, **spec: Any) -> Object:
    container = {
        "name": "main",
        "image": image,
        "imagePullPolicy": "Never",
        "args": list(command),
        "env": [{"name": f"POSTGRES_{key}", "value": value} for key, value in ACCESS.items()],
        "securityContext": RESTRICTED,
        **spec.pop("container", {}),
    }
    metadata = {"name": name, "labels": {"pod": name}}
    body = {"containers": [container], "restartPolicy": "Never", **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": body}


def client(name: str, image: str, sql: str) -> Object:
    ask = 'PGPASSWORD="$POSTGRES_PASSWORD" psql -h "$POSTGRES_HOST" -U "$POSTGRES_USERNAME" members -c "$0"'
    return pod(name, image, container={"command": ["sh", "-c", ask, sql]})


def ended(namespace: Namespace, name: str) -> int:
    def code() -> list[int]:
        found = namespace.find("pod", name)
        assert found is not None
        states = [status["state"] for status in found["status"].get("containerStatuses", [])]
        return [state["terminated"]["exitCode"] for state in states if "terminated" in state]

    codes = eventually(code, 60)
    assert codes is not None, f"the pod {name} still runs"
    return codes[0]


@pytest.fixture
def database(namespace: Namespace, membership_images: str) -> Namespace:
    """A namespace that allows restricted pods only, with PostgreSQL in it."""
    restricted = "pod-security.kubernetes.io/enforce=restricted"
    namespace.cluster.kubectl("label", "namespace", namespace.name, restricted)
    service = {"selector": {"pod": "database"}, "ports": [{"port": 5432}]}
    ask = {"exec": {"command": ["pg_isready", "--host=127.0.0.1"]}, "periodSeconds": 1}
    mounts = [{"name": "data", "mountPath": "/var/lib/membership"}]
    server = pod(
        "database",
        f"{membership_images}:1",
        "database",
        container={"readinessProbe": ask, "volumeMounts": mounts},
        volumes=[{"name": "data", "emptyDir": {}}],
        restartPolicy="Always",
    )
    namespace.apply(
        server, {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "database"}, "spec": service}
    )
    wait_until_ready(namespace)
    return namespace


def wait_until_ready(namespace: Namespace) -> None:
    namespace.kubectl("wait", "pod/database", "--for=condition=Ready", "--timeout=60s")


@pytest.fixture
def run(database: Namespace, membership_images: str) -> Run:
    """Run a command in a pod `vN` of a version: its exit code and what it said."""

    def command(version: int, *words: str) -> tuple[int, str]:
        name = f"v{version}"
        if database.find("pod", name) is None:
            stays = {"command": ["sleep", "600"]}
            image = f"{membership_images}:{version}"
            database.apply(pod(name, image, container=stays, terminationGracePeriodSeconds=1))
            database.kubectl("wait", f"pod/{name}", "--for=condition=Ready", "--timeout=60s")
        done = database.kubectl("exec", name, "--", "membership", *words, check=False)
        return done.returncode, done.stdout

    return command


def query(namespace: Namespace, sql: str) -> list[str]:
    variables = {"HOST": "127.0.0.1", "DATABASE": ACCESS["DATABASE"], "USER": ACCESS["USERNAME"]}
    words = [f"PG{key}={value}" for key, value in {**variables, "PASSWORD": ACCESS["PASSWORD"]}.items()]
    command = [
        "exec",
        "database",
        "--",
        "env",
        *words,
        "psql",
        "--no-align",
        "--tuples-only",
        "--command",
        sql,
    ]
    return namespace.kubectl(*command).stdout.splitlines()


def history(namespace: Namespace) -> list[str]:
    return query(namespace, "select version, by from schema_migrations order by applied_at")


def test_each_version_changes_the_table_once(database: Namespace, run: Run) -> None:
    assert run(1, "ready") == (1, "the schema is at 0, and version 1 needs 1\n")
    assert run(1, "migrate") == (0, "version 1 found the schema at 0\napplied 1-members.sql\n")
    assert run(1, "welcome") == (0, "welcomed Ada\n")
    assert run(2, "ready") == (1, "the schema is at 1, and version 2 needs 2\n")
    assert run(2, "migrate") == (0, "version 2 found the schema at 1\napplied 2-email.sql\n")
    assert run(2, "migrate") == (0, "version 2 found the schema at 2\n")
    assert run(2, "ready") == (0, "the schema is at 2, and version 2 needs 2\n")

    assert query(database, "select name, email from members") == ["Ada|ada@example.org"]
    assert history(database) == ["1|v1", "2|v2"]


def test_a_schema_that_is_newer_is_left_as_it_is(database: Namespace, run: Run) -> None:
    run(4, "migrate")

    assert run(1, "migrate") == (0, "version 1 found the schema at 4\n")
    assert run(1, "ready") == (0, "the schema is at 4, and version 1 needs 1\n")
    assert run(4, "welcome") == (0, "welcomed Ada\n")
    assert run(1, "welcome") == (0, "there are members already\n")
    assert history(database) == [f"{version}|v4" for version in (1, 2, 3, 4)]


def test_version_3_fails_and_leaves_nothing_half_done_and_version_4_repairs_it(
    database: Namespace, run: Run
) -> None:
    run(2, "migrate")

    code, said = run(3, "migrate")

    assert code == 1
    assert said.startswith(
        'version 3 found the schema at 2\nfailed: 3-joined.sql: column "join_date" does not exist\n'
    )
    columns = "select column_name from information_schema.columns where table_name = 'members'"
    assert sorted(query(database, columns)) == ["email", "id", "name"]
    assert history(database) == ["1|v2", "2|v2"]
    assert run(4, "migrate") == (
        0,
        "version 4 found the schema at 2\napplied 3-joined.sql\napplied 4-one-address-each.sql\n",
    )
    assert history(database) == ["1|v2", "2|v2", "3|v4", "4|v4"]


def test_several_at_once_change_the_table_once(database: Namespace, membership_images: str) -> None:
    names = [f"at-once-{number}" for number in range(4)]
    database.apply(*(pod(name, f"{membership_images}:4", "migrate") for name in names))

    assert [ended(database, name) for name in names] == [0] * 4

    assert [row.split("|")[0] for row in history(database)] == ["1", "2", "3", "4"]


def test_a_migration_waits_while_another_holds_the_lock(database: Namespace, membership_images: str) -> None:
    database.apply(
        client("other", f"{membership_images}:1", "select pg_advisory_lock(20261116), pg_sleep(300)")
    )
    locks = "select 1 from pg_locks where locktype = 'advisory' and"
    assert eventually(lambda: query(database, f"{locks} granted"), 30), "nobody holds the lock"

    database.apply(pod("migrate", f"{membership_images}:1", "migrate"))

    assert eventually(lambda: query(database, f"{locks} not granted"), 30), "it does not ask for the lock"
    query(database, "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted")
    assert ended(database, "migrate") == 0


def test_the_service_shows_its_members(database: Namespace, run: Run, membership_images: str) -> None:
    run(2, "migrate")
    run(2, "welcome")
    ask = {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 1}
    database.apply(pod("web", f"{membership_images}:2", "serve", container={"readinessProbe": ask}))
    database.kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=60s")

    proxy = f"/api/v1/namespaces/{database.name}/pods/web:8080/proxy"

    members = database.cluster.get(f"{proxy}/members")
    assert json.dumps(members) == '[{"id": 1, "name": "Ada", "email": "ada@example.org"}]'
    assert database.cluster.get(f"{proxy}/healthz") == {"version": 2}


def test_the_database_ends_at_once_and_finds_its_data_again(
    database: Namespace, run: Run, membership_images: str
) -> None:
    """With a client connected: PostgreSQL must not wait for it."""
    run(1, "migrate")
    database.apply(client("client", f"{membership_images}:1", "select pg_sleep(300)"))
    busy = "select 1 from pg_stat_activity where query ~ '^select pg_sleep'"
    assert eventually(lambda: query(database, busy), 30)

    database.kubectl("exec", "database", "--", "kill", "1")

    assert ended(database, "client") == 2, "psql's word for a lost connection"
    assert eventually(lambda: restarts(database) == 1, 30)
    wait_until_ready(database)
    assert run(1, "answers") == (0, "")
    assert history(database) == ["1|v1"]


def restarts(namespace: Namespace) -> int:
    found = namespace.find("pod", "database")
    assert found is not None
    return int(found["status"]["containerStatuses"][0]["restartCount"])


def test_a_database_that_is_not_there_does_not_answer(namespace: Namespace, membership_images: str) -> None:
    namespace.apply(pod("early", f"{membership_images}:1", "answers"))

    assert ended(namespace, "early") == 1
    said = namespace.kubectl("logs", "early").stdout
    assert said == 'failed: could not translate host name "database" to address: Name or service not known\n'
