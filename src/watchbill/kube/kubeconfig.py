"""Kubeconfig files as kubectl reads and merges them: the first file that has a name or a current context wins."""

import base64
import binascii
import os
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from watchbill.kube.errors import KubeError

EXEC_EXTENSION = "client.authentication.k8s.io/exec"


class Cluster(Struct, frozen=True, kw_only=True):
    name: str = ""
    file: str = ""
    server: str = ""
    tls_server_name: str = ""
    insecure: bool = False
    authority_file: str = ""
    authority: bytes = b""
    proxy_url: str = ""
    disable_compression: bool = False


class Plugin(Struct, frozen=True, kw_only=True):
    """A program that gives credentials (`exec:`)."""

    command: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    api_version: str = ""
    install_hint: str = ""
    provide_cluster_info: bool = False
    interactive_mode: str = ""

    def __repr__(self) -> str:  # args and env may hold secrets
        return f"Plugin({self.command!r})"


class User(Struct, frozen=True, kw_only=True):
    name: str = ""
    file: str = ""
    certificate_file: str = ""
    certificate: bytes = b""
    key_file: str = ""
    key: bytes = b""
    token: str = ""
    token_file: str = ""
    username: str = ""
    password: str = ""
    plugin: Plugin | None = None
    auth_provider: str = ""
    impersonate: str = ""
    impersonate_uid: str = ""
    impersonate_groups: tuple[str, ...] = ()
    impersonate_extra: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __repr__(self) -> str:
        return f"User({self.name!r})"


class Context(Struct, frozen=True, kw_only=True):
    name: str = ""
    file: str = ""
    cluster: str = ""
    user: str = ""
    namespace: str = ""


class Kubeconfig(Struct, frozen=True, kw_only=True):
    """Several files as one."""

    files: tuple[str, ...]
    current: str
    clusters: Mapping[str, Cluster]
    users: Mapping[str, User]
    contexts: Mapping[str, Context]


def merged(files: Iterable[str]) -> Kubeconfig:
    """Files that do not exist are passed over, as kubectl does with those of $KUBECONFIG."""
    read = [(file, tree) for file in dict.fromkeys(files) if file and (tree := _read(file)) is not None]
    current = ""
    clusters: dict[str, Cluster] = {}
    users: dict[str, User] = {}
    contexts: dict[str, Context] = {}
    for file, tree in read:
        current = current or _Fields(tree, file, "").text("current-context")
        for kind, known, make in (
            ("clusters", clusters, _cluster),
            ("users", users, _user),
            ("contexts", contexts, _context),
        ):
            _add(known, make, kind, file, tree)
    return Kubeconfig(
        files=tuple(file for file, _ in read),
        current=current,
        clusters=clusters,
        users=users,
        contexts=contexts,
    )


def exec_extension(cluster: Cluster) -> Any:
    """What a cluster has to say to credential plugins; any JSON."""
    import yaml  # type: ignore[import-untyped]

    if not cluster.file:
        return None
    tree = _read(cluster.file, yaml.SafeLoader) or {}
    for entry in tree.get("clusters") or ():
        if entry.get("name") == cluster.name:
            for extension in (entry.get("cluster") or {}).get("extensions") or ():
                if extension.get("name") == EXEC_EXTENSION:
                    return extension.get("extension")
    return None


def _add(known: dict[str, Any], make: Any, kind: str, file: str, tree: Mapping[str, Any]) -> None:
    seen: set[str] = set()
    for entry in _Fields(tree, file, "").entries(kind):
        fields = _Fields(entry, file, kind)
        name = fields.text("name")
        if name in seen:
            raise KubeError(
                f"duplicate {name!r} in {kind}", where=file, then="kubectl does not read this file either"
            )
        seen.add(name)
        if name not in known:
            known[name] = make(name, fields.part(kind.removesuffix("s"), f"{kind} {name!r}"))


class _Fields:
    """Fields of one mapping; errors say where they stand."""

    def __init__(self, fields: Any, file: str, place: str) -> None:
        if fields is not None and not isinstance(fields, dict):
            raise KubeError(f"{place or 'the file'} is not a mapping", where=file)
        self.fields: dict[str, Any] = fields or {}
        self.file = file
        self.place = place

    def text(self, key: str) -> str:
        value = self.fields.get(key)
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str):
            raise self.wrong(key, "a text")
        return value

    def switch(self, key: str) -> bool:
        value = self.fields.get(key) or False
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def data(self, key: str) -> bytes:
        try:
            return base64.b64decode("".join(self.text(key).split()), validate=True)
        except (binascii.Error, ValueError) as error:
            raise self.wrong(key, "base64") from error

    def path(self, key: str) -> str:
        return _beside(self.file, self.text(key))

    def entries(self, key: str) -> list[Any]:
        value = self.fields.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(key, "a list")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        found = self.entries(key)
        if not all(isinstance(value, str) for value in found):
            raise self.wrong(key, "a list of texts")
        return tuple(found)

    def part(self, key: str, place: str) -> "_Fields":
        return _Fields(self.fields.get(key), self.file, place)

    def wrong(self, key: str, wanted: str) -> KubeError:
        return KubeError(f"{self.place}{' ' if self.place else ''}{key} is not {wanted}", where=self.file)


