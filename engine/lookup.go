package main

import "fmt"

// cluster answers `lookup` from given objects as Helm answers it from an API server. An object without a
// namespace is of a cluster-wide kind, so any namespace finds it, as Helm ignores it there.
type cluster []map[string]any

func (objects cluster) find(asked Lookup) (map[string]any, bool) {
	return objects.lookup(asked.APIVersion, asked.Kind, asked.Namespace, asked.Name)
}

// lookup gives an empty map for what is not there, and for everything where there is no cluster at all,
// as `helm template` does.
func (objects cluster) lookup(apiVersion, kind, namespace, name string) (answer map[string]any, found bool) {
	if len(objects) == 0 {
		return map[string]any{}, false
	}
	items := []any{}
	for _, object := range objects {
		if object["apiVersion"] != apiVersion || object["kind"] != kind {
			continue
		}
		metadata, _ := object["metadata"].(map[string]any)
		its := text(metadata["namespace"])
		switch {
		case name == "" && (namespace == "" || its == "" || its == namespace):
			items = append(items, deepCopy(object))
		case name != "" && text(metadata["name"]) == name && (its == "" || its == namespace):
			// A namespaced object asked for without its namespace is not found: the API has no such path.
			return deepCopy(object).(map[string]any), true
		}
	}
	if name != "" {
		return map[string]any{}, false
	}
	return map[string]any{
		"apiVersion": apiVersion,
		"kind":       kind + "List",
		"metadata":   map[string]any{"resourceVersion": "1"},
		"items":      items,
	}, len(items) > 0
}

func text(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}
