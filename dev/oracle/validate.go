package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	core "k8s.io/kubernetes/pkg/apis/core"
)

// What the model calls an object that has no namespace of its own in a question.
const aNamespace = "ns"

// verdict is what the API server makes of a write: the object as it would be stored, or why not.
type verdict struct {
	Object map[string]any `json:"object"`
	Causes [][2]string    `json:"causes"`
	Text   string         `json:"text,omitempty"`
	// The server's words for a body it cannot decode; nothing else is said then.
	Undecodable string `json:"undecodable,omitempty"`
}

// storing is one object on its way through the server.
type storing struct {
	kind     schema.GroupVersionKind
	strategy strategy
	ctx      context.Context
	given    bool // a namespace of its own
}

func begin(body []byte) (*storing, runtime.Object, string, error) {
	var raw map[string]any
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, nil, "", err
	}
	kind, err := kindIn(raw)
	if err != nil {
		return nil, nil, "", err
	}
	known, found := strategies[kind.GroupKind()]
	if !found {
		return nil, nil, "", fmt.Errorf("no strategy for %v", kind.GroupKind())
	}
	w := &storing{kind: kind, strategy: known}
	object, err := decode(body, kind, false)
	if err != nil {
		return w, nil, err.Error(), nil
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, nil, "", err
	}
	namespace := ""
	if known.NamespaceScoped() {
		w.given = accessor.GetNamespace() != ""
		if namespace = aNamespace; w.given {
			namespace = accessor.GetNamespace()
		}
		accessor.SetNamespace(namespace)
	}
	w.ctx = genericrequest.WithNamespace(context.Background(), namespace)
	w.ctx = genericrequest.WithRequestInfo(w.ctx, &genericrequest.RequestInfo{
		IsResourceRequest: true, APIGroup: kind.Group, APIVersion: kind.Version, Namespace: namespace, Name: accessor.GetName(),
		Resource: strings.ToLower(kind.Kind),
	})
	return w, object, "", nil
}

// finish says what became of it, without what differs from one server to the next.
func (w *storing) finish(object runtime.Object, refused error) (any, error) {
	result := verdict{Causes: [][2]string{}}
	if refused != nil {
		status, isStatus := refused.(errors.APIStatus)
		if !isStatus {
			return nil, refused
		}
		result.Text = refused.Error()
		if details := status.Status().Details; details != nil {
			for _, cause := range details.Causes {
				result.Causes = append(result.Causes, [2]string{cause.Field, cause.Message})
			}
		}
	}
	server := typesOf(w.kind.Group)
	stored, err := runtime.Encode(server.codecs.EncoderForVersion(server.serializer(false), w.kind.GroupVersion()), object)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(symbolic(stored), &result.Object); err != nil {
		return nil, err
	}
	metadata := result.Object["metadata"].(map[string]any)
	for _, systems := range []string{"creationTimestamp", "uid", "resourceVersion", "generation", "managedFields", "selfLink"} {
		delete(metadata, systems)
	}
	if w.strategy.NamespaceScoped() && !w.given {
		delete(metadata, "namespace")
	}
	return result, nil
}

func create(body []byte) (any, error) {
	w, object, undecodable, err := begin(body)
	if err != nil {
		return nil, err
	}
	if undecodable != "" {
		return verdict{Undecodable: undecodable, Causes: [][2]string{}}, nil
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	rest.WipeObjectMetaSystemFields(accessor)
	accessor.SetManagedFields(nil)
	accessor.SetCreationTimestamp(metav1.NewTime(time.Unix(1, 0)))
	accessor.SetUID("uid")
	if accessor.GetName() == "" && accessor.GetGenerateName() != "" {
		accessor.SetName(accessor.GetGenerateName() + "xxxxx")
	}
	if service, isService := object.(*core.Service); isService {
		return w.finish(object, services.create(w, service))
	}
	return w.finish(object, rest.BeforeCreate(w.strategy, w.ctx, object))
}

func update(newer, older []byte) (any, error) {
	w, object, undecodable, err := begin(newer)
	if err != nil {
		return nil, err
	}
	if undecodable != "" {
		return verdict{Undecodable: undecodable, Causes: [][2]string{}}, nil
	}
	_, existing, undecodable, err := begin(older)
	if err != nil {
		return nil, err
	}
	if undecodable != "" {
		return nil, fmt.Errorf("the old object: %s", undecodable)
	}
	for _, one := range []runtime.Object{object, existing} {
		accessor, err := meta.Accessor(one)
		if err != nil {
			return nil, err
		}
		accessor.SetManagedFields(nil)
		accessor.SetUID("uid")
		accessor.SetResourceVersion("1")
		accessor.SetGeneration(1)
		accessor.SetCreationTimestamp(metav1.NewTime(time.Unix(1, 0)))
	}
	if service, isService := object.(*core.Service); isService {
		return w.finish(object, services.update(w, service, existing.(*core.Service)))
	}
	return w.finish(object, rest.BeforeUpdate(w.strategy, w.ctx, object, existing))
}

func init() {
	operations["create"] = func(line []byte) (any, error) {
		var question struct {
			Object json.RawMessage `json:"object"`
		}
		if err := json.Unmarshal(line, &question); err != nil {
			return nil, err
		}
		return create(concrete(question.Object))
	}
	operations["update"] = func(line []byte) (any, error) {
		var question struct {
			New json.RawMessage `json:"new"`
			Old json.RawMessage `json:"old"`
		}
		if err := json.Unmarshal(line, &question); err != nil {
			return nil, err
		}
		return update(concrete(question.New), concrete(question.Old))
	}
}
