"""Containers that wait for a Job by its name: the ways people write that, as far as they can be told."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import DecodeError, Struct
from msgspec.json import decode

from watchbill.lifecycle.objects import Body
from watchbill.lifecycle.references import containers, pod_path, pod_spec
from watchbill.patterns import regex
from watchbill.rules.rule import Path

# `kubectl wait job/NAME`, `kubectl get job NAME`; flags may stand before and between.
_KUBECTL = regex(
    r"\bkubectl\b[^\n;|&]*?\s(?:wait|get)\b[^\n;|&]*?\bjobs?(?:\.batch)?(?:\.v1\.batch)?(?:/|\s+)"
    r"[\"']?(?P<name>[a-z0-9][a-z0-9.-]*)"
)
# groundnuty/k8s-wait-for: what to wait for, and its name.
_WAIT_FOR = regex(r"(?:^|\s)job(?:-wr|-we)?\s+(?P<name>[a-z0-9][a-z0-9.-]*)(?:\s|$)")
IMAGE = "k8s-wait-for"
# What a container says by its own name: wait-for-migrations.
_BY_NAME = regex(r"wait-(?:for-)?(?P<what>.{6,})")
# kubernetes-entrypoint: names with commas between them, or objects.
NAMES, OBJECTS = "DEPENDENCY_JOBS", "DEPENDENCY_JOBS_JSON"


class Wait(Struct, frozen=True):
    job: str
    container: str
    path: Path  # of the container


def waits(body: Body) -> Iterator[Wait]:
    """Every Job that a pod of the object waits for."""
    spec = pod_spec(body)
    if spec is None:
        return
    start = (*pod_path(body.kind), "spec")
    for path, container in containers(spec):
        for job in dict.fromkeys(_jobs(container)):
            yield Wait(job, str(container.get("name", "")), (*start, *path))


def meant(body: Body) -> Iterator[Wait]:
    """What init containers wait for by their own names: a part of a Job's name, perhaps."""
    spec = pod_spec(body)
    start = (*pod_path(body.kind), "spec")
    for path, container in containers(spec) if spec is not None else ():
        if path[0] == "initContainers" and (found := _BY_NAME.fullmatch(str(container.get("name", "")))):
            yield Wait(found["what"], str(container["name"]), (*start, *path))


def _jobs(container: Mapping[str, Any]) -> Iterator[str]:
    command = " ".join(str(word) for field in ("command", "args") for word in container.get(field) or ())
    if "kubectl" in command:
        yield from (found["name"] for found in _KUBECTL.finditer(command))
    if IMAGE in str(container.get("image", "")):
        yield from (found["name"] for found in _WAIT_FOR.finditer(command))
    for variable in container.get("env") or ():
        value = variable.get("value")
        if not isinstance(value, str):
            continue
        if variable.get("name") == NAMES:
            yield from (name.strip() for name in value.split(",") if name.strip())
        elif variable.get("name") == OBJECTS:
            yield from _listed(value)


def _listed(value: str) -> Iterator[str]:
    try:
        items = decode(value)
    except (DecodeError, UnicodeEncodeError):
        return
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and isinstance(item.get("name"), str):
            yield item["name"]
