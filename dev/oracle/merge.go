package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
)

// What a client patches: the object it applied last, the one it applies now, and the one that is live.
type patched struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Original   json.RawMessage `json:"original"`
	Modified   json.RawMessage `json:"modified"`
	Current    json.RawMessage `json:"current"`
}

// The object after the patch, and whether there was anything to send.
type patchResult struct {
	Patch  json.RawMessage `json:"patch"`
	Object json.RawMessage `json:"object"`
	Empty  bool            `json:"empty"`
}

func read(line []byte) (patched, error) {
	var p patched
	err := json.Unmarshal(line, &p)
	return p, err
}

func result(patch []byte, err error, apply func(patch []byte) ([]byte, error)) (any, error) {
	if err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	object, err := apply(patch)
	if err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	return patchResult{patch, bytes.TrimSpace(object), string(patch) == "{}"}, nil
}

// serverPatch applies as the API server does, on values without spare capacity: appending to a list of
// JSON that was just read may write into the list it came from, and duplicates then change their order.
func serverPatch(current, patch []byte, meta strategicpatch.LookupPatchMeta) ([]byte, error) {
	var object, change map[string]any
	if err := utiljson.Unmarshal(current, &object); err != nil {
		return nil, err
	}
	if err := utiljson.Unmarshal(patch, &change); err != nil {
		return nil, err
	}
	merged, err := strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(runtime.DeepCopyJSON(object), change, meta)
	if err != nil {
		return nil, err
	}
	return json.Marshal(merged)
}

func init() {
	operations["strategic"] = func(line []byte) (any, error) {
		p, err := read(line)
		if err != nil {
			return nil, err
		}
		typed, err := scheme.Scheme.New(schema.FromAPIVersionAndKind(p.APIVersion, p.Kind))
		if err != nil {
			return nil, err
		}
		meta, err := strategicpatch.NewPatchMetaFromStruct(typed)
		if err != nil {
			return nil, err
		}
		patch, err := strategicpatch.CreateThreeWayMergePatch(p.Original, p.Modified, p.Current, meta, true)
		return result(patch, err, func(patch []byte) ([]byte, error) {
			return serverPatch(p.Current, patch, meta)
		})
	}
	operations["json_three_way"] = func(line []byte) (any, error) {
		p, err := read(line)
		if err != nil {
			return nil, err
		}
		patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(p.Original, p.Modified, p.Current)
		return result(patch, err, func(patch []byte) ([]byte, error) { return jsonpatch.MergePatch(p.Current, patch) })
	}
	operations["json_two_way"] = func(line []byte) (any, error) {
		p, err := read(line)
		if err != nil {
			return nil, err
		}
		patch, err := jsonpatch.CreateMergePatch(p.Original, p.Modified)
		return result(patch, err, func(patch []byte) ([]byte, error) { return jsonpatch.MergePatch(p.Current, patch) })
	}
}

// byKey is how strategicpatch compares: what is equal counts as less.
type byKey [][2]string

func (b byKey) Len() int           { return len(b) }
func (b byKey) Less(i, j int) bool { return b[i][0] <= b[j][0] }
func (b byKey) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

func init() {
	operations["sort"] = func(line []byte) (any, error) {
		var question struct {
			Items byKey `json:"items"`
		}
		err := json.Unmarshal(line, &question)
		sort.Sort(question.Items)
		return question.Items, err
	}
}
