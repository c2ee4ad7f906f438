package main

import (
	"encoding/json"
	"fmt"
	"strings"

	yaml "go.yaml.in/yaml/v2"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/runtime"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/schemaconv"
	openapiutil "k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/controlplane"
	generated "k8s.io/kubernetes/pkg/generated/openapi"
	sigsyaml "sigs.k8s.io/yaml"
)

type modelled struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Model      string         `json:"model"`
	Blank      map[string]any `json:"blank"` // the Go struct before anything is in it
}

// served names the kinds of all versions that are on by default, with the OpenAPI models behind them, as
// the API server builds them for itself.
func served() ([]modelled, map[string]*spec.Schema, error) {
	schemes := []*runtime.Scheme{legacyscheme.Scheme, apiextensions.Scheme, aggregator.Scheme}
	config := genericapiserver.DefaultOpenAPIV3Config(generated.GetOpenAPIDefinitions, openapinamer.NewDefinitionNamer(schemes...))
	enabled := controlplane.DefaultAPIResourceConfigSource()
	var kinds []modelled
	var names []string
	for i, scheme := range schemes {
		for gvk := range scheme.AllKnownTypes() {
			if gvk.Version == runtime.APIVersionInternal || strings.HasSuffix(gvk.Kind, "List") {
				continue
			}
			if i == 0 && !enabled.GroupVersionConfigs[gvk.GroupVersion()] || i > 0 && gvk.Version != "v1" {
				continue
			}
			object, err := scheme.New(gvk)
			if err != nil {
				return nil, nil, err
			}
			name := openapiutil.GetCanonicalTypeName(object)
			definition, found := config.Definitions[name]
			if !found {
				continue
			}
			metadata := definition.Schema.Properties["metadata"]
			if reference := fmt.Sprint(metadata.Ref.String(), metadata.AllOf); !strings.Contains(reference, "ObjectMeta") {
				continue
			}
			model, _ := config.GetDefinitionName(name)
			blank, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
			if err != nil {
				return nil, nil, err
			}
			kinds = append(kinds, modelled{gvk.GroupVersion().String(), gvk.Kind, model, blank})
			names = append(names, name)
		}
	}
	models, err := builder3.BuildOpenAPIDefinitionsForResources(config, names...)
	return kinds, models, err
}

func init() {
	operations["schema"] = func([]byte) (any, error) {
		kinds, models, err := served()
		if err != nil {
			return nil, err
		}
		types, err := schemaconv.ToSchemaFromOpenAPI(models, false)
		if err != nil {
			return nil, err
		}
		written, err := yaml.Marshal(types.Types)
		if err != nil {
			return nil, err
		}
		asJSON, err := sigsyaml.YAMLToJSON(written)
		if err != nil {
			return nil, err
		}
		return map[string]any{"kinds": kinds, "models": models, "types": json.RawMessage(asJSON)}, nil
	}
}