def _cluster(name: str, fields: _Fields) -> Cluster:
    return Cluster(
        name=name,
        file=fields.file,
        server=fields.text("server"),
        tls_server_name=fields.text("tls-server-name"),
        insecure=fields.switch("insecure-skip-tls-verify"),
        authority_file=fields.path("certificate-authority"),
        authority=fields.data("certificate-authority-data"),
        proxy_url=fields.text("proxy-url"),
        disable_compression=fields.switch("disable-compression"),
    )


def _context(name: str, fields: _Fields) -> Context:
    return Context(
        name=name,
        file=fields.file,
        cluster=fields.text("cluster"),
        user=fields.text("user"),
        namespace=fields.text("namespace"),
    )


def _user(name: str, fields: _Fields) -> User:
    extra = fields.part("as-user-extra", f"{fields.place} as-user-extra")
    provider = fields.fields.get("auth-provider")
    return User(
        name=name,
        file=fields.file,
        certificate_file=fields.path("client-certificate"),
        certificate=fields.data("client-certificate-data"),
        key_file=fields.path("client-key"),
        key=fields.data("client-key-data"),
        token=fields.text("token"),
        token_file=fields.path("tokenFile"),
        username=fields.text("username"),
        password=fields.text("password"),
        plugin=_plugin(fields) if fields.fields.get("exec") is not None else None,
        auth_provider=""
        if provider is None
        else _Fields(provider, fields.file, fields.place).text("name") or "unnamed",
        impersonate=fields.text("as"),
        impersonate_uid=fields.text("as-uid"),
        impersonate_groups=fields.texts("as-groups"),
        impersonate_extra=tuple((key, extra.texts(key)) for key in extra.fields),
    )


def _plugin(user: _Fields) -> Plugin:
    fields = user.part("exec", f"{user.place} exec")
    command, version = fields.text("command"), fields.text("apiVersion")
    mode = fields.text("interactiveMode")
    if not mode and version == "client.authentication.k8s.io/v1beta1":
        mode = "IfAvailable"
    env = [_Fields(entry, fields.file, f"{fields.place} env") for entry in fields.entries("env")]
    return Plugin(
        # A bare name is looked for on PATH, anything with a slash lies beside the file.
        command=_beside(fields.file, command) if os.sep in command else command,
        args=fields.texts("args"),
        env=tuple((entry.text("name"), entry.text("value")) for entry in env),
        api_version=version,
        install_hint=fields.text("installHint"),
        provide_cluster_info=fields.switch("provideClusterInfo"),
        interactive_mode=mode,
    )


def _beside(file: str, path: str) -> str:
    if not path or os.path.isabs(path):
        return path
    return os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(file)), path))


def _read(file: str, loader: Any = None) -> dict[str, Any] | None:
    import yaml

    try:
        with open(file, "rb") as stream:
            tree = yaml.load(stream, loader or _loader())  # noqa: S506  (a safe loader that knows fewer kinds of scalars)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise KubeError(f"cannot read the kubeconfig: {error.strerror}", where=file) from error
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise KubeError(f"the kubeconfig is not YAML: {_one_line(error)}", where=file) from error
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise KubeError("this is not a kubeconfig: it holds no mapping", where=file)
    return tree


def _one_line(error: Exception) -> str:
    """Without the excerpt that YAML errors show: it may be a token."""
    problem, mark = getattr(error, "problem", None), getattr(error, "problem_mark", None)
    return f"{problem}, line {mark.line + 1}" if problem and mark else type(error).__name__


def _loader() -> Any:
    """Scalars are texts, but for null, true and false: a token of digits stays what was written."""
    import yaml

    class Loader(yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader):  # type: ignore[misc]
        yaml_implicit_resolvers = _only(yaml.SafeLoader.yaml_implicit_resolvers, "null", "bool", "merge")

    return Loader


def _only(resolvers: dict[str, list[Any]], *wanted: str) -> dict[str, list[Any]]:
    found = {
        first: [entry for entry in entries if entry[0].rpartition(":")[2] in wanted]
        for first, entries in resolvers.items()
    }
    return {first: entries for first, entries in found.items() if entries}
