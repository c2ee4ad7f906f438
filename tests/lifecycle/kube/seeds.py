"""Objects as charts write them, one or two a kind, to be edited at random."""

from typing import Any

Object = dict[str, Any]

_LABELS = {"app": "web", "tier": "back"}
_POD: Object = {
    "serviceAccountName": "runner",
    "securityContext": {"fsGroup": 1001, "runAsUser": 1001},
    "initContainers": [
        {
            "name": "wait",
            "image": "busybox",
            "command": ["sh", "-c", "until nc -z db 5432; do sleep 1; done"],
            "volumeMounts": [{"name": "config", "mountPath": "/etc/app"}],
        }
    ],
    "containers": [
        {
            "name": "main",
            "image": "registry.example.com/app:1.0",
            "args": ["serve"],
            "env": [
                {"name": "MODE", "value": "prod"},
                {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "creds", "key": "key"}}},
                {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
            ],
            "envFrom": [{"configMapRef": {"name": "env"}}],
            "ports": [{"name": "http", "containerPort": 8080}, {"name": "metrics", "containerPort": 9090}],
            "resources": {
                "limits": {"cpu": "1000m", "memory": "1Gi"},
                "requests": {"cpu": "0.5", "memory": "512Mi"},
            },
            "livenessProbe": {"httpGet": {"path": "/health", "port": "http"}, "periodSeconds": 5},
            "readinessProbe": {"tcpSocket": {"port": 8080}},
            "lifecycle": {"preStop": {"exec": {"command": ["sleep", "5"]}}},
            "securityContext": {"readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}},
            "volumeMounts": [
                {"name": "config", "mountPath": "/etc/app"},
                {"name": "data", "mountPath": "/data", "subPath": "files"},
            ],
        },
        {"name": "side", "image": "side@sha256:" + "0" * 64},
    ],
    "volumes": [
        {"name": "config", "configMap": {"name": "config", "items": [{"key": "a", "path": "a.yaml"}]}},
        {"name": "secret", "secret": {"secretName": "creds"}},
        {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
        {"name": "tmp", "emptyDir": {"sizeLimit": "1000Mi"}},
        {"name": "host", "hostPath": {"path": "/var/log"}},
        {
            "name": "all",
            "projected": {
                "sources": [
                    {"serviceAccountToken": {"path": "token"}},
                    {"configMap": {"name": "ca", "items": [{"key": "ca", "path": "ca.crt"}]}},
                    {
                        "downwardAPI": {
                            "items": [{"path": "ns", "fieldRef": {"fieldPath": "metadata.namespace"}}]
                        }
                    },
                ]
            },
        },
    ],
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "tolerations": [{"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"}],
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]}
                ]
            }
        },
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {
                    "weight": 100,
                    "podAffinityTerm": {
                        "labelSelector": {"matchLabels": _LABELS},
                        "topologyKey": "kubernetes.io/hostname",
                    },
                }
            ]
        },
    },
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": "zone",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": _LABELS},
        }
    ],
    "imagePullSecrets": [{"name": "pull"}],
}
_TEMPLATE: Object = {"metadata": {"labels": _LABELS, "annotations": {"checksum/config": "1"}}, "spec": _POD}
_ONE_OFF: Object = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {**_POD, "restartPolicy": "Never", "initContainers": []},
}
_SMALL: Object = {"spec": {"restartPolicy": "OnFailure", "containers": [{"name": "c", "image": "i:1"}]}}


def _object(api_version: str, kind: str, **rest: Any) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "thing", "labels": _LABELS}, **rest}


