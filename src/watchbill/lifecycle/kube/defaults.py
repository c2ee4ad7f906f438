"""An object as the API server stores it: unknown fields dropped, defaults filled in, the strategy's own changes.

The uid that the server would draw is always `uid`; a Service's address is the word `allocated`.
"""

import base64
from collections.abc import Callable
from typing import Any

from watchbill.lifecycle.kube import catalog, defaults_pod, gotypes
from watchbill.lifecycle.kube.defaults_service import created_service, default_service, updated_service

Object = dict[str, Any]

UID = "uid"
# The server writes these itself; the model has no use for them, or keeps them elsewhere.
_SYSTEM = ("creationTimestamp", "uid", "resourceVersion", "generation", "managedFields", "selfLink")
_MAX_INT32 = 2**31 - 1


def prepare_create(whole: Object) -> Object:
    """As stored after a POST; custom kinds as they are."""
    prepared = defaulted(whole)
    if prepared is not whole:
        prepared.pop("status", None)
        if finish := _CREATED.get(prepared["kind"]):
            finish(prepared, whole)
    return prepared


def prepare_update(new: Object, old: Object) -> Object:
    """As stored after a PUT or PATCH over `old`, which is a prepared object."""
    prepared = defaulted(new)
    if prepared is not new:
        if "status" in old:
            prepared["status"] = old["status"]
        else:
            prepared.pop("status", None)
        if finish := _UPDATED.get(prepared["kind"]):
            finish(prepared, old)
    return prepared


def defaulted(whole: Object) -> Object:
    """As the server reads it: what the client sent and what is filled in, without what the strategy makes of it."""
    kind = catalog.find(whole.get("apiVersion", ""), whole.get("kind", ""))
    if kind is None:
        return whole
    prepared = gotypes.canonical(whole)
    metadata = prepared["metadata"]
    if not kind.namespaced:
        metadata.pop("namespace", None)
    for key in _SYSTEM:
        metadata.pop(key, None)
    if fill := _DEFAULTS.get(prepared["kind"]):
        fill(prepared)
    return prepared


def _job_defaults(job: Object) -> None:
    spec = job["spec"]
    if "parallelism" not in spec:
        spec["parallelism"] = 1
        spec.setdefault("completions", 1)
    spec.setdefault("backoffLimit", _MAX_INT32 if "backoffLimitPerIndex" in spec else 6)
    labels = spec["template"]["metadata"].get("labels")
    if labels and not job["metadata"].get("labels"):
        # One and the same map: what the server adds to the template's labels, the Job gets too.
        job["metadata"]["labels"] = labels
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    spec.setdefault("podReplacementPolicy", "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed")
    spec.setdefault("manualSelector", False)
    _job_spec(spec)


def _job_spec(spec: Object) -> None:
    """What a Job and a CronJob's template of one have in common."""
    for rule in (spec.get("podFailurePolicy") or {}).get("rules") or ():
        for pattern in rule.get("onPodConditions") or ():
            if not pattern.get("status"):
                pattern["status"] = "True"
    defaults_pod.pod_spec(spec["template"]["spec"])


def _job_created(job: Object, given: Object) -> None:
    spec = job["spec"]
    template = ((given.get("spec") or {}).get("template") or {}).get("metadata") or {}
    if template.get("labels") == {} and not job["metadata"].get("labels"):
        # An empty map too is one and the same.
        job["metadata"]["labels"] = spec["template"]["metadata"]["labels"] = {}
    if not spec["manualSelector"]:
        name = job["metadata"].get("name", "")
        labels = spec["template"]["metadata"].setdefault("labels", {})
        for key in ("job-name", "batch.kubernetes.io/job-name"):
            labels.setdefault(key, name)
        for key in ("controller-uid", "batch.kubernetes.io/controller-uid"):
            labels.setdefault(key, UID)
        matching = spec.setdefault("selector", {}).setdefault("matchLabels", {})
        matching.setdefault("batch.kubernetes.io/controller-uid", UID)


