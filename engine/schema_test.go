package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

func TestSchemaViolationsHavePaths(t *testing.T) {
	directory := chartOf(t, `-- values.schema.json --
{"type": "object", "required": ["image"], "properties": {
  "image": {"type": "object", "properties": {"tag": {"type": "string"}}},
  "ports": {"type": "array", "items": {"type": "integer"}}}}
-- values.yaml --
image: {tag: 5}
ports: [1, x]
sub: {size: huge}
-- charts/sub/Chart.yaml --
apiVersion: v2
name: sub
version: 1.0.0
-- charts/sub/values.schema.json --
{"properties": {"size": {"type": "integer"}}}
`)
	err := renderFailure(t, directory, Context{})
	expect(t, "kind", err.Kind, ErrSchema)
	expectContains(t, err.Message, "values don't meet the specifications of the schema(s) in the following chart(s):\nc:\n- at ", "'/image/tag': got number, want string", "sub:\n")
	found := map[string]string{}
	for _, violation := range err.Violations {
		found[violation.Chart+" "+violation.Path] = violation.Message
	}
	expect(t, "violations", found, map[string]string{
		"c image.tag": "got number, want string",
		"c ports.1":   "got string, want integer",
		"sub size":    "got string, want integer",
	})
}

func TestSchemasThatAreNone(t *testing.T) {
	for schema, says := range map[string]string{
		`{`:                        "unexpected EOF",
		`{"type": "nonsense"}`:     "values.schema.json",
		`{"$ref": "#/$defs/gone"}`: "gone",
	} {
		err := renderFailure(t, chartOf(t, "-- values.schema.json --\n"+schema+"\n"), Context{})
		expect(t, schema, err.Kind, ErrSchema)
		expectContains(t, err.Message, says)
	}
}

// References to other documents are not followed, and what stands beside them still counts.
func TestSchemasFetchNothing(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer server.Close()
	if _, err := net.Dial("tcp", server.Listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	local := filepath.Join(writeFiles(t, t.TempDir(), "-- s.json --\n{\"type\": \"string\"}\n"), "s.json")
	for _, reference := range []string{server.URL + "/s.json", server.URL + "/s.json#/definitions/x", "file://" + local, "other.json", "./sub/other.json#/a", "urn:example:x"} {
		schema := `{"properties": {"far": {"$ref": "` + reference + `"}, "near": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}}}`
		directory := chartOf(t, "-- values.schema.json --\n"+schema+"\n-- templates/a.yaml --\na: 1\n")
		render(t, directory, Context{Values: Values{Set: []string{"far=1,near=1"}}})
		err := renderFailure(t, directory, Context{Values: Values{Set: []string{"far=1,near=x"}}})
		expect(t, reference, []any{err.Kind, len(err.Violations), err.Violations[0].Path}, []any{ErrSchema, 1, "near"})
	}
	err := loadFailure(t, chartOf(t, "-- values.schema.json --\n{\"$schema\": \""+server.URL+"/draft\"}\n"))
	expect(t, "a draft of their own", err.Kind, ErrSchema)
	expectContains(t, err.Message, "which is not fetched")
	expect(t, "requests", asked, 0)
}

func TestReferencesWithinTheSchemaStay(t *testing.T) {
	schema := `{"$id": "https://example.com/s.json", "properties": {"a": {"$ref": "https://example.com/s.json#/$defs/n"}, "b": {"$ref": "t.json"}},
	"$defs": {"n": {"type": "integer"}, "t": {"$id": "t.json", "type": "boolean"}}}`
	err := renderFailure(t, chartOf(t, "-- values.schema.json --\n"+schema+"\n-- values.yaml --\na: x\nb: 1\n"), Context{})
	expect(t, "violations", len(err.Violations), 2)
}

func TestOldDraftsIgnoreWhatStandsBesideAReference(t *testing.T) {
	for draft, refused := range map[string]bool{
		"http://json-schema.org/draft-07/schema#":      false,
		"https://json-schema.org/draft/2020-12/schema": true,
	} {
		schema := `{"$schema": "` + draft + `", "properties": {"a": {"$ref": "https://example.com/x", "type": "integer"}}}`
		directory := chartOf(t, "-- values.schema.json --\n"+schema+"\n-- values.yaml --\na: x\n")
		expect(t, draft, renderAll(t, directory, Context{})[0].Error != nil, refused)
	}
}

func TestManyReferences(t *testing.T) {
	var schema strings.Builder
	schema.WriteString(`{"properties": {`)
	for i := range 30 {
		schema.WriteString(`"p` + strings.Repeat("x", i) + `": {"$ref": "https://example.com/` + strings.Repeat("x", i+1) + `"},`)
	}
	schema.WriteString(`"z": true}}`)
	render(t, chartOf(t, "-- values.schema.json --\n"+schema.String()+"\n"), Context{})
}
