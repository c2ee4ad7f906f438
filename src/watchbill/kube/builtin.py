"""Resources that every cluster has: plural name, group, whether they live in namespaces. A test asks a real API server."""

_BY_GROUP: dict[str, tuple[str, str]] = {
    # group: (in namespaces, outside of them)
    "": (
        """bindings configmaps endpoints events limitranges persistentvolumeclaims pods podtemplates
        replicationcontrollers resourcequotas secrets serviceaccounts services""",
        "componentstatuses namespaces nodes persistentvolumes",
    ),
    "apps": ("controllerrevisions daemonsets deployments replicasets statefulsets", ""),
    "batch": ("cronjobs jobs", ""),
    "autoscaling": ("horizontalpodautoscalers", ""),
    "policy": ("poddisruptionbudgets", ""),
    "networking.k8s.io": ("ingresses networkpolicies", "ingressclasses ipaddresses servicecidrs"),
    "rbac.authorization.k8s.io": ("rolebindings roles", "clusterrolebindings clusterroles"),
    "storage.k8s.io": (
        "csistoragecapacities",
        "csidrivers csinodes storageclasses volumeattachments volumeattributesclasses",
    ),
    "coordination.k8s.io": ("leases", ""),
    "discovery.k8s.io": ("endpointslices", ""),
    "admissionregistration.k8s.io": (
        "",
        """mutatingwebhookconfigurations validatingwebhookconfigurations validatingadmissionpolicies
        validatingadmissionpolicybindings mutatingadmissionpolicies mutatingadmissionpolicybindings""",
    ),
    "apiextensions.k8s.io": ("", "customresourcedefinitions"),
    "apiregistration.k8s.io": ("", "apiservices"),
    "authentication.k8s.io": ("", "selfsubjectreviews tokenreviews"),
    "authorization.k8s.io": (
        "localsubjectaccessreviews",
        "selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews",
    ),
    "certificates.k8s.io": ("podcertificaterequests", "certificatesigningrequests clustertrustbundles"),
    "flowcontrol.apiserver.k8s.io": ("", "flowschemas prioritylevelconfigurations"),
    "node.k8s.io": ("", "runtimeclasses"),
    "scheduling.k8s.io": ("", "priorityclasses"),
    "resource.k8s.io": (
        "resourceclaims resourceclaimtemplates",
        "deviceclasses devicetaintrules resourceslices",
    ),
}

GROUPS = frozenset({*_BY_GROUP, "core", "events.k8s.io"} - {""})
# Plural name -> group, lives in namespaces.
RESOURCES: dict[str, tuple[str, bool]] = {
    plural: (group, is_namespaced)
    for group, kinds in _BY_GROUP.items()
    for is_namespaced, plurals in zip((True, False), kinds, strict=True)
    for plural in plurals.split()
}
SUBRESOURCES = frozenset(
    "approval attach binding ephemeralcontainers eviction exec finalize finalizers log portforward proxy resize scale "
    "status token".split()
)