def _cron_job(cron_job: Object) -> None:
    spec = cron_job["spec"]
    if not spec.get("concurrencyPolicy"):
        spec["concurrencyPolicy"] = "Allow"
    spec.setdefault("suspend", False)
    spec.setdefault("successfulJobsHistoryLimit", 3)
    spec.setdefault("failedJobsHistoryLimit", 1)
    _job_spec(spec["jobTemplate"]["spec"])


def _pod(pod: Object) -> None:
    defaults_pod.pod_spec(pod["spec"])
    defaults_pod.pod(pod["spec"])


def _deployment(deployment: Object) -> None:
    spec = deployment["spec"]
    spec.setdefault("replicas", 1)
    strategy = spec["strategy"]
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)
    defaults_pod.pod_spec(spec["template"]["spec"])


def _daemon_set(daemon_set: Object) -> None:
    spec = daemon_set["spec"]
    strategy = spec["updateStrategy"]
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", 1)
        rolling.setdefault("maxSurge", 0)
    spec.setdefault("revisionHistoryLimit", 10)
    defaults_pod.pod_spec(spec["template"]["spec"])


def _stateful_set(stateful_set: Object) -> None:
    spec = stateful_set["spec"]
    spec.setdefault("podManagementPolicy", "OrderedReady")
    strategy = spec["updateStrategy"]
    if "type" not in strategy:
        strategy["type"] = "RollingUpdate"
        strategy.setdefault("rollingUpdate", {})
    if strategy["type"] == "RollingUpdate" and "rollingUpdate" in strategy:
        strategy["rollingUpdate"].setdefault("partition", 0)
        strategy["rollingUpdate"].setdefault("maxUnavailable", 1)
    retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
    retention.setdefault("whenDeleted", "Retain")
    retention.setdefault("whenScaled", "Retain")
    spec.setdefault("replicas", 1)
    spec.setdefault("revisionHistoryLimit", 10)
    defaults_pod.pod_spec(spec["template"]["spec"])
    for claim in spec.get("volumeClaimTemplates") or ():
        _claim(claim)
        claim["status"].setdefault("phase", "Pending")
        claim.setdefault("apiVersion", "v1")
        claim.setdefault("kind", "PersistentVolumeClaim")


def _replica_set(replica_set: Object) -> None:
    replica_set["spec"].setdefault("replicas", 1)
    defaults_pod.pod_spec(replica_set["spec"]["template"]["spec"])


def _claim(claim: Object) -> None:
    defaults_pod.claim_spec(claim["spec"])


_OLD_SOURCES = (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))


def _claim_created(claim: Object, _: Object) -> None:
    _claim_updated(claim, {"spec": {}})


def _claim_updated(claim: Object, old: Object) -> None:
    """dataSource and dataSourceRef say the same where they can."""
    spec, before = claim["spec"], old["spec"]
    if "dataSource" in spec and "dataSource" not in before and "dataSourceRef" not in spec:
        source = spec["dataSource"]
        if (source.get("apiGroup") or "", source["kind"]) not in _OLD_SOURCES:
            del spec["dataSource"]
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None and reference is None:
        spec["dataSourceRef"] = dict(source)
    elif reference is not None and source is None and not reference.get("namespace"):
        spec["dataSource"] = dict(reference)


def _persistent_volume(volume: Object) -> None:
    spec = volume["spec"]
    spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
    spec.setdefault("volumeMode", "Filesystem")
    defaults_pod.rare_volume(spec)


def _secret(secret: Object) -> None:
    secret.setdefault("type", "Opaque")
    if texts := secret.pop("stringData", None):
        data = secret.setdefault("data", {})
        for key, text in texts.items():
            data[key] = base64.b64encode(text.encode()).decode()


def _service_account(account: Object, _: Object) -> None:
    for reference in account.get("secrets") or ():
        name = reference.get("name")
        reference.clear()
        if name:
            reference["name"] = name


