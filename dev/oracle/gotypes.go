package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// goField is one member of a struct: its name in JSON, its type, whether an empty value is left out, and the
// structs it was inlined from, which errors name.
type goField struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Omit string `json:"omit,omitempty"`
	From string `json:"from,omitempty"`
}

// leaves are types that read and write themselves.
var leaves = map[reflect.Type]string{
	reflect.TypeOf(resource.Quantity{}):                            "quantity",
	reflect.TypeOf(intstr.IntOrString{}):                           "intorstring",
	reflect.TypeOf(metav1.Time{}):                                  "time",
	reflect.TypeOf(metav1.MicroTime{}):                             "microtime",
	reflect.TypeOf(metav1.Duration{}):                              "duration",
	reflect.TypeOf(metav1.FieldsV1{}):                              "any",
	reflect.TypeOf(runtime.RawExtension{}):                         "any",
	reflect.TypeOf(apiextensionsv1.JSON{}):                         "json",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrArray{}):       "schemaorarray",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrBool{}):        "schemaorbool",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrStringArray{}): "schemaorstrings",
}

type goTypes struct {
	Structs map[string][]goField `json:"structs"`
}

// of writes a type as *T (pointer), []T, {}T (map), the key of a struct, or kind=name for scalars. A list or
// map with a name of its own has it between the brackets.
func (g *goTypes) of(t reflect.Type) string {
	if leaf, known := leaves[t]; known {
		return leaf
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + g.of(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[" + named(t) + "]" + g.of(t.Elem())
	case reflect.Map:
		return "{" + named(t) + "}" + g.of(t.Elem())
	case reflect.Struct:
		key := path.Base(path.Dir(t.PkgPath())) + "/" + path.Base(t.PkgPath()) + "." + t.Name()
		if _, done := g.Structs[key]; !done {
			g.Structs[key] = nil
			g.Structs[key] = g.fields(t)
			unmarshaler := reflect.TypeOf((*json.Unmarshaler)(nil)).Elem()
			text := reflect.TypeOf((*encoding.TextUnmarshaler)(nil)).Elem()
			if reflect.PointerTo(t).Implements(unmarshaler) || reflect.PointerTo(t).Implements(text) {
				panic("reads itself: " + key)
			}
		}
		return key
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Float64:
		if t.Name() == t.Kind().String() {
			return t.Name()
		}
		return t.Kind().String() + "=" + t.String()
	}
	panic(fmt.Sprintf("no name for %v", t))
}

func named(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	return t.String()
}

func (g *goTypes) fields(t reflect.Type) []goField {
	found := []goField{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() {
			continue
		}
		if name == "" && field.Anonymous {
			inner := field.Type
			if inner.Kind() == reflect.Pointer {
				panic("pointer inlined in " + t.String())
			}
			for _, inlined := range g.fields(inner) {
				inlined.From = strings.TrimSuffix(field.Name+"."+inlined.From, ".")
				found = append(found, inlined)
			}
			continue
		}
		if name == "" {
			name = field.Name
		}
		omit := ""
		for option := range strings.SplitSeq(options, ",") {
			if option == "omitempty" || option == "omitzero" {
				omit += strings.TrimPrefix(option, "omit")[:1]
			}
		}
		found = append(found, goField{Name: name, Type: g.of(field.Type), Omit: omit})
	}
	return found
}

func init() {
	// The Go types behind the given kinds: what decoding drops, and what encoding writes.
	operations["gotypes"] = func(line []byte) (any, error) {
		var question struct {
			Kinds []struct{ Group, Version, Kind string } `json:"kinds"`
		}
		if err := json.Unmarshal(line, &question); err != nil {
			return nil, err
		}
		all := &goTypes{map[string][]goField{}}
		kinds := map[string]string{}
		for _, one := range question.Kinds {
			kind := schema.GroupVersionKind{Group: one.Group, Version: one.Version, Kind: one.Kind}
			object, err := typesOf(one.Group).scheme.New(kind)
			if err != nil {
				return nil, err
			}
			kinds[kind.GroupVersion().String()+" "+kind.Kind] = all.of(reflect.TypeOf(object).Elem())
		}
		return map[string]any{"kinds": kinds, "structs": all.Structs}, nil
	}
}
