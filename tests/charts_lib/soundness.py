"""What holds of every rendering of every consumer, whatever its values are."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tests.charts_lib.helm import Object, identity

LONGEST = {"CronJob": 52, "Job": 63, "Pod": 63}
OWNED = "meta.helm.sh/release-name"


def unsound(objects: Sequence[Object], passwords: Sequence[str], given: Sequence[str]) -> list[str]:
    """What is wrong; `given` are names of accounts and Secrets that somebody else brings."""
    return [f"{identity(one)}: {what}" for one in objects for what in _of_one(one, passwords)] + [
        *_twice(objects),
        *(what for one in objects for what in _needs(one, objects, given)),
    ]


def _of_one(one: Object, passwords: Sequence[str]) -> Iterator[str]:
    name, metadata = one["metadata"]["name"], one["metadata"]
    if len(name) > LONGEST.get(one["kind"], 253) or not re.fullmatch(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", name):
        yield f"the name has {len(name)} letters or is none"
    yield from (f"label {label!r} is too long" for label in _labels(one) if len(str(label)) > 63)
    texts = [*(metadata.get("annotations") or {}).values(), *_labels(one)]
    yield from (f"{text!r} is no text" for text in texts if not isinstance(text, str))
    if "argocd.argoproj.io" in str(one):
        yield "Argo CD translates hooks itself"
    if one["kind"] != "Secret":
        yield from (f"the password {secret!r} can be read" for secret in passwords if secret in str(one))
    spec = job_spec(one)
    if spec and "watchbill.dev/job" in (metadata.get("labels") or {}):
        yield from _of_job(one, spec)


def _labels(one: Object) -> list[str]:
    template = (job_spec(one) or {}).get("template", {}).get("metadata", {})
    return [*(one["metadata"].get("labels") or {}).values(), *(template.get("labels") or {}).values()]


def job_spec(one: Object) -> dict[str, Any] | None:
    spec: dict[str, Any] = one.get("spec", {})
    if one["kind"] == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    return spec if one["kind"] in ("Job", "CronJob") else None


def _of_job(one: Object, spec: dict[str, Any]) -> Iterator[str]:
    pod, labels = spec["template"]["spec"], spec["template"]["metadata"]["labels"]
    if pod["restartPolicy"] != "Never":
        yield "a container that restarts loses its logs"
    attempts = (spec["backoffLimit"] + 1) * pod["activeDeadlineSeconds"]
    if not spec["activeDeadlineSeconds"] > attempts:
        yield "the Job's deadline ends an attempt, and its logs with it"
    if is_hook(one) != ("ttlSecondsAfterFinished" in spec):
        yield "hooks expire, and nothing else does"
    if not (spec.get("selector", {}).get("matchLabels") or {}).items() <= labels.items():
        yield "the selector does not select the pods"
    if any("chart" in label for label in labels):
        yield "a label of the pod changes with the version"
    if (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["seccompProfile"]) != (
        True,
        {"type": "RuntimeDefault"},
    ):
        yield "the pod is not restricted"
    for container in [*pod["containers"], *pod.get("initContainers", ())]:
        security = container["securityContext"]
        if security["allowPrivilegeEscalation"] or security["capabilities"]["drop"] != ["ALL"]:
            yield f"{container['name']} is not restricted"


def is_hook(one: Object) -> bool:
    return "helm.sh/hook" in (one["metadata"].get("annotations") or {})


def weight(one: Object) -> int:
    return int(one["metadata"]["annotations"].get("helm.sh/hook-weight", 0))


def _twice(objects: Sequence[Object]) -> Iterator[str]:
    names = [identity(one) for one in objects]
    yield from (f"{name} is there twice" for name in sorted(set(names)) if names.count(name) > 1)


def _needs(one: Object, objects: Sequence[Object], given: Sequence[str]) -> Iterator[str]:
    """What the pod of a Job cannot start without is there before it: as a hook of less weight, or plain as it is."""
    spec = job_spec(one)
    if not spec:
        return
    by_identity = {identity(other): other for other in objects}
    for needed in _named(spec["template"]["spec"]):
        there = by_identity.get(needed)
        if needed.split("/", 1)[1] in given:
            continue
        if there is None:
            yield f"{identity(one)} needs {needed}, which is not there"
        elif is_hook(there) != is_hook(one):
            yield f"{identity(one)} and {needed} are not of the same form"
        elif is_hook(there) and weight(there) >= weight(one):
            yield f"{identity(one)} runs before {needed}"
        elif is_hook(there) and OWNED not in there["metadata"]["annotations"]:
            yield f"{needed} cannot become plain: no release owns it"


def _named(pod: dict[str, Any]) -> Iterator[str]:
    yield f"ServiceAccount/{pod['serviceAccountName']}"
    for container in [*pod["containers"], *pod.get("initContainers", ())]:
        for variable in container.get("env", ()):
            if reference := variable.get("valueFrom", {}).get("secretKeyRef"):
                yield f"Secret/{reference['name']}"
    for volume in pod.get("volumes", ()):
        if "configMap" in volume:
            yield f"ConfigMap/{volume['configMap']['name']}"