def _binding(binding: Object) -> None:
    role = binding["roleRef"]
    if not role.get("apiGroup"):
        role["apiGroup"] = "rbac.authorization.k8s.io"
    for subject in binding.get("subjects") or ():
        if subject["kind"] in ("User", "Group"):
            subject.setdefault("apiGroup", "rbac.authorization.k8s.io")


def _storage_class(storage_class: Object) -> None:
    storage_class.setdefault("reclaimPolicy", "Delete")
    storage_class.setdefault("volumeBindingMode", "Immediate")


def _network_policy(policy: Object) -> None:
    spec = policy["spec"]
    if "policyTypes" not in spec:
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
    for direction in ("ingress", "egress"):
        for rule in spec.get(direction) or ():
            for port in rule.get("ports") or ():
                port.setdefault("protocol", "TCP")


def _ingress_class(ingress_class: Object) -> None:
    if (parameters := ingress_class["spec"].get("parameters")) is not None:
        parameters.setdefault("scope", "Cluster")


def _priority_class(priority_class: Object) -> None:
    priority_class.setdefault("preemptionPolicy", "PreemptLowerPriority")


_SCALE_UP = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 100, "periodSeconds": 15},
    ],
}
_SCALE_DOWN = {
    "selectPolicy": "Max",
    "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
}


# Where the first version keeps what it has no fields for.
_OTHER_METRICS = "autoscaling.alpha.kubernetes.io/metrics"


def _autoscaler(autoscaler: Object) -> None:
    spec = autoscaler["spec"]
    spec.setdefault("minReplicas", 1)
    if autoscaler["apiVersion"] == "autoscaling/v1":
        if _OTHER_METRICS not in (autoscaler["metadata"].get("annotations") or {}):
            spec.setdefault("targetCPUUtilizationPercentage", 80)
        return
    if not spec.get("metrics"):
        target = {"type": "Utilization", "averageUtilization": 80}
        spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    if (behaviour := spec.get("behavior")) is not None:
        behaviour["scaleUp"] = {**_SCALE_UP, **behaviour.get("scaleUp", {})}
        behaviour["scaleDown"] = {**_SCALE_DOWN, **behaviour.get("scaleDown", {})}


def _webhooks(configuration: Object) -> None:
    for webhook in configuration.get("webhooks") or ():
        webhook.setdefault("failurePolicy", "Fail")
        webhook.setdefault("matchPolicy", "Equivalent")
        webhook.setdefault("namespaceSelector", {})
        webhook.setdefault("objectSelector", {})
        webhook.setdefault("timeoutSeconds", 10)
        if configuration["kind"] == "MutatingWebhookConfiguration":
            webhook.setdefault("reinvocationPolicy", "Never")
        for rule in webhook.get("rules") or ():
            rule.setdefault("scope", "*")
        if (service := webhook["clientConfig"].get("service")) is not None:
            service.setdefault("port", 443)


def _definition(definition: Object) -> None:
    spec = definition["spec"]
    names = spec["names"]
    if not names.get("singular"):
        names["singular"] = names["kind"].lower()
    if not names.get("listKind") and names["kind"]:
        names["listKind"] = names["kind"] + "List"
    conversion = spec.setdefault("conversion", {"strategy": "None"})
    service = ((conversion.get("webhook") or {}).get("clientConfig") or {}).get("service")
    if service is not None:
        service.setdefault("port", 443)


def _definition_created(definition: Object, _: Object) -> None:
    definition["status"] = {"storedVersions": _storage_versions(definition)}


def _definition_updated(definition: Object, old: Object) -> None:
    """Objects may be stored in any version that ever was the one to store; the server remembers."""
    status = dict(old.get("status") or {})
    stored = status.get("storedVersions") or []
    added = [version for version in _storage_versions(definition) if version not in stored]
    definition["status"] = {**status, "storedVersions": [*stored, *added]}


def _storage_versions(definition: Object) -> list[str]:
    return [version["name"] for version in definition["spec"].get("versions") or () if version["storage"]][:1]