SEEDS: tuple[Object, ...] = (
    _object("batch/v1", "Job", spec={"backoffLimit": 3, "ttlSecondsAfterFinished": 60, "template": _ONE_OFF}),
    _object("batch/v1", "Job", spec={"template": _SMALL, "suspend": True}),
    _object(
        "batch/v1",
        "Job",
        spec={
            "completionMode": "Indexed",
            "completions": 3,
            "parallelism": 3,
            "backoffLimitPerIndex": 1,
            "podFailurePolicy": {
                "rules": [
                    {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3, 42]}},
                    {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
                ]
            },
            "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}},
        },
    ),
    _object(
        "batch/v1",
        "CronJob",
        spec={"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": _ONE_OFF}}},
    ),
    _object("v1", "Pod", spec={**_POD, "restartPolicy": "Never"}),
    _object(
        "apps/v1",
        "Deployment",
        spec={"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": _TEMPLATE},
    ),
    _object(
        "apps/v1",
        "StatefulSet",
        spec={
            "serviceName": "web",
            "selector": {"matchLabels": {"app": "web"}},
            "template": _TEMPLATE,
            "volumeClaimTemplates": [
                {
                    "metadata": {"name": "data"},
                    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "8Gi"}}},
                }
            ],
        },
    ),
    _object(
        "apps/v1", "DaemonSet", spec={"selector": {"matchLabels": {"app": "web"}}, "template": _TEMPLATE}
    ),
    _object(
        "apps/v1", "ReplicaSet", spec={"selector": {"matchLabels": {"app": "web"}}, "template": _TEMPLATE}
    ),
    _object(
        "v1",
        "Service",
        spec={
            "selector": _LABELS,
            "ports": [{"name": "http", "port": 80, "targetPort": "http"}, {"name": "m", "port": 9090}],
        },
    ),
    _object("v1", "Service", spec={"clusterIP": "None", "selector": _LABELS, "ports": [{"port": 5432}]}),
    _object(
        "v1",
        "Service",
        spec={"type": "LoadBalancer", "externalTrafficPolicy": "Local", "ports": [{"port": 80}]},
    ),
    _object(
        "v1", "Service", spec={"type": "NodePort", "ports": [{"name": "a", "port": 80, "nodePort": 30080}]}
    ),
    _object("v1", "Service", spec={"type": "ExternalName", "externalName": "example.com"}),
    _object(
        "v1",
        "PersistentVolumeClaim",
        spec={
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "fast",
            "resources": {"requests": {"storage": "8Gi"}},
        },
    ),
    _object(
        "v1",
        "PersistentVolume",
        spec={
            "capacity": {"storage": "10Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "manual",
            "nfs": {"server": "nfs.example.com", "path": "/x"},
        },
    ),
    _object("v1", "ConfigMap", data={"a": "1", "b.yaml": "x: 1\n"}),
    _object("v1", "ConfigMap", data={"a": "1"}, immutable=True),
    _object("v1", "Secret", data={"a": "MQ=="}, stringData={"b": "2"}),
    _object("v1", "Secret", type="kubernetes.io/tls", data={"tls.crt": "", "tls.key": "MQ=="}),
    _object("v1", "ServiceAccount", imagePullSecrets=[{"name": "pull"}], secrets=[{"name": "token"}]),
    _object("v1", "Namespace"),
    _object(
        "rbac.authorization.k8s.io/v1",
        "Role",
        rules=[{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}],
    ),
    _object(
        "rbac.authorization.k8s.io/v1",
        "ClusterRole",
        rules=[{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}],
    ),
    _object(
        "rbac.authorization.k8s.io/v1",
        "RoleBinding",
        roleRef={"kind": "Role", "name": "thing"},
        subjects=[{"kind": "ServiceAccount", "name": "runner"}],
    ),
    _object(
        "rbac.authorization.k8s.io/v1",
        "ClusterRoleBinding",
        roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "thing"},
        subjects=[
            {"kind": "ServiceAccount", "name": "runner", "namespace": "ns"},
            {"kind": "User", "name": "u"},
        ],
    ),
    _object("storage.k8s.io/v1", "StorageClass", provisioner="csi.example.com", parameters={"type": "ssd"}),
    _object(
        "policy/v1", "PodDisruptionBudget", spec={"minAvailable": 1, "selector": {"matchLabels": _LABELS}}
    ),
    _object(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        spec={
            "podSelector": {"matchLabels": _LABELS},
            "ingress": [
                {
                    "from": [
                        {"podSelector": {"matchLabels": {"app": "x"}}},
                        {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}},
                    ],
                    "ports": [{"port": 80}],
                }
            ],
            "egress": [{}],
        },
    ),
    _object(
        "networking.k8s.io/v1",
        "Ingress",
        spec={
            "ingressClassName": "nginx",
            "tls": [{"hosts": ["example.com"], "secretName": "cert"}],
            "rules": [
                {
                    "host": "example.com",
                    "http": {
                        "paths": [
                            {
                                "path": "/",
                                "pathType": "Prefix",
                                "backend": {"service": {"name": "web", "port": {"number": 80}}},
                            }
                        ]
                    },
                }
            ],
        },
    ),
    _object("networking.k8s.io/v1", "IngressClass", spec={"controller": "example.com/ingress"}),
    _object(
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        spec={
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "thing"},
            "maxReplicas": 3,
            "metrics": [
                {
                    "type": "Resource",
                    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}},
                }
            ],
            "behavior": {"scaleDown": {"stabilizationWindowSeconds": 60}},
        },
    ),
    _object(
        "autoscaling/v1",
        "HorizontalPodAutoscaler",
        spec={
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "thing"},
            "maxReplicas": 3,
            "targetCPUUtilizationPercentage": 80,
        },
    ),
    _object("scheduling.k8s.io/v1", "PriorityClass", value=1000),
    _object(
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration",
        webhooks=[
            {
                "name": "change.example.com",
                "admissionReviewVersions": ["v1", "v1beta1"],
                "sideEffects": "NoneOnDryRun",
                "clientConfig": {"caBundle": "MQ==", "service": {"name": "hook", "namespace": "ns"}},
                "namespaceSelector": {"matchExpressions": [{"key": "skip", "operator": "DoesNotExist"}]},
            }
        ],
    ),
    {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": "v1beta1.metrics.k8s.io"},
        "spec": {
            "group": "metrics.k8s.io",
            "version": "v1beta1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": True,
            "service": {"name": "metrics", "namespace": "ns"},
        },
    },
    _object(
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        webhooks=[
            {
                "name": "check.example.com",
                "admissionReviewVersions": ["v1"],
                "sideEffects": "None",
                "clientConfig": {"service": {"name": "hook", "namespace": "ns", "path": "/check"}},
                "rules": [
                    {
                        "apiGroups": ["apps"],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE"],
                        "resources": ["*"],
                    }
                ],
            }
        ],
    ),
    _object("storage.k8s.io/v1", "CSIDriver", spec={"attachRequired": False}),
)
