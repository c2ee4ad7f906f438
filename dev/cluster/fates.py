"""What shall become of a pod, and the status that says so. Pure: no clock, no network."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

ANNOTATION = "watchbill.dev/fate"
CONFIG_MAP = "watchbill-fates"
# Names cannot hold an underscore, so this key of the ConfigMap is never a Job's.
PATTERNS = "_patterns"
# The same for Jobs and for pods made by hand: `* fail` there leaves Deployments in peace, which are named
# by kind: `Deployment/web hang`.
JOBS = "_jobs"
MANY_RESTARTS = 1_000_000
LOOK_AGAIN = 0.5  # seconds, at a pod that waits for something
KILLED = 137  # the exit code of a container that did not go when it was told to
GRAMMAR = "succeed, fail, hang, late:SECONDS, fail:N then succeed"

Status = dict[str, Any]


@dataclass(frozen=True)
class Fate:
    kind: Literal["succeed", "fail", "hang", "late"]
    seconds: float = 0
    # Failures before success; None: it fails for ever.
    failures: int | None = None


def parse(text: str) -> Fate:
    text = text.strip()
    if text == "succeed":
        return Fate("succeed")
    if text == "fail":
        return Fate("fail")
    if text == "hang":
        return Fate("hang")
    if match := re.fullmatch(r"late:(\d+(?:\.\d+)?)", text):
        return Fate("late", seconds=float(match[1]))
    if match := re.fullmatch(r"fail:(\d+)(?: then succeed)?", text):
        return Fate("fail", failures=int(match[1]))
    raise ValueError(f"{text!r} is no fate; write one of: {GRAMMAR}")


def choose(kind: str, name: str, table: Mapping[str, str], *annotations: Mapping[str, str]) -> str:
    """The namespace's table comes first: it can change the fate of what already runs."""
    if name in table:
        return table[name]
    for key in (JOBS, PATTERNS):
        for line in table.get(key, "").splitlines():
            pattern, _, fate = line.strip().partition(" ")
            if pattern and _concerns(pattern, kind, name, jobs_only=key == JOBS):
                return fate
    return next((found[ANNOTATION] for found in annotations if ANNOTATION in found), "succeed")


def _concerns(pattern: str, kind: str, name: str, *, jobs_only: bool) -> bool:
    wanted, slash, names = pattern.rpartition("/")
    if not slash:
        return (not jobs_only or kind in ("Job", "")) and fnmatchcase(name, pattern)
    if wanted == "Deployment" and kind == "ReplicaSet":
        return fnmatchcase(name.rpartition("-")[0], names)  # its own name, then a hash
    return wanted == kind and fnmatchcase(name, names)


