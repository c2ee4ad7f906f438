"""What the API server says to an object: nothing, or why it refuses it.

Both functions take objects as `defaults` prepares them. Kinds without rules here are accepted.
"""

from collections.abc import Callable
from typing import Any

from watchbill.lifecycle.kube import (
    names,
    validate_jobs,
    validate_meta,
    validate_storage,
    validate_workloads,
)
from watchbill.lifecycle.kube.causes import Cause

Object = dict[str, Any]
Creation = Callable[[Object], list[Cause]]
Update = Callable[[Object, Object], list[Cause]]

__all__ = ["Cause", "invalid_words", "on_create", "on_update"]


def on_create(object: Object) -> tuple[Cause, ...]:
    rule = _CREATION.get(_group_kind(object))
    if rule is None:
        return ()
    found = rule(object)
    return tuple(dict.fromkeys(found))


def on_update(new: Object, old: Object) -> tuple[Cause, ...]:
    rule = _UPDATE.get(_group_kind(new))
    if rule is None:
        return ()
    found = validate_meta.metadata_update(new, old) + rule(new, old)
    return tuple(dict.fromkeys(found))


def invalid_words(object: Object, causes: tuple[Cause, ...]) -> str:
    """The server's 422, which names the object and lists the causes."""
    group, kind = _group_kind(object)
    name = object["metadata"].get("name", "")
    texts = list(dict.fromkeys(str(cause) for cause in causes))
    listed = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    return f'{kind}{"." if group else ""}{group} "{name}" is invalid: {listed}'


def _group_kind(object: Object) -> tuple[str, str]:
    return object["apiVersion"].rpartition("/")[0], object["kind"]


def _named(rule: validate_meta.NameRule) -> Creation:
    return lambda object: validate_meta.metadata(object, rule)


def _as_created(rule: Creation) -> Update:
    """Kinds whose update asks what creation asks, and nothing else."""
    return lambda new, _: rule(new)


_CREATION: dict[tuple[str, str], Creation] = {
    ("", "PersistentVolume"): validate_storage.persistent_volume,
    ("", "PersistentVolumeClaim"): validate_storage.claim,
    ("", "Pod"): validate_workloads.pod,
    ("", "ServiceAccount"): _named(names.dns_subdomain),
    ("apps", "DaemonSet"): validate_workloads.daemon_set,
    ("apps", "Deployment"): validate_workloads.deployment,
    ("apps", "ReplicaSet"): validate_workloads.replica_set,
    ("apps", "StatefulSet"): validate_workloads.stateful_set,
    ("batch", "CronJob"): validate_jobs.cron_job,
    ("batch", "Job"): validate_jobs.job,
    ("storage.k8s.io", "StorageClass"): validate_storage.storage_class,
}
_UPDATE: dict[tuple[str, str], Update] = {
    ("", "PersistentVolume"): validate_storage.persistent_volume_update,
    ("", "PersistentVolumeClaim"): validate_storage.claim_update,
    ("", "Pod"): validate_workloads.pod_update,
    ("", "ServiceAccount"): _as_created(_named(names.dns_subdomain)),
    ("apps", "DaemonSet"): validate_workloads.daemon_set_update,
    ("apps", "Deployment"): validate_workloads.deployment_update,
    ("apps", "ReplicaSet"): validate_workloads.replica_set_update,
    ("apps", "StatefulSet"): validate_workloads.stateful_set_update,
    ("batch", "CronJob"): validate_jobs.cron_job_update,
    ("batch", "Job"): validate_jobs.job_update,
}
