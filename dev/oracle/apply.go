package main

import (
	"encoding/json"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A history of writes to one object, played through the server's field manager. Objects stay as they are:
// no conversion and no defaulting between merge and answer.
type history struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Deduced    bool    `json:"deduced"`
	Writes     []write `json:"writes"`
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

type asIs struct{}

func (asIs) Convert(in, out, context any) error { return nil }
func (asIs) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}
func (asIs) ConvertFieldLabel(schema.GroupVersionKind, string, string) (string, string, error) {
	return "", "", nil
}
func (asIs) Default(runtime.Object) {}
func (asIs) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(kind)
	return object, nil
}

var builtIn = sync.OnceValues(func() (managedfields.TypeConverter, error) {
	_, models, err := served()
	if err != nil {
		return nil, err
	}
	return managedfields.NewTypeConverter(models, false)
})

func fieldManager(h history) (*managedfields.FieldManager, error) {
	kind := schema.FromAPIVersionAndKind(h.APIVersion, h.Kind)
	converter := managedfields.NewDeducedTypeConverter()
	var reset map[fieldpath.APIVersion]fieldpath.Filter
	if !h.Deduced {
		var err error
		if converter, err = builtIn(); err != nil {
			return nil, err
		}
		// Every kind with a status resets it on writes to the object itself.
		status := fieldpath.NewExcludeSetFilter(fieldpath.NewSet(fieldpath.MakePathOrDie("status")))
		reset = map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(h.APIVersion): status}
	}
	return managedfields.NewDefaultFieldManager(converter, asIs{}, asIs{}, asIs{}, kind, kind.GroupVersion(), "", reset)
}

// An object that exists has a uid; without one, the field manager takes every update for a creation.
const uid = "oracle"

func (h history) play() ([]written, error) {
	manager, err := fieldManager(h)
	if err != nil {
		return nil, err
	}
	empty, _ := asIs{}.New(schema.FromAPIVersionAndKind(h.APIVersion, h.Kind))
	live := empty.(*unstructured.Unstructured)
	var answers []written
	for _, w := range h.Writes {
		before, given := live.DeepCopy(), &unstructured.Unstructured{}
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

func init() {
	operations["writes"] = func(line []byte) (any, error) {
		var h history
		if err := json.Unmarshal(line, &h); err != nil {
			return nil, err
		}
		return h.play()
	}
}
