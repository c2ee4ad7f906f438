package main

import (
	"encoding/json"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A history of writes to one object, played through the server's field manager.
type history struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Deduced    bool    `json:"deduced"`
	Writes     []write `json:"writes"`
}

func (h history) kind() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(h.APIVersion, h.Kind)
}

type write struct {
	Verb    string          `json:"verb"` // apply, update (create if there is no object yet)
	Manager string          `json:"manager"`
	Force   bool            `json:"force"`
	Object  json.RawMessage `json:"object"`
}

type written struct {
	Object   map[string]any `json:"object"`
	Managers any            `json:"managers"`
	Error    string         `json:"error,omitempty"`
}

// asIs leaves objects as they are: no conversion and no defaulting between merge and answer.
type asIs struct {
	blank map[string]any
}

func (asIs) Convert(in, out, context any) error { return nil }
func (asIs) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}
func (asIs) ConvertFieldLabel(schema.GroupVersionKind, string, string) (string, string, error) {
	return "", "", nil
}
func (asIs) Default(runtime.Object) {}
func (a asIs) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(a.blank)}
	object.SetGroupVersionKind(kind)
	return object, nil
}

// blank is what the server compares a new object with: Go writes some fields always.
func (h history) blank() (map[string]any, error) {
	if h.Deduced {
		return map[string]any{}, nil
	}
	object, err := legacyscheme.Scheme.New(h.kind())
	if err != nil {
		return nil, err
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(object)
}

var builtIn = sync.OnceValues(func() (managedfields.TypeConverter, error) {
	_, models, err := served()
	if err != nil {
		return nil, err
	}
	return managedfields.NewTypeConverter(models, false)
})

// Every built-in kind with a status resets it on writes to the object itself.
func (h history) reset() map[fieldpath.APIVersion]fieldpath.Filter {
	status := fieldpath.NewExcludeSetFilter(fieldpath.NewSet(fieldpath.MakePathOrDie("status")))
	return map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(h.APIVersion): status}
}

func (h history) fieldManager(objects asIs) (*managedfields.FieldManager, error) {
	converter, reset := managedfields.NewDeducedTypeConverter(), h.reset()
	if h.Deduced {
		reset = nil
	} else {
		var err error
		if converter, err = builtIn(); err != nil {
			return nil, err
		}
	}
	return managedfields.NewDefaultFieldManager(
		converter, objects, objects, objects, h.kind(), h.kind().GroupVersion(), "", reset)
}

// An object that exists has a uid; without one, the field manager takes every update for a creation.
const uid = "oracle"

func (h history) play() ([]written, error) {
	blank, err := h.blank()
	if err != nil {
		return nil, err
	}
	manager, err := h.fieldManager(asIs{blank})
	if err != nil {
		return nil, err
	}
	var live *unstructured.Unstructured
	var answers []written
	for _, w := range h.Writes {
		before, given := live.DeepCopy(), &unstructured.Unstructured{}
		if live == nil {
			before = &unstructured.Unstructured{Object: map[string]any{}}
			if w.Verb == "update" {
				before.Object = runtime.DeepCopyJSON(blank)
			}
			before.SetGroupVersionKind(h.kind())
		}
		if err := utiljson.Unmarshal(w.Object, &given.Object); err != nil {
			return nil, err
		}
		var after runtime.Object
		if w.Verb == "apply" {
			after, err = manager.Apply(before, given, w.Manager, w.Force)
		} else {
			given.SetUID(before.GetUID())
			after, err = manager.Update(before, given, w.Manager)
		}
		if err != nil {
			answers = append(answers, written{Error: err.Error()})
			continue
		}
		live = after.(*unstructured.Unstructured)
		answer := live.DeepCopy()
		managers, _, _ := unstructured.NestedFieldNoCopy(answer.Object, "metadata", "managedFields")
		unstructured.RemoveNestedField(answer.Object, "metadata", "managedFields")
		unstructured.RemoveNestedField(answer.Object, "metadata", "uid")
		answers = append(answers, written{Object: answer.Object, Managers: managers})
		live.SetUID(uid)
	}
	return answers, nil
}

// playStored is the same with Go's structs and defaults in between, as the server has them.
func (h history) playStored() ([]written, error) {
	converter, err := builtIn()
	if err != nil {
		return nil, err
	}
	scheme, kind := legacyscheme.Scheme, h.kind()
	hub := schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal}
	manager, err := managedfields.NewDefaultFieldManager(converter, scheme, scheme, scheme, kind, hub, "", h.reset())
	if err != nil {
		return nil, err
	}
	live, err := scheme.New(kind)
	if err != nil {
		return nil, err
	}
	var answers []written
	for _, w := range h.Writes {
		var after runtime.Object
		if w.Verb == "apply" {
			given := &unstructured.Unstructured{}
			if err := utiljson.Unmarshal(w.Object, &given.Object); err != nil {
				return nil, err
			}
			after, err = manager.Apply(live.DeepCopyObject(), given, w.Manager, w.Force)
		} else {
			var given runtime.Object
			if given, err = decoded(kind, w.Object); err != nil {
				return nil, err
			}
			after, err = manager.Update(live.DeepCopyObject(), given, w.Manager)
		}
		if err != nil {
			answers = append(answers, written{Error: err.Error()})
			continue
		}
		// What the registry does next: an object that exists has a uid.
		accessor, err := meta.Accessor(after)
		if err != nil {
			return nil, err
		}
		accessor.SetUID(uid)
		live = after
		object, err := encoded(kind, after)
		if err != nil {
			return nil, err
		}
		unstructured.RemoveNestedField(object, "metadata", "managedFields")
		unstructured.RemoveNestedField(object, "metadata", "uid")
		answers = append(answers, written{Object: object})
	}
	return answers, nil
}

// decoded is an object as the server's handlers have it: defaulted, in the internal version.
func decoded(kind schema.GroupVersionKind, data []byte) (runtime.Object, error) {
	object, err := legacyscheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	if err := utiljson.Unmarshal(data, object); err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	legacyscheme.Scheme.Default(object)
	return legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal})
}

func encoded(kind schema.GroupVersionKind, object runtime.Object) (map[string]any, error) {
	versioned, err := legacyscheme.Scheme.ConvertToVersion(object.DeepCopyObject(), kind.GroupVersion())
	if err != nil {
		return nil, err
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(versioned)
}

func init() {
	operations["stored_writes"] = func(line []byte) (any, error) {
		var h history
		if err := json.Unmarshal(line, &h); err != nil {
			return nil, err
		}
		return h.playStored()
	}
	operations["stored"] = func(line []byte) (any, error) {
		var question struct {
			APIVersion string          `json:"apiVersion"`
			Kind       string          `json:"kind"`
			Object     json.RawMessage `json:"object"`
		}
		if err := json.Unmarshal(line, &question); err != nil {
			return nil, err
		}
		kind := schema.FromAPIVersionAndKind(question.APIVersion, question.Kind)
		object, err := decoded(kind, question.Object)
		if err != nil {
			return nil, err
		}
		return encoded(kind, object)
	}
	operations["writes"] = func(line []byte) (any, error) {
		var h history
		if err := json.Unmarshal(line, &h); err != nil {
			return nil, err
		}
		return h.play()
	}
}