def _api_service(api_service: Object) -> None:
    if (service := api_service["spec"].get("service")) is not None:
        service.setdefault("port", 443)


def _csi_driver(driver: Object) -> None:
    spec = driver["spec"]
    spec.setdefault("attachRequired", True)
    spec.setdefault("podInfoOnMount", False)
    spec.setdefault("storageCapacity", False)
    spec.setdefault("fsGroupPolicy", "ReadWriteOnceWithFSType")
    spec.setdefault("volumeLifecycleModes", ["Persistent"])
    spec.setdefault("requiresRepublish", False)
    spec.setdefault("seLinuxMount", False)
    spec.setdefault("preventPodSchedulingIfMissing", False)


def _namespace(namespace: Object) -> None:
    if name := namespace["metadata"].get("name"):
        namespace["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = name


def _namespace_created(namespace: Object, _: Object) -> None:
    finalizers = namespace["spec"].setdefault("finalizers", [])
    if "kubernetes" not in finalizers:
        finalizers.append("kubernetes")


def _namespace_updated(namespace: Object, old: Object) -> None:
    namespace["spec"].pop("finalizers", None)
    if finalizers := old["spec"].get("finalizers"):
        namespace["spec"]["finalizers"] = finalizers


def _daemon_set_created(daemon_set: Object, _: Object) -> None:
    """templateGeneration is an annotation in apps/v1."""
    annotations = daemon_set["metadata"].setdefault("annotations", {})
    annotations.setdefault("deprecated.daemonset.template.generation", "1")


def _daemon_set_updated(daemon_set: Object, old: Object) -> None:
    before, after = old["spec"]["template"], daemon_set["spec"]["template"]
    key = "deprecated.daemonset.template.generation"
    generation = int((old["metadata"].get("annotations") or {}).get(key, "1"))
    if not gotypes.same("core/v1.PodTemplateSpec", after, before):
        generation += 1
    daemon_set["metadata"].setdefault("annotations", {})[key] = str(generation)


def _secret_updated(secret: Object, old: Object) -> None:
    if not secret.get("type"):
        secret["type"] = old["type"]


_DEFAULTS: dict[str, Callable[[Object], None]] = {
    "APIService": _api_service,
    "CSIDriver": _csi_driver,
    "ClusterRoleBinding": _binding,
    "CronJob": _cron_job,
    "CustomResourceDefinition": _definition,
    "DaemonSet": _daemon_set,
    "Deployment": _deployment,
    "HorizontalPodAutoscaler": _autoscaler,
    "IngressClass": _ingress_class,
    "Job": _job_defaults,
    "MutatingWebhookConfiguration": _webhooks,
    "Namespace": _namespace,
    "NetworkPolicy": _network_policy,
    "PersistentVolume": _persistent_volume,
    "PersistentVolumeClaim": _claim,
    "Pod": _pod,
    "PriorityClass": _priority_class,
    "ReplicaSet": _replica_set,
    "RoleBinding": _binding,
    "Secret": _secret,
    "Service": default_service,
    "StatefulSet": _stateful_set,
    "StorageClass": _storage_class,
    "ValidatingWebhookConfiguration": _webhooks,
}
# With the object as it was sent.
_CREATED: dict[str, Callable[[Object, Object], None]] = {
    "CustomResourceDefinition": _definition_created,
    "DaemonSet": _daemon_set_created,
    "Job": _job_created,
    "Namespace": _namespace_created,
    "PersistentVolumeClaim": _claim_created,
    "Service": created_service,
    "ServiceAccount": _service_account,
}
# With the object that is stored.
_UPDATED: dict[str, Callable[[Object, Object], None]] = {
    "CustomResourceDefinition": _definition_updated,
    "DaemonSet": _daemon_set_updated,
    "Namespace": _namespace_updated,
    "PersistentVolumeClaim": _claim_updated,
    "Secret": _secret_updated,
    "Service": updated_service,
    "ServiceAccount": _service_account,
}
