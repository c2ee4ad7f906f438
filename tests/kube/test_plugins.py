"""Credential plugins: told what kubectl tells them, asked once for all, asked again when what they gave is over."""

import asyncio
import json
import os
import pty
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest
from lightkube.resources.core_v1 import Namespace

from dev import binaries
from tests.kube import writing
from tests.kube.certificates import Authority
from tests.kube.connecting import Ask, ask_async, both_clients, reach
from tests.kube.servers import Answer, FakeServer, Seen, namespace_object, proxying, status
from watchbill.kube import plugins
from watchbill.kube.client import connect
from watchbill.kube.errors import KubeError

ROOT = Path(__file__).resolve().parents[2]
V1 = "client.authentication.k8s.io/v1"
V1BETA1 = "client.authentication.k8s.io/v1beta1"


class Plugin:
    """A program that notes how it was called, and gives what `gives` holds then."""

    def __init__(self, folder: Path, version: str = V1) -> None:
        self.folder = folder
        self.version = version
        self.command = folder / "bin/plugin"
        self.command.parent.mkdir()
        self._gives = folder / "gives.json"
        self._calls = folder / "calls"
        self._calls.mkdir()
        self.command.write_text(
            "#!/bin/sh\n"
            f'call=$(mktemp -d "{self._calls}/XXXXXX")\n'
            'printf %s "$KUBERNETES_EXEC_INFO" > "$call/info"\n'
            'printf "%s\\n" "$@" > "$call/arguments"\n'
            'printf %s "$REGION" > "$call/region"\n'
            'cat > "$call/stdin"\n'
            f'cat "{self._gives}"\n'
        )
        self.command.chmod(0o755)
        self.gives(token="abc")

    def gives(self, until: datetime | None = None, **fields: str) -> None:
        status: dict[str, Any] = dict(fields)
        if until is not None:
            status["expirationTimestamp"] = until.strftime("%Y-%m-%dT%H:%M:%SZ")
        self.says(json.dumps({"apiVersion": self.version, "kind": "ExecCredential", "status": status}))

    def says(self, text: str) -> None:
        self._gives.write_text(text)

    def then(self, script: str) -> None:
        """More lines at its end."""
        with self.command.open("a") as file:
            file.write(script)

    def calls(self) -> list[dict[str, str]]:
        folders = sorted(self._calls.iterdir(), key=lambda call: call.stat().st_mtime_ns)
        return [{file.name: file.read_text() for file in call.iterdir()} for call in folders]

    def user(self, **fields: Any) -> writing.Part:
        mode = {"interactiveMode": "IfAvailable"} if self.version == V1 else {}
        return {"exec": {"apiVersion": self.version, "command": str(self.command), **mode, **fields}}


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return Plugin(tmp_path)


@pytest.fixture
def cluster(server: FakeServer, authority: Authority) -> writing.Part:
    return {"server": server.url(), "certificate-authority": str(authority.certificate)}


def authorizations(server: FakeServer) -> list[str]:
    return [seen.header("Authorization") for seen in server.seen]


TOLD: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "nothing of the cluster": (V1, {}, {}),
    "the older version": (V1BETA1, {}, {}),
    "the cluster": (V1, {"provideClusterInfo": True}, {}),
    "the cluster, the older version": (V1BETA1, {"provideClusterInfo": True}, {}),
    "all of the cluster": (
        V1,
        {"provideClusterInfo": True},
        {
            "tls-server-name": "inside.example",
            "disable-compression": True,
            "extensions": [
                {"name": "other", "extension": {"x": 1}},
                {
                    "name": "client.authentication.k8s.io/exec",
                    "extension": {
                        "audience": "me",
                        "n": 3,
                        "f": 1.5,
                        "day": "2026-01-01",
                        "list": [True, None],
                    },
                },
            ],
        },
    ),
    "insecure": (
        V1,
        {"provideClusterInfo": True},
        {"insecure-skip-tls-verify": True, "certificate-authority": None},
    ),
    "never interactive": (V1, {"interactiveMode": "Never"}, {}),
    "arguments and variables": (
        V1,
        {"args": ["a b", "", "--c=d"], "env": [{"name": "REGION", "value": "eu west"}]},
        {},
    ),
}


