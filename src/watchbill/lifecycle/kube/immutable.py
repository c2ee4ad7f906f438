"""Which fields an update may not change, kind by kind: what docs/immutable-fields.md shows.

The rules themselves are in the modules validate_*; a test holds each row to them and to the API server's code.
"""

from msgspec import Struct


class Rule(Struct, frozen=True):
    kind: str
    field: str
    cause: str  # the path in the server's answer
    words: str  # how the answer goes on
    unless: str = ""


_IMMUTABLE = "field is immutable"
_FROZEN = "field is immutable when `immutable` is set"
_UNBOUND = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"

RULES: tuple[Rule, ...] = (
    Rule("Job", "spec.selector", "spec.selector", _IMMUTABLE),
    Rule(
        "Job",
        "spec.template",
        "spec.template",
        _IMMUTABLE,
        "the Job is suspended and has no pods: then node selector, node affinity, tolerations, scheduling gates, "
        "labels, annotations and the resources of containers may change",
    ),
    Rule(
        "Job", "spec.completions", "spec.completions", _IMMUTABLE, "Indexed, and parallelism becomes the same"
    ),
    Rule("Job", "spec.completionMode", "spec.completionMode", _IMMUTABLE),
    Rule("Job", "spec.podFailurePolicy", "spec.podFailurePolicy", _IMMUTABLE),
    Rule("Job", "spec.backoffLimitPerIndex", "spec.backoffLimitPerIndex", _IMMUTABLE),
    Rule("Job", "spec.managedBy", "spec.managedBy", _IMMUTABLE),
    Rule("Job", "spec.successPolicy", "spec.successPolicy", _IMMUTABLE),
    Rule("Deployment", "spec.selector", "spec.selector", _IMMUTABLE),
    Rule("ReplicaSet", "spec.selector", "spec.selector", _IMMUTABLE),
    Rule("DaemonSet", "spec.selector", "spec.selector", _IMMUTABLE),
    Rule("StatefulSet", "spec.selector", "spec.selector", _IMMUTABLE),
    Rule("StatefulSet", "spec.serviceName", "spec.serviceName", _IMMUTABLE),
    Rule("StatefulSet", "spec.volumeClaimTemplates", "spec.volumeClaimTemplates", _IMMUTABLE),
    Rule("StatefulSet", "spec.podManagementPolicy", "spec.podManagementPolicy", _IMMUTABLE),
    Rule(
        "Pod",
        "spec",
        "spec",
        "pod updates may not change fields other than",
        "images, a shorter activeDeadlineSeconds, added tolerations, removed scheduling gates",
    ),
    Rule(
        "Service",
        "spec.clusterIP",
        "spec.clusterIPs[0]",
        "may not change once set",
        "to or from ExternalName",
    ),
    Rule(
        "Service",
        "spec.loadBalancerClass",
        "spec.loadBalancerClass",
        "may not change once set",
        "the type changes too",
    ),
    Rule(
        "Service",
        "spec.healthCheckNodePort",
        "spec.healthCheckNodePort",
        _IMMUTABLE,
        "the type or externalTrafficPolicy changes too",
    ),
    Rule(
        "PersistentVolumeClaim",
        "spec",
        "spec",
        _UNBOUND,
        "bound: a larger storage request, another volumeAttributesClassName; a class where there was none",
    ),
    Rule("PersistentVolumeClaim", "spec.volumeMode", "volumeMode", _IMMUTABLE),
    Rule(
        "PersistentVolume",
        "spec (its source)",
        "spec.persistentvolumesource",
        "spec.persistentvolumesource is immutable after creation",
    ),
    Rule("PersistentVolume", "spec.volumeMode", "volumeMode", _IMMUTABLE),
    Rule("ConfigMap", "data", "data", _FROZEN, "`immutable` is not set"),
    Rule("ConfigMap", "immutable", "immutable", _FROZEN, "it was not set"),
    Rule("Secret", "data", "data", _FROZEN, "`immutable` is not set"),
    Rule("Secret", "immutable", "immutable", _FROZEN, "it was not set"),
    Rule("Secret", "type", "type", _IMMUTABLE),
    Rule("RoleBinding", "roleRef", "roleRef", _IMMUTABLE),
    Rule("ClusterRoleBinding", "roleRef", "roleRef", _IMMUTABLE),
    Rule("StorageClass", "provisioner", "provisioner", _IMMUTABLE),
    Rule("StorageClass", "parameters", "parameters", _IMMUTABLE),
    Rule("StorageClass", "reclaimPolicy", "reclaimPolicy", _IMMUTABLE),
    Rule("StorageClass", "volumeBindingMode", "volumeBindingMode", _IMMUTABLE),
    Rule("IngressClass", "spec.controller", "spec.controller", _IMMUTABLE),
    Rule("PriorityClass", "value", "value", "may not be changed in an update."),
    Rule("PriorityClass", "preemptionPolicy", "preemptionPolicy", _IMMUTABLE),
    Rule("CSIDriver", "spec.attachRequired", "spec.attachedRequired", _IMMUTABLE),
    Rule("CSIDriver", "spec.volumeLifecycleModes", "spec.volumeLifecycleModes", _IMMUTABLE),
    Rule("CustomResourceDefinition", "spec.scope", "spec.scope", _IMMUTABLE),
    Rule("CustomResourceDefinition", "spec.names.kind", "spec.names.kind", _IMMUTABLE),
    Rule(
        "CustomResourceDefinition",
        "spec.versions (one that was stored)",
        "status.storedVersions[0]",
        "missing from spec.versions",
    ),
)


def table() -> str:
    """As Markdown."""
    rows = [
        f"| {rule.kind} | {rule.field} | `{rule.cause}`: {rule.words} | {rule.unless} |" for rule in RULES
    ]
    return "\n".join(["| kind | field | answer | unless |", "|---|---|---|---|", *rows]) + "\n"
