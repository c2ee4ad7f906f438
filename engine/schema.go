package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schemaURL is the name under which Helm compiles a chart's schema; relative references start there.
const schemaURL = "file:///values.schema.json"

// closeSchemas takes out references that Helm would follow to the network or to other files, so that its
// own validation never leaves the process. What such a reference would have demanded is not checked.
func closeSchemas(c *chart.Chart) *Error {
	for _, at := range allCharts(c) {
		if at.chart.Schema == nil {
			continue
		}
		closed, err := closeSchema(at.chart.Schema)
		if err != nil {
			return failf(ErrSchema, "values.schema.json of chart %s: %v", at.chart.Name(), err)
		}
		at.chart.Schema = closed
	}
	return nil
}

func closeSchema(schema []byte) ([]byte, error) {
	for range 1000 {
		outside, err := firstOutside(schema)
		if outside == "" {
			return schema, nil // whatever else is wrong with it, Helm will say
		}
		document, unmarshalErr := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
		if unmarshalErr != nil || !dropReferences(document, outside, ignoresSiblings(document)) {
			return nil, fmt.Errorf("it refers to %s, which is not fetched: %w", outside, err)
		}
		if schema, err = json.Marshal(document); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("it refers to more than 1000 other documents")
}

// firstOutside compiles as Helm does and answers with the first document it would have fetched.
func firstOutside(schema []byte) (outside string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return "", err
	}
	_, err = compileSchema(document, refuse(func(url string) { outside = url }))
	return outside, err
}

func compileSchema(document any, outside jsonschema.URLLoader) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{"file": outside, "http": outside, "https": outside, "urn": permissive{}})
	if err := compiler.AddResource(schemaURL, document); err != nil {
		return nil, err
	}
	return compiler.Compile(schemaURL)
}

type refuse func(url string)

func (tell refuse) Load(url string) (any, error) {
	tell(url)
	return nil, errors.New("nothing is fetched from files or from the network")
}

// permissive is what Helm puts in place of a URN.
type permissive struct{}

func (permissive) Load(string) (any, error) { return true, nil }

// dropReferences removes the references to one document and tells whether there were any.
func dropReferences(node any, to string, siblingsIgnored bool) bool {
	dropped := false
	switch node := node.(type) {
	case map[string]any:
		for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
			if reference, ok := node[keyword].(string); ok && refersTo(reference, to) {
				dropped = true
				delete(node, keyword)
				if siblingsIgnored {
					clear(node)
				}
			}
		}
		for _, child := range node {
			dropped = dropReferences(child, to, siblingsIgnored) || dropped
		}
	case []any:
		for _, child := range node {
			dropped = dropReferences(child, to, siblingsIgnored) || dropped
		}
	}
	return dropped
}

func refersTo(reference, document string) bool {
	reference, _, _ = strings.Cut(reference, "#")
	for strings.HasPrefix(reference, "./") || strings.HasPrefix(reference, "../") || strings.HasPrefix(reference, "/") {
		_, reference, _ = strings.Cut(reference, "/")
	}
	return reference != "" && (document == reference || strings.HasSuffix(document, "/"+reference))
}

// ignoresSiblings: up to draft 7, what stands next to a $ref says nothing, and must not begin to.
func ignoresSiblings(document any) bool {
	object, _ := document.(map[string]any)
	draft, _ := object["$schema"].(string)
	return strings.Contains(draft, "/draft-0")
}

// compiledSchemas are the schemas of a chart and its dependencies, compiled once; Helm does so in each rendering.
type compiledSchemas struct{ known sync.Map }

func (s *compiledSchemas) compile(schema []byte) (*jsonschema.Schema, error) {
	compiled, _ := s.known.LoadOrStore(string(schema), sync.OnceValues(func() (*jsonschema.Schema, error) {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
		if err != nil {
			return nil, err
		}
		return compileSchema(document, refuse(func(string) {}))
	}))
	return compiled.(func() (*jsonschema.Schema, error))()
}

// violations takes apart what Helm says in one text, in a fixed order.
func (s *compiledSchemas) violations(c *chart.Chart, values map[string]any) []Violation {
	found := s.collectViolations(c, values)
	slices.SortStableFunc(found, func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.Chart, b.Chart), strings.Compare(a.Path, b.Path), strings.Compare(a.Message, b.Message))
	})
	return found
}

func (s *compiledSchemas) collectViolations(c *chart.Chart, values map[string]any) []Violation {
	var found []Violation
	if c.Schema != nil {
		schema, err := s.compile(c.Schema)
		if err == nil {
			err = validate(schema, values)
		}
		var invalid *jsonschema.ValidationError
		switch {
		case errors.As(err, &invalid):
			found = appendLeaves(found, c.Name(), invalid, message.NewPrinter(language.English))
		case err != nil:
			found = append(found, Violation{Chart: c.Name(), Message: err.Error(), BadSchema: true})
		}
	}
	for _, dependency := range c.Dependencies() {
		switch sub := values[dependency.Name()].(type) {
		case nil:
		case map[string]any:
			found = append(found, s.collectViolations(dependency, sub)...)
		default:
			found = append(found, Violation{Chart: dependency.Name(), Message: fmt.Sprintf("invalid type for values: expected object (map), got %T", sub)})
		}
	}
	return found
}

func validate(schema *jsonschema.Schema, values map[string]any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("unable to validate schema: %s", r)
		}
	}()
	return schema.Validate(values)
}

// complaint is the validator's, without the value where it would repeat it: that may be a secret.
func complaint(about jsonschema.ErrorKind, english *message.Printer) string {
	switch about := about.(type) {
	case *kind.Pattern:
		return fmt.Sprintf("does not match pattern '%s'", about.Want)
	case *kind.Format:
		return "is not a valid " + about.Want
	}
	return about.LocalizedString(english)
}

func appendLeaves(found []Violation, name string, at *jsonschema.ValidationError, english *message.Printer) []Violation {
	if len(at.Causes) == 0 {
		return append(found, Violation{Chart: name, Path: strings.Join(at.InstanceLocation, "."), Message: complaint(at.ErrorKind, english)})
	}
	for _, cause := range at.Causes {
		found = appendLeaves(found, name, cause, english)
	}
	return found
}
