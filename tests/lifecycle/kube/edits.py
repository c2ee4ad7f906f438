"""Random edits of objects, led by their Go types: values change, vanish, are doubled or put out of order.

Reproducible: everything is drawn from the Random that the caller seeds.
"""

import copy
from random import Random
from typing import Any

from watchbill.lifecycle.kube import gotypes

Object = dict[str, Any]

# What the model takes as it is: rare in charts, or of no consequence for what happens to a release.
UNMODELLED = frozenset(
    # Set by the server or by the request's path.
    "managedFields status creationTimestamp deletionTimestamp deletionGracePeriodSeconds selfLink uid generation "
    "resourceVersion generateName namespace "
    # Devices, Windows, and what is still behind a gate.
    "ephemeralContainers resourceClaims claims windowsOptions appArmorProfile os podCertificate clusterTrustBundle "
    "scheduling workloadRef schedulingGroup hostnameOverride resizePolicy restartPolicyRules stopSignal "
    "matchConditions matchLabelKeys mismatchLabelKeys overhead evictionResponders hostUsers seLinuxChangePolicy "
    "supplementalGroupsPolicy bindMountOptions user defaultUser fileKeyRef core/v1.PodSpec.resources "
    "core/v1.HTTPGetAction.protocol core/v1.EmptyDirVolumeSource.mode core/v1.GRPCAction.mode successPolicy "
    "core/v1.Volume.image core/v1.PodSpec.preemptionPolicy core/v1.PodSpec.priority "
    # Volumes of clouds and of times gone by.
    "gcePersistentDisk awsElasticBlockStore gitRepo iscsi glusterfs rbd flexVolume cinder cephfs flocker fc "
    "azureFile vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO storageos csi "
    # Addresses of a cluster with two families, and of load balancers.
    "clusterIPs externalIPs loadBalancerIP "
    # Of little weight for a release.
    "allowedTopologies tokenRequests nodeAllocatableUpdatePeriodSeconds serviceAccountTokenInSecrets policies "
    "autoscaling/v2.MetricSpec.object autoscaling/v2.MetricSpec.external autoscaling/v2.MetricSpec.pods "
    "autoscaling/v2.MetricSpec.containerResource tolerance core/v1.ConfigMap.binaryData networking/v1.IngressClassSpec.parameters url "
    "volumeAttributesClassName core/v1.PersistentVolumeClaimSpec.volumeName".split()
)
_STRINGS = (
    "",
    "a",
    "web",
    "thing-2",
    "Upper",
    "with.dots",
    "with/slash",
    "under_score",
    "-dash",
    "sp ace",
    "x" * 64,
    "http",
    "main",
    "data",
    "config",
    "../up",
    "/abs",
)
_WORDS: dict[str, tuple[str, ...]] = {
    "restartPolicy": ("Always", "OnFailure", "Never", "Sometimes"),
    "operator": ("In", "NotIn", "Exists", "DoesNotExist", "Equal", "Gt", "Odd"),
    "imagePullPolicy": ("Always", "IfNotPresent", "Never", "Odd"),
    "completionMode": ("Indexed", "NonIndexed", "Odd"),
    "podReplacementPolicy": ("Failed", "TerminatingOrFailed", "Odd"),
    "concurrencyPolicy": ("Allow", "Forbid", "Replace", "Odd"),
    "schedule": (
        "",
        "* * * * *",
        "@daily",
        "@every 5m",
        "@odd",
        "70 * * * *",
        "* * * *",
        "0 0 1-5 jan mon",
        "a b c d e",
    ),
    "kind": (
        "Role",
        "ClusterRole",
        "ServiceAccount",
        "User",
        "Group",
        "Deployment",
        "PersistentVolumeClaim",
        "Odd",
    ),
    "apiGroup": ("", "rbac.authorization.k8s.io", "Odd"),
    "apiVersion": ("v1", "apps/v1", "", "a/b/c"),
    "finalizers": ("example.com/keep", "orphan", "odd", "bad key/x"),
    "trafficDistribution": ("PreferClose", "Odd"),
    "recursiveReadOnly": ("Disabled", "Enabled", "Odd"),
    "procMount": ("Default", "Unmasked", "Odd"),
    "selectPolicy": ("Max", "Min", "Odd"),
    "timeZone": ("Etc/UTC", "", "../x"),
    "type": (
        "ClusterIP",
        "NodePort",
        "LoadBalancer",
        "ExternalName",
        "RollingUpdate",
        "Recreate",
        "OnDelete",
        "Odd",
        "Opaque",
        "kubernetes.io/dockerconfigjson",
        "Utilization",
        "RuntimeDefault",
        "Localhost",
        "Resource",
    ),
    "clusterIP": ("", "None", "10.0.0.1"),
    "effect": ("", "NoSchedule", "NoExecute", "Odd"),
    "action": ("FailJob", "FailIndex", "Ignore", "Count", "", "Odd"),
    "accessModes": ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteOncePod", "Odd"),
    "dnsPolicy": ("ClusterFirst", "Default", "None", "Odd"),
    "fieldPath": ("metadata.name", "metadata.labels['app']", "metadata.labels", "status.podIP", "spec.odd"),
    "resource": ("limits.cpu", "requests.memory", "odd"),
    "divisor": ("1", "1m", "1Mi", "3"),
    "pathType": ("Prefix", "Exact", "ImplementationSpecific", "Odd"),
    "path": ("/", "/a//b", "a", "", "../x", "..x"),
    "image": (
        "",
        "nginx",
        "nginx:latest",
        "nginx:1.25",
        "NGINX:1",
        " nginx",
        "a/b:5000/c",
        "x:1@sha256:" + "a" * 64,
    ),
    "policyTypes": ("Ingress", "Egress", "Odd"),
    "cidr": ("10.0.0.0/8", "10.0.0.1", "0.0.0.0/0", ""),
    "except": ("10.1.0.0/16", "11.0.0.0/8", "odd"),
    "podManagementPolicy": ("OrderedReady", "Parallel", "Odd"),
    "whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway", "Odd"),
    "sessionAffinity": ("None", "ClientIP", "Odd"),
    "externalTrafficPolicy": ("", "Cluster", "Local", "Odd"),
    "ipFamilies": ("IPv4",),
    "ipFamilyPolicy": ("SingleStack", "PreferDualStack"),
    "storageClassName": ("fast", "slow", ""),
    "volumeMode": ("Filesystem", "Block"),
    "managedBy": ("example.com/x", "odd", "a" * 64 + ".b/c"),
    "scheme": ("HTTP", "HTTPS", "odd"),
    "provisioner": ("csi.example.com", "example.com/other", ""),
    "reclaimPolicy": ("Delete", "Retain", "Odd"),
    "volumeBindingMode": ("Immediate", "WaitForFirstConsumer"),
    "mountPropagation": ("None", "HostToContainer", "Bidirectional", "Odd"),
    "sideEffects": ("None", "NoneOnDryRun", "Some"),
    "failurePolicy": ("Fail", "Ignore", "Odd"),
    "schedulerName": ("default-scheduler", "other"),
}
_NUMBERS = (-1, 0, 1, 2, 3, 5, 10, 80, 443, 8080, 1001, 65536, 100001)
_QUANTITIES = (
    "1",
    "2",
    "500m",
    "1000m",
    "0.5",
    "1.5",
    "1Gi",
    "1024Mi",
    "1.5Gi",
    "100k",
    "2e3",
    "0",
    "-1",
    "0.0001",
)
_PORTS = (0, 1, 2, 80, 8080, -1, 70000, "http", "25%", "0%", "150%", "b a d")
_KEYS = ("app", "tier", "example.com/a", "bad key", "Cap", "cpu", "memory", "nvidia.com/gpu", "odd")
_DEPTH = 4
# How often a field gets a word of its own; the API server has a list of time zones, the model has not.
_OWN = {"timeZone": 1, "ipFamilies": 1}