@pytest.mark.parametrize("case", TOLD)
def test_it_is_told_what_kubectl_tells_it(
    case: str, tmp_path: Path, cluster: writing.Part, home: Path
) -> None:
    version, user, more = TOLD[case]
    plugin = Plugin(tmp_path, version)
    found = reach(tmp_path, {**cluster, **more}, plugin.user(**user))
    environment = {"KUBECONFIG": str(tmp_path / "kubeconfig"), "HOME": str(home)}

    done = writing.kubectl("get", "--raw", "/api/v1/namespaces/there", env=environment)
    ask_async(found)

    assert done.returncode == 0, done.stderr
    theirs, ours = plugin.calls()
    assert json.loads(ours.pop("info")) == json.loads(theirs.pop("info"))
    assert ours == theirs


def test_it_is_told_of_the_proxy(plugin: Plugin, cluster: writing.Part, home: Path) -> None:
    with proxying() as proxy:
        found = reach(
            plugin.folder, {**cluster, "proxy-url": proxy.url}, plugin.user(provideClusterInfo=True)
        )
        environment = {"KUBECONFIG": str(plugin.folder / "kubeconfig"), "HOME": str(home)}
        done = writing.kubectl("get", "--raw", "/api/v1/namespaces/there", env=environment)
        ask_async(found)
    assert done.returncode == 0, done.stderr
    theirs, ours = [json.loads(call["info"]) for call in plugin.calls()]
    assert ours == theirs
    assert ours["spec"]["cluster"]["proxy-url"] == proxy.url


ASK = """
import sys
from pathlib import Path
from tests.kube.connecting import ask_async
from watchbill.kube import access
ask_async(access.find(sys.argv[1], environment={}))
"""


@pytest.mark.parametrize("mode", ["Never", "IfAvailable", "Always"])
def test_on_a_terminal(mode: str, plugin: Plugin, cluster: writing.Part, home: Path) -> None:
    """It may ask the person there, unless it says that it never does."""
    reach(plugin.folder, cluster, plugin.user(interactiveMode=mode))
    file = str(plugin.folder / "kubeconfig")
    commands = [
        [str(binaries.kubectl()), f"--kubeconfig={file}", "get", "--raw", "/api/v1/namespaces/there"],
        [sys.executable, "-c", ASK, file],
    ]
    for command in commands:
        person, terminal = pty.openpty()
        try:
            os.write(person, b"yes, please\n\x04")
            done = subprocess.run(
                command,
                check=False,
                stdin=terminal,
                capture_output=True,
                text=True,
                timeout=300,
                env={"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": "."},
                cwd=ROOT,
            )
        finally:
            os.close(person)
            os.close(terminal)
        assert done.returncode == 0, done.stderr
    theirs, ours = plugin.calls()
    told = json.loads(ours.pop("info"))
    assert told == json.loads(theirs.pop("info"))
    assert told["spec"]["interactive"] == (mode != "Never")
    assert ours == theirs
    assert ours["stdin"] == ("" if mode == "Never" else "yes, please\n")


def test_a_command_beside_the_kubeconfig(plugin: Plugin, cluster: writing.Part, server: FakeServer) -> None:
    ask_async(reach(plugin.folder, cluster, plugin.user(command="./bin/plugin")))
    assert authorizations(server) == ["Bearer abc"]


def test_a_command_on_the_path(
    plugin: Plugin, cluster: writing.Part, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(plugin.command.parent), prepend=":")
    ask_async(reach(plugin.folder, cluster, plugin.user(command="plugin")))
    assert authorizations(server) == ["Bearer abc"]


@both_clients
def test_a_certificate_that_it_gives(
    ask: Ask, plugin: Plugin, cluster: writing.Part, server: FakeServer, authority: Authority
) -> None:
    certificate, key = authority.client("from-plugin")
    plugin.gives(clientCertificateData=certificate.read_text(), clientKeyData=key.read_text())
    ask(reach(plugin.folder, cluster, plugin.user()))
    assert [(seen.certificate, seen.header("Authorization")) for seen in server.seen] == [("from-plugin", "")]


def test_what_stands_in_the_kubeconfig_comes_first(
    plugin: Plugin, cluster: writing.Part, server: FakeServer
) -> None:
    ask_async(reach(plugin.folder, cluster, {**plugin.user(), "token": "written"}))
    assert authorizations(server) == ["Bearer written"]
    assert plugin.calls() == []


