"""The order in which kinds are uninstalled: those that are not listed come last, by name."""

UNINSTALL = (
    "ValidatingWebhookConfiguration MutatingWebhookConfiguration APIService Ingress IngressClass Service CronJob Job "
    "StatefulSet HorizontalPodAutoscaler Deployment ReplicaSet ReplicationController Pod DaemonSet RoleBindingList "
    "RoleBinding RoleList Role ClusterRoleBindingList ClusterRoleBinding ClusterRoleList ClusterRole "
    "CustomResourceDefinition PersistentVolumeClaim PersistentVolume StorageClass ConfigMap SecretList Secret "
    "ServiceAccount PodDisruptionBudget PodSecurityPolicy LimitRange ResourceQuota NetworkPolicy Namespace "
    "PriorityClass"
).split()
_POSITIONS = {kind: position for position, kind in enumerate(UNINSTALL)}


def uninstall_order(kind: str) -> tuple[int, str]:
    position = _POSITIONS.get(kind)
    return (len(_POSITIONS), kind) if position is None else (position, "")