def edited(draw: Random, whole: Object, times: int) -> Object:
    """A copy with so many edits."""
    copied = copy.deepcopy(whole)
    name = gotypes.type_of(whole["apiVersion"], whole["kind"])
    assert name is not None
    for _ in range(times):
        _descend(draw, copied, name)
    return copied


def _modelled(name: str) -> list[gotypes.Field]:
    fields = gotypes.fields_of(name)
    # A whole object says what it is.
    fixed = {"apiVersion", "kind"} if any(field[0] == "metadata" for field in fields) else set()
    return [
        field
        for field in fields
        if field[0] not in UNMODELLED | fixed and f"{name}.{field[0]}" not in UNMODELLED
    ]


def _descend(draw: Random, value: Object, name: str) -> None:
    fields = _modelled(name)
    if not fields:
        return
    # What is there is more interesting than what is not.
    present = [field for field in fields if value.get(field[0]) is not None]
    field, kind, _, _ = draw.choice(present if present and draw.random() < 0.8 else fields)
    inner, found = kind.lstrip("*"), value.get(field)
    if isinstance(found, dict) and inner[0] not in "[{" and draw.random() < 0.85:
        _descend(draw, found, inner)
    elif isinstance(found, list) and found and draw.random() < 0.85:
        element = inner.partition("]")[2]
        index = draw.randrange(len(found))
        if isinstance(found[index], dict) and draw.random() < 0.75:
            _descend(draw, found[index], element)
        else:
            _edit_list(draw, found, index, element, field)
    elif isinstance(found, dict) and found and inner[0] == "{" and draw.random() < 0.7:
        key = draw.choice(sorted(found))
        if draw.random() < 0.3:
            del found[key]
        else:
            found[key] = _made(draw, inner.partition("}")[2], field, 0)
    elif found is not None and draw.random() < 0.35:
        if draw.random() < 0.3:
            value[field] = None
        else:
            del value[field]
    else:
        value[field] = _made(draw, kind, field, 0)


