"""Which Services a pod is going to talk to, as far as it can be read: a name alone is no proof."""

from base64 import b64encode
from typing import Any

import pytest

from watchbill.lifecycle.objects import Body, Key, group_of
from watchbill.lifecycle.world import Manifest
from watchbill.rules.hosts import mentions


def manifest(kind: str, name: str, api_version: str = "v1", **rest: Any) -> Manifest:
    thing = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "ns"}, **rest}
    return Manifest(Key(group_of(api_version), kind, "ns", name), Body.of(thing))


def job(**container: Any) -> Manifest:
    pod = {"spec": {"containers": [{"name": "main", "image": "app:1.0", **container}]}}
    return manifest("Job", "migrate", "batch/v1", spec={"template": pod})


def variable(name: str, value: str) -> Manifest:
    return job(env=[{"name": name, "value": value}])


SERVICE = manifest("Service", "db", spec={"ports": [{"port": 5432}]})
HEADLESS = manifest("Service", "db", spec={"clusterIP": "None"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_HOST", "db"),
        ("DATABASE_HOST", "db.ns"),
        ("DATABASE_HOST", "db.ns.svc.cluster.local"),
        ("DATABASE_HOST", "db.$(NAMESPACE).svc"),
        ("KAFKA_BROKERS", "other,db"),
        ("ANYTHING", "db:5432"),
        ("ANYTHING", "postgres://user:secret@db/app"),
        ("ANYTHING", "jdbc:postgresql://db:5432/app"),
        ("ANYTHING", "user:secret@tcp(db:3306)/app"),
        ("DATABASE_DSN", "host=db user=app"),
    ],
)
def test_a_variable_names_it(name: str, value: str) -> None:
    [found] = mentions(variable(name, value), [SERVICE], {})
    assert found.service == SERVICE.key
    assert found.path == ("spec", "template", "spec", "containers", 0, "env", 0, "value")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("APPLICATION", "db"),
        ("DATABASE_HOST", "my-db"),
        ("DATABASE_HOST", "db-replica"),
        ("DATABASE_HOST", "db.example.com"),
        ("DATABASE_HOST", "db.elsewhere.svc"),
        ("ALLOWED_HOSTS", "db"),
        ("SERVER_NAME", "db"),
        ("IMAGE", "db:15"),
    ],
)
def test_a_variable_does_not(name: str, value: str) -> None:
    assert not mentions(variable(name, value), [SERVICE], {})


@pytest.mark.parametrize(
    "words",
    [
        ["psql", "-h", "db"],
        ["psql", "--host=db"],
        ["sh", "-c", "until nc -z db 5432; do sleep 1; done"],
        ["wait-for-it", "db:5432"],
        ["curl", "http://db/health"],
        ["app", "migrate", "--database-url", "postgres://db/app"],
    ],
)
def test_a_command_names_it(words: list[str]) -> None:
    [found] = mentions(job(command=words), [SERVICE], {})
    assert found.path[-2] == "command"


@pytest.mark.parametrize(
    "words",
    [
        ["create", "--host=db,db.ns.svc", "--secret-name=admission"],  # a certificate for it
        ["kubectl", "delete", "service", "db"],
        ["kubectl", "run", "--image=db:15"],
        ["echo", "db"],
    ],
)
def test_a_command_does_not(words: list[str]) -> None:
    assert not mentions(job(args=words), [SERVICE], {})


def test_a_pod_of_a_headless_service_is_asked_by_its_own_name() -> None:
    pod = variable("REPLICAS", "db-0.db:27017")
    assert mentions(pod, [HEADLESS], {})
    assert not mentions(pod, [SERVICE], {})


def test_variables_may_come_from_elsewhere() -> None:
    settings = manifest("ConfigMap", "settings", data={"DB_HOST": "db"})
    secret = manifest("Secret", "secret", data={"url": b64encode(b"redis://db").decode()})
    known = {one.key: one for one in (settings, secret)}
    whole = job(envFrom=[{"configMapRef": {"name": "settings"}}])
    one = job(env=[{"name": "URL", "valueFrom": {"secretKeyRef": {"name": "secret", "key": "url"}}}])
    for pod in (whole, one):
        assert mentions(pod, [SERVICE], known)
        assert not mentions(pod, [SERVICE], {})