def test_many_at_once_ask_it_once(plugin: Plugin, cluster: writing.Part, server: FakeServer) -> None:
    found = reach(plugin.folder, cluster, plugin.user())

    async def ask() -> None:
        async with connect(found) as kube, asyncio.TaskGroup() as tasks:
            for _ in range(20):
                tasks.create_task(kube.get(Namespace, "there"))

    asyncio.run(ask())
    assert authorizations(server) == ["Bearer abc"] * 20
    assert len(plugin.calls()) == 1


def test_many_that_are_refused_at_once_ask_it_once_more(
    plugin: Plugin, cluster: writing.Part, server: FakeServer
) -> None:
    def answer(seen: Seen) -> Answer:
        if seen.header("Authorization") == "Bearer abc":
            plugin.gives(token="new")
            return status(401, "Unauthorized", "Unauthorized")
        return namespace_object(seen)

    server.answer = answer
    found = reach(plugin.folder, cluster, plugin.user())

    async def ask() -> None:
        async with connect(found) as kube, asyncio.TaskGroup() as tasks:
            for _ in range(8):
                tasks.create_task(kube.get(Namespace, "there"))

    asyncio.run(ask())
    assert authorizations(server).count("Bearer new") == 8
    assert len(plugin.calls()) == 2


class TwoHoursLater(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return super().now(tz) + timedelta(hours=2)


def test_it_is_asked_again_when_the_time_is_over(
    plugin: Plugin, cluster: writing.Part, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin.gives(until=datetime.now(UTC) + timedelta(hours=1), token="short")
    found = reach(plugin.folder, cluster, plugin.user())

    async def ask() -> None:
        async with connect(found) as kube:
            await kube.get(Namespace, "there")
            await kube.get(Namespace, "there")
            plugin.gives(until=datetime.now(UTC) + timedelta(hours=9), token="long")
            monkeypatch.setattr(plugins, "datetime", TwoHoursLater)
            await kube.get(Namespace, "there")

    asyncio.run(ask())
    assert authorizations(server) == ["Bearer short", "Bearer short", "Bearer long"]
    assert len(plugin.calls()) == 2


@both_clients
def test_a_refused_certificate_is_replaced(
    ask: Ask, plugin: Plugin, cluster: writing.Part, server: FakeServer, authority: Authority
) -> None:
    def give(name: str) -> None:
        certificate, key = authority.client(name)
        plugin.gives(clientCertificateData=certificate.read_text(), clientKeyData=key.read_text())

    def answer(seen: Seen) -> Answer:
        if seen.certificate == "first":
            give("second")
            return status(401, "Unauthorized", "Unauthorized")
        return namespace_object(seen)

    give("first")
    server.answer = answer
    ask(reach(plugin.folder, cluster, plugin.user()))
    assert [seen.certificate for seen in server.seen] == ["first", "second"]


@both_clients
def test_one_that_gives_the_same_again_is_not_asked_for_ever(
    ask: Ask, plugin: Plugin, cluster: writing.Part, server: FakeServer
) -> None:
    server.answer = lambda _: status(401, "Unauthorized", "Unauthorized")
    with pytest.raises(KubeError, match="401"):
        ask(reach(plugin.folder, cluster, plugin.user()))
    assert len(plugin.calls()) == 2


ANSWERS = {
    "no JSON": ("oh no, token tell-nobody", "does not answer with an ExecCredential"),
    "another version": (json.dumps({"apiVersion": V1BETA1, "kind": "ExecCredential"}), "v1beta1"),
    "another kind": (json.dumps({"apiVersion": V1, "kind": "Pod"}), "Pod"),
    "no status": (json.dumps({"apiVersion": V1, "kind": "ExecCredential"}), "without a status"),
    "nothing": (
        json.dumps({"apiVersion": V1, "kind": "ExecCredential", "status": {}}),
        "neither a token nor",
    ),
    "no key": (
        json.dumps({"apiVersion": V1, "kind": "ExecCredential", "status": {"clientCertificateData": "x"}}),
        "only one of certificate and key",
    ),
    "bad time": (
        json.dumps(
            {"apiVersion": V1, "kind": "ExecCredential", "status": {"token": "x", "expirationTimestamp": "y"}}
        ),
        "does not answer with an ExecCredential",
    ),
    "bad certificate": (
        json.dumps(
            {
                "apiVersion": V1,
                "kind": "ExecCredential",
                "status": {"clientCertificateData": "tell-nobody", "clientKeyData": "tell-nobody"},
            }
        ),
        "cannot be used",
    ),
}


@both_clients
@pytest.mark.parametrize("case", ANSWERS)
def test_answers_that_are_none(case: str, ask: Ask, plugin: Plugin, cluster: writing.Part) -> None:
    said, message = ANSWERS[case]
    plugin.says(said)
    with pytest.raises(KubeError, match=message) as caught:
        ask(reach(plugin.folder, cluster, plugin.user()))
    assert "tell-nobody" not in str(caught.value)


@both_clients
def test_it_fails(ask: Ask, plugin: Plugin, cluster: writing.Part) -> None:
    plugin.then(
        'echo "cannot log in: Bearer tell-nobody, $PASS, --secret=tell-nobody eyJhbGciOiJub25lIn0.eyJ4IjoxfQ.sig" >&2\n'
        'printf "\\033[31mred\\033[0m\\n" >&2\nexit 3\n'
    )
    env = [{"name": "PASS", "value": "tell-nobody-either"}]
    with pytest.raises(KubeError, match="failed with exit code 3") as caught:
        ask(reach(plugin.folder, cluster, plugin.user(env=env)))
    told = str(caught.value)
    assert "it said: cannot log in: Bearer [hidden], [hidden], --secret=[hidden] [hidden]" in told
    assert "it said: red" in told
    assert "tell-nobody" not in told
    assert str(plugin.command) in told


def test_it_is_not_there(plugin: Plugin, cluster: writing.Part) -> None:
    user = plugin.user(command="no-such-plugin", installHint="brew install \x1b[1mno-such-plugin")
    with pytest.raises(KubeError, match="no-such-plugin is not there") as caught:
        ask_async(reach(plugin.folder, cluster, user))
    assert caught.value.then == "brew install no-such-plugin"


def test_it_cannot_be_run(plugin: Plugin, cluster: writing.Part) -> None:
    plugin.command.chmod(stat.S_IRUSR)
    with pytest.raises(KubeError, match="is not there, or cannot be run"):
        ask_async(reach(plugin.folder, cluster, plugin.user()))


def test_it_takes_too_long(plugin: Plugin, cluster: writing.Part, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "PATIENCE", 0.5)
    plugin.then("exec sleep 60\n")
    with pytest.raises(KubeError, match="took more than"):
        ask_async(reach(plugin.folder, cluster, plugin.user()))


def test_nobody_waits_for_it_any_more(plugin: Plugin, cluster: writing.Part) -> None:
    """Who is cancelled while a plugin runs ends at once, and the plugin with it."""
    plugin.then(f'echo $$ > "{plugin.folder}/pid"\nexec sleep 60\n')
    found = reach(plugin.folder, cluster, plugin.user())

    pid = plugin.folder / "pid"

    async def ask() -> None:
        async with connect(found) as kube:
            asking = asyncio.create_task(kube.get(Namespace, "there"))
            while not (pid.exists() and pid.read_text().endswith("\n")):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            asking.cancel()
            await asking

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(ask())
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no command": ({"command": ""}, "has no command"),
    "no version": ({"apiVersion": ""}, "has no apiVersion"),
    "an old version": ({"apiVersion": "client.authentication.k8s.io/v1alpha1"}, "speaks .*v1alpha1"),
    "no mode": ({"interactiveMode": ""}, "interactiveMode .* is missing"),
    "another mode": ({"interactiveMode": "Sometimes"}, "interactiveMode .* is Sometimes"),
    "a terminal": ({"interactiveMode": "Always"}, "wants a terminal"),
    "a variable without name": ({"env": [{"name": "", "value": "x"}]}, "has no name"),
}


@pytest.mark.parametrize("case", WRONG)
def test_plugins_that_cannot_be(case: str, plugin: Plugin, cluster: writing.Part) -> None:
    fields, message = WRONG[case]
    with pytest.raises(KubeError, match=message):
        ask_async(reach(plugin.folder, cluster, plugin.user(**fields)))
    assert plugin.calls() == []