def _edit_list(draw: Random, found: list[Any], index: int, element: str, field: str) -> None:
    act = draw.randrange(5)
    if act == 0:
        del found[index]
    elif act == 1:
        found.append(copy.deepcopy(found[index]))
    elif act == 2:
        found.reverse()
    elif act == 3:
        found.append(_made(draw, element, field, 0))
    else:
        found[index] = _made(draw, element, field, 0)


def _made(draw: Random, kind: str, field: str, depth: int) -> Any:
    kind = kind.lstrip("*")
    if kind.startswith("["):
        return [_made(draw, kind.partition("]")[2], field, depth + 1) for _ in range(draw.randrange(3))]
    if kind.startswith("{"):
        element = kind.partition("}")[2]
        return {draw.choice(_KEYS): _made(draw, element, field, depth + 1) for _ in range(draw.randrange(3))}
    if kind == "quantity":
        return draw.choice(_QUANTITIES)
    if kind == "intorstring":
        return draw.choice(_PORTS)
    if kind == "bytes":
        return draw.choice(("", "MQ==", "YWJj"))
    if kind.startswith("string"):
        return draw.choice(
            _WORDS[field] if field in _WORDS and draw.random() < _OWN.get(field, 0.8) else _STRINGS
        )
    if kind == "bool":
        return draw.random() < 0.5
    if kind.startswith("int"):
        return draw.choice(_NUMBERS)
    if "." not in kind or depth >= _DEPTH:
        return {}
    fields = _modelled(kind)
    chosen = draw.sample(fields, min(len(fields), draw.randrange(1, 4)))
    return {name: _made(draw, inner, name, depth + 1) for name, inner, _, _ in chosen}
