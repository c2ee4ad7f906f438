"""What the API server says to an object: nothing, or why it refuses it.

Both functions take objects as `defaults` prepares them. Kinds without rules here are accepted.
"""

from collections.abc import Callable
from typing import Any

from watchbill.lifecycle.kube import (
    names,
    removed,
    validate_config,
    validate_definition,
    validate_extension,
    validate_jobs,
    validate_meta,
    validate_network,
    validate_persistent,
    validate_policy,
    validate_rbac,
    validate_service,
    validate_storage,
    validate_workloads,
)
from watchbill.lifecycle.kube.causes import Cause

Object = dict[str, Any]
Creation = Callable[[Object], list[Cause]]
Update = Callable[[Object, Object], list[Cause]]

__all__ = ["Cause", "invalid_words", "on_create", "on_update"]


def on_create(whole: Object) -> tuple[Cause, ...]:
    rule = None if _is_removed(whole) else _CREATION.get(_group_kind(whole))
    if rule is None:
        return ()
    found = rule(whole)
    return tuple(dict.fromkeys(found))


def on_update(new: Object, old: Object) -> tuple[Cause, ...]:
    rule = None if _is_removed(new) else _UPDATE.get(_group_kind(new))
    if rule is None:
        return ()
    if new["kind"] == "Service" and (refused := validate_service.refused_before_validation(new)):
        return tuple(refused)
    found = validate_meta.metadata_update(new, old)
    if _group_kind(new)[0] not in _EXTENSIONS:
        found += validate_meta.finalizers(new)
    found += rule(new, old)
    return tuple(dict.fromkeys(found))


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


def _named(rule: validate_meta.NameRule) -> Creation:
    return lambda whole: validate_meta.metadata(whole, rule)


def _as_created(rule: Creation) -> Update:
    """Kinds whose update asks what creation asks, and nothing else."""
    return lambda new, _: rule(new)


_CREATION: dict[tuple[str, str], Creation] = {
    ("", "ConfigMap"): validate_config.config_map,
    ("", "Endpoints"): _named(names.dns_subdomain),
    ("", "LimitRange"): _named(names.dns_subdomain),
    ("", "Namespace"): validate_config.namespace,
    ("", "PersistentVolume"): validate_persistent.persistent_volume,
    ("", "PersistentVolumeClaim"): validate_storage.claim,
    ("", "Pod"): validate_workloads.pod,
    ("", "ResourceQuota"): _named(names.dns_subdomain),
    ("", "Secret"): validate_config.secret,
    ("", "Service"): validate_service.service,
    ("", "ServiceAccount"): _named(names.dns_subdomain),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): validate_extension.webhooks,
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): validate_extension.webhooks,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): validate_definition.definition,
    ("apiregistration.k8s.io", "APIService"): validate_extension.api_service,
    ("apps", "DaemonSet"): validate_workloads.daemon_set,
    ("apps", "Deployment"): validate_workloads.deployment,
    ("apps", "ReplicaSet"): validate_workloads.replica_set,
    ("apps", "StatefulSet"): validate_workloads.stateful_set,
    ("autoscaling", "HorizontalPodAutoscaler"): validate_policy.autoscaler,
    ("batch", "CronJob"): validate_jobs.cron_job,
    ("batch", "Job"): validate_jobs.job,
    ("coordination.k8s.io", "Lease"): _named(names.dns_subdomain),
    ("networking.k8s.io", "Ingress"): validate_network.ingress,
    ("networking.k8s.io", "IngressClass"): validate_network.ingress_class,
    ("networking.k8s.io", "NetworkPolicy"): validate_network.network_policy,
    ("node.k8s.io", "RuntimeClass"): _named(names.dns_subdomain),
    ("policy", "PodDisruptionBudget"): validate_policy.disruption_budget,
    ("rbac.authorization.k8s.io", "ClusterRole"): validate_rbac.role,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): validate_rbac.binding,
    ("rbac.authorization.k8s.io", "Role"): validate_rbac.role,
    ("rbac.authorization.k8s.io", "RoleBinding"): validate_rbac.binding,
    ("scheduling.k8s.io", "PriorityClass"): validate_policy.priority_class,
    ("storage.k8s.io", "CSIDriver"): validate_extension.csi_driver,
    ("storage.k8s.io", "StorageClass"): validate_storage.storage_class,
}
_UPDATE: dict[tuple[str, str], Update] = {
    **{key: _as_created(rule) for key, rule in _CREATION.items()},
    ("", "ConfigMap"): validate_config.config_map_update,
    ("", "PersistentVolume"): validate_persistent.persistent_volume_update,
    ("", "PersistentVolumeClaim"): validate_storage.claim_update,
    ("", "Pod"): validate_workloads.pod_update,
    ("", "Secret"): validate_config.secret_update,
    ("", "Service"): validate_service.service_update,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): validate_definition.definition_update,
    ("apps", "DaemonSet"): validate_workloads.daemon_set_update,
    ("apps", "Deployment"): validate_workloads.deployment_update,
    ("apps", "ReplicaSet"): validate_workloads.replica_set_update,
    ("apps", "StatefulSet"): validate_workloads.stateful_set_update,
    ("autoscaling", "HorizontalPodAutoscaler"): _as_created(validate_policy.autoscaler_spec),
    ("batch", "CronJob"): validate_jobs.cron_job_update,
    ("batch", "Job"): validate_jobs.job_update,
    ("networking.k8s.io", "Ingress"): _as_created(validate_network.ingress_update),
    ("networking.k8s.io", "IngressClass"): validate_network.ingress_class_update,
    ("networking.k8s.io", "NetworkPolicy"): _as_created(validate_network.network_policy_spec),
    ("policy", "PodDisruptionBudget"): validate_policy.disruption_budget_update,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): validate_rbac.binding_update,
    ("rbac.authorization.k8s.io", "RoleBinding"): validate_rbac.binding_update,
    ("scheduling.k8s.io", "PriorityClass"): validate_policy.priority_class_update,
    ("storage.k8s.io", "CSIDriver"): validate_extension.csi_driver_update,
    ("storage.k8s.io", "StorageClass"): validate_storage.storage_class_update,
}
