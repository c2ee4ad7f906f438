package main

import "testing"

func parseText(t testing.TB, name, text string, order ...string) rendered {
	t.Helper()
	return collect(t, ask(t, Request{Parse: &ParseRequest{Name: name, Text: text, Order: order}}))[0]
}

func TestParseReadsWhatHelmPrinted(t *testing.T) {
	text := `---
# Source: c/crds/x.yaml
kind: CustomResourceDefinition
---
# Source: c/templates/job.yaml
kind: Job
---
# Source: c/charts/a/charts/b/templates/s.yaml

# more
kind: Service
---
kind: Pod
metadata: {annotations: {helm.sh/hook: test}}
---
# Source: c/templates/d.yaml
kind: Pod
metadata: {annotations: {helm.sh/hook: tset}}
---
# Source: c/templates/nothing.yaml
# but comments
`
	result := parseText(t, "all.yaml", text)
	type seen struct {
		Template, Subchart string
		Role               Role
		Index, Line        int
	}
	var got []seen
	for _, d := range result.Documents {
		got = append(got, seen{d.Template, d.Subchart, d.Role, d.Index, d.Line})
	}
	expect(t, "documents", got, []seen{
		{"c/crds/x.yaml", "", RoleCRD, 0, 3},
		{"c/charts/a/charts/b/templates/s.yaml", "a/b", RoleManifest, 2, 11},
		{"c/templates/job.yaml", "", RoleManifest, 1, 6},
		{"c/templates/nothing.yaml", "", RoleManifest, 5, 20},
		{"all.yaml", "", RoleHook, 3, 13},
		{"c/templates/d.yaml", "", RoleDropped, 4, 17},
	})
	reordered := parseText(t, "all.yaml", text, "Job", "Service")
	expect(t, "reordered", reordered.Documents[2].Template, "c/charts/a/charts/b/templates/s.yaml")
}

func TestParseOfNothing(t *testing.T) {
	expect(t, "documents", len(parseText(t, "x", "").Documents), 0)
	expect(t, "documents", len(parseText(t, "x", "---\n---\n").Documents), 0)
}

func TestParseOfAConfigFile(t *testing.T) {
	for _, name := range []string{"_config.yaml", "", "a/b.yaml"} {
		result := parseText(t, name, "a: {b: 1}\n")
		expect(t, name, []any{len(result.Documents), result.Documents[0].Template}, []any{1, name})
	}
}

func TestParseSaysWhereTheTextIsWrong(t *testing.T) {
	for _, test := range []struct {
		name, text   string
		line, column int
	}{
		{"scanner", "a: 1\n---\n\nb: 1\nc: d: e\n", 5, 1},
		{"parser", "a: 1\n---\nb: 1\n- c\n", 4, 1},
		{"flow", "a: [1, 2\nb: 3\n", 2, 1},
		{"tab", "a:\n\tb: 1\n", 2, 2},
		{"no line: the document", "a: 1\n---\nmetadata: {name: [1]}\n", 3, 1},
	} {
		err := failure(t, Request{Parse: &ParseRequest{Name: "_x.yaml", Text: test.text}})
		expect(t, test.name+": "+err.Message, []any{err.Kind, err.File, err.Line, err.Column}, []any{ErrYAML, "_x.yaml", test.line, test.column})
		expectContains(t, err.Message, "YAML parse error on _x.yaml: ")
	}
}

func TestPlainTextIsReadAsItStands(t *testing.T) {
	text := "# of the team\n---\nkind: [1]\nmetadata: x\nb: &b {c: 1}\nd:\n  <<: *b\n  c: 2\n---\n- 1\n---\n"
	result := collect(t, ask(t, Request{Parse: &ParseRequest{Name: "_x.yaml", Text: text, Plain: true}}))[0]
	var said []any
	for _, document := range result.Documents {
		said = append(said, document.Index, document.Line, string(result.bodies[document.Digest].Object))
	}
	expect(t, "documents", said, []any{
		0, 1, "null",
		1, 3, `{"b":{"c":1},"d":{"c":2},"kind":[1],"metadata":"x"}`,
		2, 10, "[1]",
	})
}

func TestPlainTextSaysWhereItIsWrong(t *testing.T) {
	for _, test := range []struct {
		name, text   string
		line, column int
		says         string
	}{
		{"a key again", "a: 1\n---\nb: 1\n\nb: 2\n", 5, 1, `duplicate key "b", first in line 3`},
		{"in the next line", "x:\n- c: 1\n  c: 2\n", 3, 3, `duplicate key "c", first in line 2`},
		{"in one line", "é: {on: 1, true: 2}\n", 1, 12, `duplicate key "true", first in line 1`},
		{"not YAML", "a: 1\n---\nb: 1\n- c\n", 4, 1, "did not find expected key"},
		{"a cycle", "\n\na: &a [*a]\n", 3, 1, "anchor 'a' value contains itself"},
	} {
		err := failure(t, Request{Parse: &ParseRequest{Name: "x.yaml", Text: test.text, Plain: true}})
		expect(t, test.name, []any{err.Kind, err.File, err.Line, err.Column}, []any{ErrYAML, "x.yaml", test.line, test.column})
		expectContains(t, err.Message, test.says)
	}
}
