"""API versions that Kubernetes once served, and since which of its versions it does not."""

Minor = tuple[int, int]

_REMOVED: dict[Minor, dict[str, str]] = {
    (1, 16): {
        "extensions/v1beta1": "Deployment DaemonSet ReplicaSet NetworkPolicy PodSecurityPolicy",
        "apps/v1beta1": "Deployment StatefulSet ControllerRevision",
        "apps/v1beta2": "Deployment StatefulSet DaemonSet ReplicaSet ControllerRevision",
    },
    (1, 20): {"settings.k8s.io/v1alpha1": "PodPreset"},
    (1, 21): {"batch/v2alpha1": "CronJob"},
    (1, 22): {
        "extensions/v1beta1": "Ingress",
        "networking.k8s.io/v1beta1": "Ingress IngressClass",
        "rbac.authorization.k8s.io/v1beta1": "Role RoleBinding ClusterRole ClusterRoleBinding",
        "rbac.authorization.k8s.io/v1alpha1": "Role RoleBinding ClusterRole ClusterRoleBinding",
        "admissionregistration.k8s.io/v1beta1": "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
        "apiextensions.k8s.io/v1beta1": "CustomResourceDefinition",
        "apiregistration.k8s.io/v1beta1": "APIService",
        "certificates.k8s.io/v1beta1": "CertificateSigningRequest",
        "coordination.k8s.io/v1beta1": "Lease",
        "scheduling.k8s.io/v1beta1": "PriorityClass",
        "storage.k8s.io/v1beta1": "CSIDriver CSINode StorageClass VolumeAttachment",
    },
    (1, 25): {
        "batch/v1beta1": "CronJob",
        "discovery.k8s.io/v1beta1": "EndpointSlice",
        "events.k8s.io/v1beta1": "Event",
        "autoscaling/v2beta1": "HorizontalPodAutoscaler",
        "policy/v1beta1": "PodDisruptionBudget PodSecurityPolicy",
        "node.k8s.io/v1beta1": "RuntimeClass",
    },
    (1, 26): {
        "autoscaling/v2beta2": "HorizontalPodAutoscaler",
        "flowcontrol.apiserver.k8s.io/v1beta1": "FlowSchema PriorityLevelConfiguration",
    },
    (1, 27): {"storage.k8s.io/v1beta1": "CSIStorageCapacity"},
    (1, 29): {"flowcontrol.apiserver.k8s.io/v1beta2": "FlowSchema PriorityLevelConfiguration"},
    (1, 32): {"flowcontrol.apiserver.k8s.io/v1beta3": "FlowSchema PriorityLevelConfiguration"},
}

SINCE: dict[tuple[str, str], Minor] = {
    (api_version, kind): minor
    for minor, removed in _REMOVED.items()
    for api_version, kinds in removed.items()
    for kind in kinds.split()
}