def needs(pod: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Resource and name of what the kubelet does not start the pod without."""
    spec = pod["spec"]
    found = []
    for container in [*(spec.get("initContainers") or ()), *spec["containers"]]:
        sources = [variable.get("valueFrom") or {} for variable in container.get("env") or ()]
        for source in [*sources, *(container.get("envFrom") or ())]:
            found += _refers(source, "configMapKeyRef", "secretKeyRef")
            found += _refers(source, "configMapRef", "secretRef")
    for volume in spec.get("volumes") or ():
        found += _refers(volume, "configMap", "")
        if (secret := volume.get("secret")) and not secret.get("optional"):
            found.append(("secrets", secret["secretName"]))
        if claim := volume.get("persistentVolumeClaim"):
            found.append(("persistentvolumeclaims", claim["claimName"]))
        for source in (volume.get("projected") or {}).get("sources") or ():
            found += _refers(source, "configMap", "secret")
    return list(dict.fromkeys(found))


def _refers(source: Mapping[str, Any], config_map: str, secret: str) -> list[tuple[str, str]]:
    found = []
    for field, resource in ((config_map, "configmaps"), (secret, "secrets")):
        reference = source.get(field)
        if reference and reference.get("name") and not reference.get("optional"):
            found.append((resource, reference["name"]))
    return found


@dataclass(frozen=True)
class Step:
    """A status to write now, and after how many seconds to look again."""

    status: Status | None = None
    again: float | None = None


def step(pod: dict[str, Any], fate: Fate, age: float, failures: int, now: str) -> Step:
    """The next step of a pod that runs for `age` seconds and whose Job has seen so many failed pods."""
    # Containers that hang do not go when they are told to: they are killed when that time is over.
    left = _seconds_left(pod, age, pod["spec"].get("terminationGracePeriodSeconds", 30))
    if left is not None and left <= 0:
        return Step(overdue(pod, now))
    found = _fated(pod, fate, age, failures, now)
    if left is None:
        return found
    return Step(found.status, again=left if found.again is None else min(left, found.again))


def wait(pod: dict[str, Any], lacking: Collection[str], age: float, now: str) -> Step:
    """The next step of a pod that needs objects of these resources which are not there."""
    if "persistentvolumeclaims" in lacking:
        return Step(unplaced(now), again=LOOK_AGAIN)
    left = _seconds_left(pod, age, 0)
    if left is not None and left <= 0:
        return Step(overdue(pod, now))
    return Step(held(pod, now), again=LOOK_AGAIN)


def _seconds_left(pod: dict[str, Any], age: float, grace: float) -> float | None:
    """Until the kubelet has ended it; None for a pod without a deadline of its own."""
    deadline = pod["spec"].get("activeDeadlineSeconds")
    return None if deadline is None else deadline + grace - age


def _fated(pod: dict[str, Any], fate: Fate, age: float, failures: int, now: str) -> Step:
    if pod["spec"].get("restartPolicy", "Always") == "Always":
        return _serve(pod, fate, age, now)
    if fate.kind == "hang":
        return Step(_unless(pod, running(pod, now)))
    if fate.kind == "late" and age < fate.seconds:
        return Step(_unless(pod, running(pod, now)), again=fate.seconds - age)
    if fate.kind == "fail":
        if pod["spec"]["restartPolicy"] == "OnFailure":
            return _fail_in_place(pod, fate, now)
        if fate.failures is None or failures < fate.failures:
            return Step(ended(pod, 1, now))
    return Step(ended(pod, 0, now))


def has_ended(job: dict[str, Any]) -> bool:
    """Has its controller decided how it ends?"""
    ends = ("Complete", "SuccessCriteriaMet", "Failed", "FailureTarget")
    conditions = job.get("status", {}).get("conditions") or []
    return any(c["type"] in ends and c["status"] == "True" for c in conditions)


def failures_at_the_end(job: dict[str, Any]) -> int | None:
    """How many failed pods a Job has when it gives up; None while not even the first one is counted,
    and for Jobs that do not give up by number."""
    status, limit = job.get("status", {}), job["spec"].get("backoffLimit", 0)
    counting = any((status.get("uncountedTerminatedPods") or {}).values())
    patient = 0 < status.get("failed", 0) <= limit < MANY_RESTARTS
    return limit + 1 if patient and not counting else None


def _serve(pod: dict[str, Any], fate: Fate, age: float, now: str) -> Step:
    """A pod that never ends is Ready, or is not yet, or never will be."""
    if fate.kind == "succeed" or (fate.kind == "late" and age >= fate.seconds):
        return Step(_unless(pod, running(pod, now)))
    waiting = {"reason": "CrashLoopBackOff"} if fate.kind == "fail" else None
    again = fate.seconds - age if fate.kind == "late" else None
    return Step(_unless(pod, running(pod, now, ready=False, waiting=waiting)), again)


def _fail_in_place(pod: dict[str, Any], fate: Fate, now: str) -> Step:
    """restartPolicy OnFailure: the pod stays and its containers restart until the Job gives up."""
    restarts = max(
        (c.get("restartCount", 0) for c in pod.get("status", {}).get("containerStatuses", [])), default=0
    )
    if fate.failures is not None and restarts >= fate.failures:
        return Step(ended(pod, 0, now))
    # One that fails for ever has restarted more often than any Job bears: nobody waits for the rest.
    more = restarts + 1 if fate.failures is not None else MANY_RESTARTS
    return Step(running(pod, now, restarts=more), again=0.5)


def _unless(pod: dict[str, Any], status: Status) -> Status | None:
    """Nothing to write if the pod says the same already."""
    now = pod.get("status", {})
    same = now.get("phase") == status["phase"] and _ready(now) == _ready(status)
    return None if same else status


def _ready(status: Status) -> bool:
    return any(c["type"] == "Ready" and c["status"] == "True" for c in status.get("conditions", []))


def unplaced(now: str) -> Status:
    """What the scheduler says of a pod whose claim is not there: it has no node, and no kubelet counts its time."""
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    return {"phase": "Pending", "conditions": [{**condition, "lastTransitionTime": now}]}


def overdue(pod: dict[str, Any], now: str) -> Status:
    """What the kubelet says of a pod that it has ended at its deadline, whatever its restart policy is."""
    message = "Pod was active on the node longer than the specified deadline"
    return {**ended(pod, KILLED, now), "reason": "DeadlineExceeded", "message": message}


def held(pod: dict[str, Any], now: str) -> Status:
    """What the kubelet says of a pod that waits for a ConfigMap or a Secret."""
    waiting = {"reason": "CreateContainerConfigError"}
    return {**running(pod, now, ready=False, waiting=waiting), "phase": "Pending"}


def running(
    pod: dict[str, Any],
    now: str,
    ready: bool = True,
    restarts: int = 0,
    waiting: dict[str, str] | None = None,
) -> Status:
    state = {"waiting": waiting} if waiting else {"running": {"startedAt": now}}
    last = {"terminated": {"exitCode": 1, "reason": "Error"}} if restarts else {}
    return _status(pod, "Running", now, ready=ready, state=state, restarts=restarts, last=last)


def ended(pod: dict[str, Any], code: int, now: str) -> Status:
    reason = "Error" if code else "Completed"
    state = {"terminated": {"exitCode": code, "reason": reason, "startedAt": now, "finishedAt": now}}
    return _status(pod, "Failed" if code else "Succeeded", now, ready=False, state=state)


def _status(
    pod: dict[str, Any],
    phase: str,
    now: str,
    *,
    ready: bool,
    state: dict[str, Any],
    restarts: int = 0,
    last: dict[str, Any] | None = None,
) -> Status:
    truth = "True" if ready else "False"
    conditions = {"PodScheduled": "True", "Initialized": "True", "ContainersReady": truth, "Ready": truth}
    containers = [
        {
            "name": container["name"],
            "image": container["image"],
            "imageID": "none",
            "ready": ready,
            "started": ready,
            "restartCount": restarts,
            "state": state,
            "lastState": last or {},
        }
        for container in pod["spec"]["containers"]
    ]
    return {
        "phase": phase,
        "startTime": pod.get("status", {}).get("startTime") or now,
        "conditions": [
            {"type": kind, "status": value, "lastTransitionTime": now} for kind, value in conditions.items()
        ],
        "containerStatuses": containers,
    }
