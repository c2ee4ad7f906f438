package main

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// decode reads an object as the API server's create handler does: defaulted, in the internal version.
func decode(body []byte, kind schema.GroupVersionKind, strict bool) (runtime.Object, error) {
	server := typesOf(kind.Group)
	into, err := server.scheme.New(schema.GroupVersionKind{Group: kind.Group, Version: runtime.APIVersionInternal, Kind: kind.Kind})
	if err != nil {
		return nil, err
	}
	hub := schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal}
	decoder := server.codecs.DecoderToVersion(server.serializer(strict), hub)
	object, found, err := decoder.Decode(body, &kind, into)
	if err != nil {
		return nil, fmt.Errorf("%s in version %q cannot be handled as a %s: %w", found.Kind, found.Version, kind.Kind, err)
	}
	return object, nil
}

func init() {
	// The server's words for a body it cannot decode, or nothing.
	operations["decode"] = func(line []byte) (any, error) {
		var question struct {
			Object map[string]any  `json:"-"`
			Body   json.RawMessage `json:"object"`
			Strict bool            `json:"strict"`
		}
		if err := json.Unmarshal(line, &question); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(question.Body, &question.Object); err != nil {
			return nil, err
		}
		kind, err := kindIn(question.Object)
		if err != nil {
			return nil, err
		}
		if _, err = decode(question.Body, kind, question.Strict); err != nil {
			return err.Error(), nil
		}
		return nil, nil
	}
}
