package main

import (
	"fmt"
	"strings"
	"testing"
)

func locate(t testing.TB, directory string, context Context, fields ...Field) []Place {
	t.Helper()
	if context.Release == "" {
		context.Release = "r"
	}
	answers := ask(t, Request{Locate: &LocateRequest{Source: &Source{Path: directory}, Context: &context, Fields: fields}})
	if answers[0].Error != nil {
		t.Fatalf("unexpected error: %+v", answers[0].Error)
	}
	return answers[0].Places
}

// steps are written "a.yaml:3:5 > _h.tpl:1:1"; a place that is not exact begins with a question mark.
func steps(place Place) string {
	var parts []string
	for _, step := range place.Steps {
		part := fmt.Sprintf("%s:%d", strings.TrimPrefix(step.File, "c/templates/"), step.Line)
		if step.Column > 0 {
			part += fmt.Sprintf(":%d", step.Column)
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, " > ")
	if !place.Exact {
		text = "? " + text
	}
	return strings.TrimSpace(text)
}

const helpers = `-- templates/_h.tpl --
{{- define "name" }}{{ .Chart.Name }}{{ end -}}
{{/* labels */}}
{{- define "labels" -}}
app: {{ include "name" . }}
{{ template "more" . }}
{{- end -}}
{{ define "more" -}}
more: "yes"
odd: x
{{- end }}
{{ define "whole" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .name }}
  labels:
    {{- include "labels" .root | nindent 4 }}
{{- end }}
`

func TestWhereFieldsStand(t *testing.T) {
	for _, test := range []struct {
		name, template, values string
		index                  int
		path                   []any
		want                   string
	}{
		{"literal", "a: 1\nb:\n  c: 2\n", "", 0, []any{"b", "c"}, "a.yaml:3:3"},
		{"document", "\n# comment\n\na: 1\n", "", 0, nil, "a.yaml:4:1"},
		{"only a comment", "\n  # comment\n", "", 0, nil, "a.yaml:2:3"},
		{"value from an action", "a: {{ .Values.x }}\n", "x: {k: 1}", 0, []any{"a"}, "a.yaml:1:1"},
		{"in a flow", "a: {b: 1, 'c': {{ 2 }}}\n", "", 0, []any{"a", "c"}, "a.yaml:1:11"},
		{"list item", "a:\n- x: 1\n- x: 2\n  z: 3\n", "", 0, []any{"a", 1, "z"}, "a.yaml:4:3"},
		{"the item itself", "a:\n- x: 1\n- x: 2\n", "", 0, []any{"a", 1}, "a.yaml:3:3"},
		{"include", "a:\n  {{- include \"labels\" . | nindent 2 }}\n", "", 0, []any{"a", "app"}, "a.yaml:2:3 > _h.tpl:4:1"},
		{"template in include", "a:\n  {{- include \"labels\" . | nindent 2 }}\n", "", 0, []any{"a", "odd"}, "a.yaml:2:3 > _h.tpl:5:1 > _h.tpl:9:1"},
		{"include, indent, trim", "a:\n  {{ include \"labels\" . | indent 2 | trim }}\n", "", 0, []any{"a", "app"}, "a.yaml:2:3 > _h.tpl:4:1"},
		{"include, changed", "a:\n  {{ include \"more\" . | replace \"odd\" \"even\" | nindent 2 }}\n", "", 0, []any{"a", "even"}, "a.yaml:2:3"},
		{"include in parentheses", "a:\n  {{ (include \"more\" .) | nindent 2 }}\n", "", 0, []any{"a", "odd"}, "a.yaml:2:3"},
		{"whole document", "{{ include \"whole\" (dict \"name\" \"n\" \"root\" .) }}\n", "", 0, nil, "a.yaml:1:1 > _h.tpl:12:1"},
		{"deep in it", "\n\n{{ include \"whole\" (dict \"name\" \"n\" \"root\" .) }}\n", "", 0, []any{"metadata", "labels", "more"}, "a.yaml:3:1 > _h.tpl:17:5 > _h.tpl:5:1 > _h.tpl:8:1"},
		{"toYaml", "a:\n  x: 1\n  {{- toYaml .Values.w | nindent 2 }}\n", "w: {k: {l: 1}}", 0, []any{"a", "k", "l"}, "a.yaml:3:3"},
		{"tpl", "a:\n  {{- tpl .Values.w . | nindent 2 }}\n", "w: \"k: {{ .Release.Name }}\"", 0, []any{"a", "k"}, "a.yaml:2:3"},
		{"include in tpl", "a:\n  {{- tpl .Values.w . | nindent 2 }}\n", "w: \"{{ include \\\"more\\\" . }}\"", 0, []any{"a", "odd"}, "a.yaml:2:3 > _h.tpl:9:1"},
		{"decision in tpl", "a:\n  {{- tpl .Values.w . | nindent 2 }}\n", "w: '{{ if eq (include \"name\" .) \"c\" }}k: {{ include \"name\" . | upper }}{{ end }}'", 0, []any{"a", "k"}, "a.yaml:2:3"},
		{"range", "{{ range list 1 2 3 }}\n---\na: {{ . }}\n{{ end }}\n", "", 2, []any{"a"}, "a.yaml:3:1"},
		{"range over documents", "{{ range list 1 2 3 }}\n---\n# {{ . }}\na: {{ . }}\n{{ end }}\n", "", 1, nil, "a.yaml:4:1"},
		{"else if", "{{ if false }}\na: 1\n{{ else if .Values.x }}\na: 2\n{{ else }}\na: 3\n{{ end }}\n", "x: 1", 0, []any{"a"}, "a.yaml:4:1"},
		{"else", "{{ with .Values.x }}\na: 1\n{{ else with .Values.z }}\na: 2\n{{ else }}\na: 3\n{{ end }}\n", "", 0, []any{"a"}, "a.yaml:6:1"},
		{"else of a range", "{{ range $i, $x := .Values.x }}\na: 1\n{{ else }}\na: 3\n{{ end }}\n", "", 0, []any{"a"}, "a.yaml:4:1"},
		{"break and continue", "{{ range $i := until 9 }}{{ if eq $i 1 }}{{ continue }}{{ end }}{{ if gt $i 2 }}{{ break }}{{ end }}\nk{{ $i }}: x\n{{- end }}\n", "", 0, []any{"k2"}, "a.yaml:2:1"},
		{"computed key", "{{ .Release.Name }}-x: 1\n", "", 0, []any{"r-x"}, "a.yaml:1:1"},
		{"computed key, half", "x-{{ .Release.Name }}: 1\n", "", 0, []any{"x-r"}, "a.yaml:1:1"},
		{"variable from include", "{{ $x := include \"more\" . }}\na:\n{{ $x | indent 2 }}\n", "", 0, []any{"a", "odd"}, "a.yaml:3:1"},
		{"assigned", "{{ $x := \"\" }}{{ $x = include \"more\" . }}\na: {{ len $x }}\nb: 1\n", "", 0, []any{"b"}, "a.yaml:3:1"},
		{"decided by include", "{{ if include \"name\" . }}\na: 1\n{{ end }}{{ if include \"none\" . }}\nb: 1\n{{ end }}{{ define \"none\" }}\n{{ end }}\n", "", 0, []any{"a"}, "a.yaml:2:1"},
		{"checksum", "sum: {{ include (print .Template.BasePath \"/_h.tpl\") . | sha256sum }}\nb: 1\n", "", 0, []any{"b"}, "a.yaml:2:1"},
		{"block", "{{ block \"own\" . }}\na: 1\n{{ end }}\nb: 2\n", "", 0, []any{"a"}, "a.yaml:1:1 > a.yaml:2:1"},
		{"define between", "a: 1\n{{ define \"x\" }}\nz: {{ 1 }}\n{{ end }}b: 2\n{{ template \"x\" }}\n", "", 0, []any{"z"}, "a.yaml:5:1 > a.yaml:3:1"},
		{"brace before a trimmed action", "a: { {{- \"b\" }}: 1 }\nc: 2\n", "", 0, []any{"c"}, "a.yaml:2:1"},
		{"braces and comments", "a: '{ {{- /* x */}}{'\nc: 2\n", "", 0, []any{"c"}, "a.yaml:2:1"},
		{"brace at the end", "c: 2\n# {", "", 0, []any{"c"}, "a.yaml:1:1"},
		{"lines of Windows", "a: 1\r\nb:\r\n  c: {{ 2 }}\r\n  d: 3\r\n", "", 0, []any{"b", "d"}, "a.yaml:4:3"},
		{"other alphabets", "\"größe\": {é: {{ 1 }}, b: 2}\n", "", 0, []any{"größe", "b"}, "a.yaml:1:23"},
		{"anchor", "x: &x\n  a: 1\nz: *x\n", "", 0, []any{"z", "a"}, "a.yaml:2:3"},
		{"merged", "x: &x\n  a: 1\n  b: 2\nz:\n  <<: *x\n  b: 3\n", "", 0, []any{"z", "a"}, "a.yaml:2:3"},
		{"own before merged", "x: &x\n  a: 1\n  b: 2\nz:\n  <<: *x\n  b: 3\n", "", 0, []any{"z", "b"}, "a.yaml:6:3"},
		{"merged list", "x: &x {a: 1}\nw: &w {b: 2}\nz:\n  <<: [*x, *w]\n", "", 0, []any{"z", "b"}, "a.yaml:2:8"},
		{"twice", "a: 1\nb: 1\na: 2\n", "", 0, []any{"a"}, "a.yaml:3:1"},
		{"keys that are no text", "1: x\nyes: z\n'2': w\n", "", 0, []any{"true"}, "a.yaml:2:1"},
		{"number as a key", "1: x\nyes: z\n'2': w\n", "", 0, []any{"2"}, "a.yaml:3:1"},
		{"block text", "a: |\n  b: 1\n  {{ .Release.Name }}\nb: 2\n", "", 0, []any{"b"}, "a.yaml:4:1"},
		{"raw strings", "a: {{ `{{ x }}\n y` | quote }}\nb: 1\n", "", 0, []any{"b"}, "a.yaml:3:1"},
		{"parenthesised method", "a: {{ (.Files.Get \"x\") | quote }}\nb: {{ ($.Values.x | default (dict \"q\" 1)).q }}\n", "", 0, []any{"b"}, "a.yaml:2:1"},
		{"nothing", "a: {{ .Values.x }}\nb: 1\n", "", 0, []any{"b"}, "a.yaml:2:1"},
		{"not there", "\na: 1\n", "", 0, []any{"zz"}, "? a.yaml:2:1"},
		{"not a list", "a: 1\n", "", 0, []any{"a", 0}, "? a.yaml:1:1"},
		{"beyond the list", "a: [1]\n", "", 0, []any{"a", 1}, "? a.yaml:1:1"},
		{"no such document", "a: 1\n", "", 1, nil, "?"},
	} {
		t.Run(test.name, func(t *testing.T) {
			directory := chartOf(t, helpers+"-- values.yaml --\n"+test.values+"\n-- templates/a.yaml --\n"+test.template)
			places := locate(t, directory, Context{}, Field{Template: "c/templates/a.yaml", Index: test.index, Path: test.path})
			if got := steps(places[0]); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// A chart that uses the marks' own characters renders as ever; its lines are told only where they are plain.
func TestWhereMarksCannotBeUsed(t *testing.T) {
	directory := chartOf(t, "-- templates/a.yaml --\na: \U0010FFF0\nfirst: 1\n---\na: 5\nsecond: {x: 1}\n  # x\nthird: {{ 2 }}\nx: 7\n-- templates/b.yaml --\nb: 1\n")
	field := func(index int, path ...any) Field {
		return Field{Template: "c/templates/a.yaml", Index: index, Path: path}
	}
	places := locate(t, directory, Context{}, field(0, "first"), field(1, "third"), field(1, "a"), field(1, "gone"), Field{Template: "c/templates/b.yaml", Path: []any{"b"}})
	var got []string
	for _, place := range places {
		got = append(got, steps(place))
	}
	expect(t, "places", got, []string{"a.yaml:2", "a.yaml:7", "? a.yaml:4", "? a.yaml:4", "b.yaml:1:1"})

	result := render(t, chartOf(t, "-- templates/a.yaml --\n{{ range until 2 }}\n---\na: \U0010FFF0\n{{ end }}\n"), Context{Lines: true})
	expect(t, "unknown lines", []int{result.Documents[0].Line, result.Documents[1].Line}, []int{0, 0})
	place := locate(t, chartOf(t, "-- templates/a.yaml --\n{{ range until 2 }}\n---\na: \U0010FFF0\n{{ end }}\n"), Context{}, field(1, "zz"))[0]
	expect(t, "unknown place", place, Place{Steps: []Position{{File: "c/templates/a.yaml"}}})
}

func TestLinesOfDocuments(t *testing.T) {
	result := render(t, chartOf(t, helpers+`-- templates/a.yaml --
{{- if true }}
# Source of wisdom

kind: A
---
{{ include "whole" (dict "name" "n" "root" $) }}
---
kind: B
metadata: {annotations: {helm.sh/hook: nonsense}}
{{- end }}
-- crds/c.yaml --
# x

kind: C
---
kind: D
`), Context{Lines: true})
	lines := map[string]int{}
	for i, document := range result.Documents {
		lines[result.object(t, i)["kind"].(string)] = document.Line
	}
	expect(t, "lines", lines, map[string]int{"A": 4, "ConfigMap": 6, "B": 8, "C": 3, "D": 5})
	for _, document := range render(t, chartOf(t, "-- templates/a.yaml --\na: 1\n"), Context{}).Documents {
		expect(t, "not asked", document.Line, 0)
	}
}

func TestFieldsOfCRDs(t *testing.T) {
	directory := chartOf(t, "-- crds/c.yaml --\n# x\nkind: C\n---\nkind: D\nspec: {a: 1}\n")
	place := locate(t, directory, Context{}, Field{Template: "c/crds/c.yaml", Index: 1, Path: []any{"spec", "a"}})[0]
	expect(t, "place", place, Place{Steps: []Position{{File: "c/crds/c.yaml", Line: 5, Column: 8}}, Exact: true})
}

func TestFieldsOfSubcharts(t *testing.T) {
	directory := chartOf(t, `-- Chart.yaml --
apiVersion: v2
name: c
version: 1.0.0
dependencies: [{name: s, version: "*", alias: x}, {name: lib, version: "*"}]
-- charts/s/Chart.yaml --
apiVersion: v2
name: s
version: 1.0.0
-- charts/s/templates/a.yaml --

{{ include "lib.job" . }}
-- charts/lib/Chart.yaml --
apiVersion: v2
name: lib
version: 1.0.0
type: library
-- charts/lib/templates/_job.tpl --
{{ define "lib.job" }}
kind: Job
name: {{ .Chart.Name }}
{{ end }}
`)
	place := locate(t, directory, Context{}, Field{Template: "c/charts/x/templates/a.yaml", Path: []any{"name"}})[0]
	expect(t, "place", steps(place), "c/charts/x/templates/a.yaml:2:1 > c/charts/lib/templates/_job.tpl:3:1")
}

func TestFieldsOfATemplateThatDoesNotRender(t *testing.T) {
	directory := chartOf(t, "-- templates/a.yaml --\n{{ fail \"no\" }}\n")
	err := failure(t, Request{Locate: &LocateRequest{Source: &Source{Path: directory}, Context: &Context{Release: "r"}}})
	expect(t, "kind", err.Kind, ErrFail)
	err = failure(t, Request{Locate: &LocateRequest{Source: &Source{Path: directory}}})
	expect(t, "no context", err.Kind, ErrRequest)
}

func TestFieldsOfAText(t *testing.T) {
	text := "\n# one\na: 1\n---\n\nb:\n  c: [1, 2]\n"
	answers := ask(t, Request{Locate: &LocateRequest{Text: text, Fields: []Field{
		{Index: 0}, {Index: 0, Path: []any{"a"}}, {Index: 1, Path: []any{"b", "c", 1}}, {Index: 1, Path: []any{"zz"}}, {Index: 2}, {Index: -1},
	}}})
	var got []string
	for _, place := range answers[0].Places {
		got = append(got, steps(place))
	}
	expect(t, "places", got, []string{":3:1", ":3:1", ":7:10", "? :6:1", "?", "?"})
}
