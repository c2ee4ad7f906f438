"""What the API server says to an object: nothing, or why it refuses it.

Both functions take objects as `defaults` prepares them. Kinds without rules here are accepted.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from watchbill.lifecycle.kube import removed, validate_meta
from watchbill.lifecycle.kube.causes import Cause

Object = dict[str, Any]

__all__ = ["Cause", "invalid_words", "on_create", "on_update"]


def on_create(whole: Object) -> tuple[Cause, ...]:
    name = None if _is_removed(whole) else _CREATION.get(_group_kind(whole))
    if name is None:
        return ()
    return tuple(dict.fromkeys(_function(name)(whole)))


def on_update(new: Object, old: Object) -> tuple[Cause, ...]:
    which = _group_kind(new)
    name = None if _is_removed(new) else _CREATION.get(which)
    if name is None:
        return ()
    if which == ("", "Service") and (refused := _function("service.refused_before_validation")(new)):
        return tuple(refused)
    found = validate_meta.metadata_update(new, old)
    if which[0] not in _EXTENSIONS:
        found += validate_meta.finalizers(new)
    if (changing := _UPDATE.get(which)) is not None:
        found += _function(changing)(new, old)
    else:
        found += _function(_RESTRICTED.get(which, name))(new)
    return tuple(dict.fromkeys(found))


@cache
def _function(name: str) -> Callable[..., list[Cause]]:
    """Kinds have modules of their own, most of which no chart needs."""
    module, _, function = name.partition(".")
    validating = __import__(f"{__package__}.validate_{module}", fromlist=[function])
    found: Callable[..., list[Cause]] = getattr(validating, function)
    return found


def invalid_words(whole: Object, causes: tuple[Cause, ...]) -> str:
    """The server's 422, which names the object and lists the causes."""
    group, kind = _group_kind(whole)
    name = whole["metadata"].get("name", "")
    texts = list(dict.fromkeys(str(cause) for cause in causes))
    listed = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    return f'{kind}{"." if group else ""}{group} "{name}" is invalid: {listed}'


# Groups whose kinds do not share core's rules for metadata.
_EXTENSIONS = frozenset(
    {"admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "policy"}
)


def _group_kind(whole: Object) -> tuple[str, str]:
    return whole["apiVersion"].rpartition("/")[0], whole["kind"]


def _is_removed(whole: Object) -> bool:
    """What Kubernetes has removed had a form of its own, which is not known here."""
    return (whole["apiVersion"], whole["kind"]) in removed.SINCE


# Which function of which validate_ module.
_CREATION = {
    ("", "ConfigMap"): "config.config_map",
    ("", "Endpoints"): "meta.named",
    ("", "LimitRange"): "meta.named",
    ("", "Namespace"): "config.namespace",
    ("", "PersistentVolume"): "persistent.persistent_volume",
    ("", "PersistentVolumeClaim"): "storage.claim",
    ("", "Pod"): "workloads.pod",
    ("", "ResourceQuota"): "meta.named",
    ("", "Secret"): "config.secret",
    ("", "Service"): "service.service",
    ("", "ServiceAccount"): "meta.named",
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): "extension.webhooks",
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): "extension.webhooks",
    ("apiextensions.k8s.io", "CustomResourceDefinition"): "definition.definition",
    ("apiregistration.k8s.io", "APIService"): "extension.api_service",
    ("apps", "DaemonSet"): "workloads.daemon_set",
    ("apps", "Deployment"): "workloads.deployment",
    ("apps", "ReplicaSet"): "workloads.replica_set",
    ("apps", "StatefulSet"): "workloads.stateful_set",
    ("autoscaling", "HorizontalPodAutoscaler"): "policy.autoscaler",
    ("batch", "CronJob"): "jobs.cron_job",
    ("batch", "Job"): "jobs.job",
    ("coordination.k8s.io", "Lease"): "meta.named",
    ("networking.k8s.io", "Ingress"): "network.ingress",
    ("networking.k8s.io", "IngressClass"): "network.ingress_class",
    ("networking.k8s.io", "NetworkPolicy"): "network.network_policy",
    ("node.k8s.io", "RuntimeClass"): "meta.named",
    ("policy", "PodDisruptionBudget"): "policy.disruption_budget",
    ("rbac.authorization.k8s.io", "ClusterRole"): "rbac.role",
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): "rbac.binding",
    ("rbac.authorization.k8s.io", "Role"): "rbac.role",
    ("rbac.authorization.k8s.io", "RoleBinding"): "rbac.binding",
    ("scheduling.k8s.io", "PriorityClass"): "policy.priority_class",
    ("storage.k8s.io", "CSIDriver"): "extension.csi_driver",
    ("storage.k8s.io", "StorageClass"): "storage.storage_class",
}
# Of the new object and the old one.
_UPDATE = {
    ("", "ConfigMap"): "config.config_map_update",
    ("", "PersistentVolume"): "persistent.persistent_volume_update",
    ("", "PersistentVolumeClaim"): "storage.claim_update",
    ("", "Pod"): "workloads.pod_update",
    ("", "Secret"): "config.secret_update",
    ("", "Service"): "service.service_update",
    ("apiextensions.k8s.io", "CustomResourceDefinition"): "definition.definition_update",
    ("apps", "DaemonSet"): "workloads.daemon_set_update",
    ("apps", "Deployment"): "workloads.deployment_update",
    ("apps", "ReplicaSet"): "workloads.replica_set_update",
    ("apps", "StatefulSet"): "workloads.stateful_set_update",
    ("batch", "CronJob"): "jobs.cron_job_update",
    ("batch", "Job"): "jobs.job_update",
    ("networking.k8s.io", "IngressClass"): "network.ingress_class_update",
    ("policy", "PodDisruptionBudget"): "policy.disruption_budget_update",
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): "rbac.binding_update",
    ("rbac.authorization.k8s.io", "RoleBinding"): "rbac.binding_update",
    ("scheduling.k8s.io", "PriorityClass"): "policy.priority_class_update",
    ("storage.k8s.io", "CSIDriver"): "extension.csi_driver_update",
    ("storage.k8s.io", "StorageClass"): "storage.storage_class_update",
}
# Kinds whose update asks less than creation does, and of the new object alone; all others ask the same.
_RESTRICTED = {
    ("autoscaling", "HorizontalPodAutoscaler"): "policy.autoscaler_spec",
    ("networking.k8s.io", "Ingress"): "network.ingress_update",
    ("networking.k8s.io", "NetworkPolicy"): "network.network_policy_spec",
}
