package main

import (
	"fmt"

	"github.com/go-logr/logr"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/klog/v2"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kube-aggregator/pkg/registry/apiservice"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/capabilities"
	_ "k8s.io/kubernetes/pkg/controlplane"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattributesclass"
)

// strategy is what the API server's generic store asks before it writes.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// strategies of the kinds that the model defaults or validates, by group and kind.
var strategies = map[schema.GroupKind]strategy{
	{Group: "", Kind: "ConfigMap"}:             configmap.Strategy,
	{Group: "", Kind: "Endpoints"}:             endpoint.Strategy,
	{Group: "", Kind: "LimitRange"}:            limitrange.Strategy,
	{Group: "", Kind: "Namespace"}:             namespace.Strategy,
	{Group: "", Kind: "PersistentVolume"}:      persistentvolume.Strategy,
	{Group: "", Kind: "PersistentVolumeClaim"}: persistentvolumeclaim.Strategy,
	{Group: "", Kind: "Pod"}:                   pod.Strategy,
	{Group: "", Kind: "ReplicationController"}: replicationcontroller.Strategy,
	{Group: "", Kind: "ResourceQuota"}:         resourcequota.Strategy,
	{Group: "", Kind: "Secret"}:                secret.Strategy,
	{Group: "", Kind: "Service"}:               service.Strategy,
	{Group: "", Kind: "ServiceAccount"}:        serviceaccount.Strategy,

	{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"}:   mutatingwebhookconfiguration.Strategy,
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"}: validatingwebhookconfiguration.Strategy,

	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: customresourcedefinition.NewStrategy(apiextensions.Scheme),
	{Group: "apiregistration.k8s.io", Kind: "APIService"}:             apiservice.NewStrategy(aggregator.Scheme),

	{Group: "apps", Kind: "DaemonSet"}:   daemonset.Strategy,
	{Group: "apps", Kind: "Deployment"}:  deployment.Strategy,
	{Group: "apps", Kind: "ReplicaSet"}:  replicaset.Strategy,
	{Group: "apps", Kind: "StatefulSet"}: statefulset.Strategy,

	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}: horizontalpodautoscaler.Strategy,
	{Group: "batch", Kind: "CronJob"}:                       cronjob.Strategy,
	{Group: "batch", Kind: "Job"}:                           job.Strategy,
	{Group: "coordination.k8s.io", Kind: "Lease"}:           lease.Strategy,

	{Group: "networking.k8s.io", Kind: "Ingress"}:       ingress.Strategy,
	{Group: "networking.k8s.io", Kind: "IngressClass"}:  ingressclass.Strategy,
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}: networkpolicy.Strategy,
	{Group: "node.k8s.io", Kind: "RuntimeClass"}:        runtimeclass.Strategy,
	{Group: "policy", Kind: "PodDisruptionBudget"}:      poddisruptionbudget.Strategy,

	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:        clusterrole.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}: clusterrolebinding.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "Role"}:               role.Strategy,
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:        rolebinding.Strategy,

	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:      priorityclass.Strategy,
	{Group: "storage.k8s.io", Kind: "CSIDriver"}:             csidriver.Strategy,
	{Group: "storage.k8s.io", Kind: "StorageClass"}:          storageclass.Strategy,
	{Group: "storage.k8s.io", Kind: "VolumeAttributesClass"}: volumeattributesclass.Strategy,
}

// types is one of the three servers in the API server: its scheme and its codecs.
type types struct {
	scheme *runtime.Scheme
	codecs serializer.CodecFactory
}

func init() {
	// The cluster's flag --allow-privileged, which real clusters set.
	capabilities.Setup(true, 0)
	// The server's notes to its developers.
	klog.SetLogger(logr.Discard())
}

func typesOf(group string) types {
	switch group {
	case "apiextensions.k8s.io":
		return types{apiextensions.Scheme, apiextensions.Codecs}
	case "apiregistration.k8s.io":
		return types{aggregator.Scheme, aggregator.Codecs}
	}
	return types{legacyscheme.Scheme, legacyscheme.Codecs}
}

func (t types) serializer(strict bool) runtime.Serializer {
	info, found := runtime.SerializerInfoForMediaType(t.codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	if !found {
		panic("no JSON serializer")
	}
	if strict {
		return info.StrictSerializer
	}
	return info.Serializer
}

// kindIn reads what every question's object says of itself.
func kindIn(object map[string]any) (schema.GroupVersionKind, error) {
	version, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	parsed, err := schema.ParseGroupVersion(version)
	if err == nil && (kind == "" || version == "") {
		err = fmt.Errorf("no kind or version in the object")
	}
	return parsed.WithKind(kind), err
}
