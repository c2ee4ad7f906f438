"""Services that a pod is going to talk to: their names as hosts in its variables, arguments and scripts.

A name alone is no proof: it may be a label, or a name in a certificate. It counts where it stands in a URL, has a
port, or where what it is given to says that it is a host.
"""

import base64
import re
from binascii import Error
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.references import Path, containers, pod_path, pod_spec
from watchbill.lifecycle.world import Manifest
from watchbill.patterns import regex

LEAST_PORT = 80  # below it a number after a colon is more likely the tag of an image
SAYS_HOST = regex(r"(?i)host|server|addr|endpoint|url|uri|dsn|broker|bootstrap|connection")
# Hosts that are served, allowed or certified, not asked.
OWN_HOST = regex(r"(?i)allowed|trusted|virtual|cors|cert|tls|ssl|san|domain|origin|name$")
HOST_FLAG = regex(r"(?i)(?:^|\s)(?:--?[\w.-]*(?:host|server|addr(?:ess)?|endpoint|url)s?[= ]|-h ?)$")
MAKES_CERTIFICATES = regex(r"(?i)cert|openssl|cfssl|--secret-name")


class Mention(Struct, frozen=True):
    service: Key
    path: Path  # of the field that names it


class _Text(Struct, frozen=True):
    path: Path
    variable: str  # its name; empty for an argument
    text: str
    before: str = ""  # the argument before it


def mentions(
    pod: Manifest, services: Iterable[Manifest], configuration: Mapping[Key, Manifest]
) -> list[Mention]:
    """Each Service once, where it stands first. `configuration`: what variables may be taken from."""
    spec = pod_spec(pod.body) or {}
    start = (*pod_path(pod.key.kind), "spec")
    texts = [
        (replace(found, path=(*start, *path, *found.path)), certifies)
        for path, container in containers(spec)
        for certifies in [_makes_certificates(container)]
        for found in _texts(container, pod.key.namespace, configuration)
    ]
    found = []
    for service in services:
        headless = (service.body.object.get("spec") or {}).get("clusterIP") == "None"
        pattern = _pattern(service.key.name, service.key.namespace, pod.key.namespace, headless)
        for text, certifies in texts:
            if service.key.name in text.text and _asks(pattern, text, weak=not certifies):
                found.append(Mention(service.key, text.path))
                break
    return found


def _makes_certificates(container: Mapping[str, Any]) -> bool:
    """Then the names of Services are what it certifies."""
    words = [container.get("image"), *(container.get("command") or ()), *(container.get("args") or ())]
    return any(MAKES_CERTIFICATES.search(str(word)) for word in words)


def _texts(
    container: Mapping[str, Any], namespace: str, configuration: Mapping[Key, Manifest]
) -> Iterator[_Text]:
    for place, variable in enumerate(container.get("env") or ()):
        path, name = ("env", place), str(variable.get("name", ""))
        if isinstance(value := variable.get("value"), str):
            yield _Text((*path, "value"), name, value)
        for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
            source = (variable.get("valueFrom") or {}).get(field)
            if source:
                known = configuration.get(Key("", kind, namespace, str(source.get("name", ""))))
                value = dict(_data(known)).get(str(source.get("key", "")))
                if value is not None:
                    yield _Text((*path, "valueFrom", field), name, value)
    for place, source in enumerate(container.get("envFrom") or ()):
        for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            name = str((source.get(field) or {}).get("name", ""))
            for variable, value in _data(configuration.get(Key("", kind, namespace, name))):
                yield _Text(("envFrom", place, field, "name"), variable, value)
    for field in ("command", "args"):
        words: Sequence[Any] = container.get(field) or ()
        for place, word in enumerate(words):
            before = str(words[place - 1]) if place else ""
            yield _Text((field, place), "", str(word), f"{before} ")


def _data(manifest: Manifest | None) -> Iterator[tuple[str, str]]:
    if manifest is None:
        return
    thing = manifest.body.object
    for field in ("data", "stringData"):
        encoded = field == "data" and manifest.key.kind == "Secret"
        for name, value in (thing.get(field) or {}).items():
            if isinstance(value, str):
                yield str(name), _decoded(value) if encoded else value


def _decoded(value: str) -> str:
    """Nothing where it is no text."""
    try:
        return base64.b64decode(value, validate=True).decode()
    except (Error, UnicodeDecodeError):
        return ""


@lru_cache(1 << 10)
def _pattern(name: str, namespace: str, own: str, headless: bool) -> re.Pattern[str]:
    """The name as a host: short within its namespace, else with it; of a headless one also that of each pod."""
    pods = r"(?:[a-z0-9-]+\.)?" if headless else ""
    spaces = rf"(?:{re.escape(namespace)}|\$[({{]?\w+[)}}]?)"
    domain = rf"\.{spaces}(?:\.svc(?:\.[a-z0-9.-]+)?)?"
    short = "?" if namespace == own else ""
    return re.compile(rf"(?<![\w.-]){pods}{re.escape(name)}(?:{domain}){short}(?![\w-]|\.\w)")


def _asks(pattern: re.Pattern[str], text: _Text, *, weak: bool) -> bool:
    """`weak`: whether it is enough that something is called a host."""
    for match in pattern.finditer(text.text):
        before, after = text.text[: match.start()], text.text[match.end() :]
        if re.search(r"://(?:[^/\s]*@)?$|\w@$", before) or _port(after):
            return True
        if not weak:
            continue
        if text.variable:
            called = SAYS_HOST.search(text.variable) and not OWN_HOST.search(text.variable)
            if called and re.search(r"(?:^|[,\s=])$", before) and re.match(r"[,\s;/?]|$", after):
                return True
        elif HOST_FLAG.search(text.before + before):
            return True
    return False


def _port(after: str) -> bool:
    """`:5432`, and ` 5432` as `nc` takes it."""
    port = re.match(r"[:\s](\d{2,5})(?!\d|\.)", after)
    return port is not None and int(port[1]) >= LEAST_PORT
