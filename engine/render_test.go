package main

import (
	"encoding/json"
	"testing"
)

func TestAContextDecidesWhatTemplatesSee(t *testing.T) {
	directory := chartOf(t, `-- templates/a.yaml --
release: {{ .Release.Name }} {{ .Release.Namespace }} {{ .Release.IsInstall }} {{ .Release.IsUpgrade }} {{ .Release.Revision }} {{ .Release.Service }}
chart: {{ .Chart.Version }} {{ .Chart.AppVersion }}
kube: {{ .Capabilities.KubeVersion.Version }} {{ .Capabilities.KubeVersion.Minor }} {{ .Capabilities.APIVersions.Has "example.com/v1" }} {{ .Capabilities.APIVersions.Has "batch/v1" }}
helm: {{ .Capabilities.HelmVersion.Version }}
`)
	all := renderAll(t, directory,
		Context{Revision: 1, HelmVersion: "v4.3.1", KubeVersion: "1.30.1"},
		Context{Release: "x", Namespace: "y", Upgrade: true, Revision: 7, KubeVersion: "v1.25.3-gke.1", APIVersions: []string{"example.com/v1"}, HelmVersion: "v3.19.0", ChartVersion: "2.0.0", AppVersion: "v9"},
		Context{Revision: 1, HelmVersion: "v4.3.1", KubeVersion: "1.30.1"},
	)
	expect(t, "first", all[0].text(0), "release: r ns true false 1 Helm\nchart: 1.2.3 4\nkube: v1.30.1 30 false true\nhelm: v4.3.1\n")
	expect(t, "second", all[1].text(0), "release: x y false true 7 Helm\nchart: 2.0.0 v9\nkube: v1.25.3-gke.1 25 true true\nhelm: v3.19.0\n")
	expect(t, "third", all[2].Documents, all[0].Documents)
	expect(t, "indexes", []int{all[0].Index, all[1].Index, all[2].Index}, []int{0, 1, 2})
}

func TestSubchartsHaveTheVersionsOfTheContext(t *testing.T) {
	directory := chartOf(t, `-- Chart.yaml --
apiVersion: v2
name: c
version: 1.0.0
dependencies: [{name: sub, alias: one, version: 1.0.0}, {name: sub, alias: two, version: 1.0.0}]
-- charts/sub/Chart.yaml --
apiVersion: v2
name: sub
version: 1.0.0
appVersion: "1"
-- charts/sub/templates/a.yaml --
{{ .Chart.Name }}: {{ .Chart.Version }} {{ .Chart.AppVersion }}
`)
	all := renderAll(t, directory, Context{}, Context{Subcharts: []Subchart{{"two", "2.0.0", "5"}}})
	expect(t, "own", []string{all[0].text(0), all[0].text(1)}, []string{"one: 1.0.0 1\n", "two: 1.0.0 1\n"})
	expect(t, "given", []string{all[1].text(0), all[1].text(1)}, []string{"one: 1.0.0 1\n", "two: 2.0.0 5\n"})
}

// As `helm template` prints it: documents in order, then hooks.
func TestDocumentsAreInHelmsOrderAndWords(t *testing.T) {
	directory := chartOf(t, `-- templates/a.yaml --
kind: Service
---
# a comment
kind: Secret
---

---
# nothing else
---
kind: Job
metadata:
  annotations: {helm.sh/hook: "post-install, Pre-Upgrade", helm.sh/hook-weight: "-5", helm.sh/hook-delete-policy: "hook-failed,Hook-Succeeded", helm.sh/hook-output-log-policy: hook-failed}
-- templates/b.yaml --
kind: Pod
metadata:
  annotations: {helm.sh/hook: pre-instal}
---
kind: ConfigMap
metadata:
  annotations: {helm.sh/hook: "post-delete, frobnicate,test", helm.sh/hook-weight: 3}
---
kind: Namespace
-- templates/empty.yaml --

-- crds/z.yaml --
kind: CustomResourceDefinition
metadata: {name: z1}
---
kind: CustomResourceDefinition
metadata: {name: z2}
`)
	var got []string
	result := render(t, directory, Context{})
	for i, document := range result.Documents {
		kind, _ := result.object(t, i)["kind"].(string)
		got = append(got, string(document.Role)+" "+kind+" "+document.Template)
	}
	expect(t, "order", got, []string{
		"crd CustomResourceDefinition c/crds/z.yaml",
		"crd CustomResourceDefinition c/crds/z.yaml",
		"manifest Namespace c/templates/b.yaml",
		"manifest Secret c/templates/a.yaml",
		"manifest Service c/templates/a.yaml",
		"manifest  c/templates/a.yaml",
		"hook Job c/templates/a.yaml",
		"dropped Pod c/templates/b.yaml",
		"dropped ConfigMap c/templates/b.yaml",
	})
	var indexes []int
	for _, document := range result.Documents {
		indexes = append(indexes, document.Index)
	}
	expect(t, "indexes", indexes, []int{0, 1, 2, 1, 0, 2, 3, 0, 1})
	expect(t, "text", result.text(3), "# a comment\nkind: Secret\n")
	expect(t, "only comments", result.bodies[result.Documents[5].Digest].Object, json.RawMessage("null"))
	expect(t, "hook", result.Documents[6].Hook, Hook{
		Events: []string{"post-install", "pre-upgrade"}, Weight: -5,
		DeletePolicies: []string{"hook-failed", "hook-succeeded"}, OutputLogPolicies: []string{"hook-failed"},
	})
	expect(t, "dropped", []any{result.Documents[7].Unknown, result.Documents[7].Hook},
		[]any{"pre-instal", Hook{Events: []string{}, DeletePolicies: []string{}, OutputLogPolicies: []string{}}})
	expect(t, "half known", []any{result.Documents[8].Unknown, result.Documents[8].Hook},
		[]any{"frobnicate", Hook{Events: []string{"post-delete", "test"}, Weight: 3, DeletePolicies: []string{}, OutputLogPolicies: []string{}}})
}

func TestAnotherOrder(t *testing.T) {
	directory := chartOf(t, "-- templates/a.yaml --\nkind: Job\n---\nkind: Zebra\n---\nkind: Service\n---\nkind: Aardvark\n")
	result := render(t, directory, Context{Order: []string{"Job", "Zebra"}})
	var kinds []any
	for i := range result.Documents {
		kinds = append(kinds, result.object(t, i)["kind"])
	}
	expect(t, "kinds", kinds, []string{"Job", "Zebra", "Aardvark", "Service"})
}

func TestEqualDocumentsAreSentOnceAndTold(t *testing.T) {
	directory := chartOf(t, "-- templates/a.yaml --\n{{ range until 3 }}\n---\nkind: Pod\n{{ end }}\n")
	result := render(t, directory, Context{})
	expect(t, "bodies", len(result.bodies), 1)
	var indexes []int
	for _, document := range result.Documents {
		indexes = append(indexes, document.Index)
	}
	expect(t, "indexes", indexes, []int{0, 1, 2})
}

func TestObjectsAreReadAsHelmReadsThem(t *testing.T) {
	for yaml, want := range map[string]string{
		"a: 9007199254740993":             `{"a":9007199254740993}`,
		"a: 18446744073709551615":         `{"a":18446744073709551615}`,
		"a: 1\na: 2":                      `{"a":2}`,
		"a: yes\nb: 0o17\nc: 017\nd: 1e3": `{"a":true,"b":15,"c":15,"d":1000}`,
		"x: &x {a: 1}\nz: {<<: *x, b: 2}": `{"x":{"a":1},"z":{"a":1,"b":2}}`,
		"- 1\n- 2":                        ``,
		"1: 2\ntrue: 3":                   `{"1":2,"true":3}`,
		"a: '<&>'":                        `{"a":"<&>"}`,
	} {
		all := renderAll(t, chartOf(t, "-- templates/a.yaml --\n"+yaml+"\n"), Context{})
		if want == "" {
			expect(t, yaml, all[0].Error.Kind, ErrYAML)
			continue
		}
		expect(t, yaml, all[0].bodies[all[0].Documents[0].Digest].Object, json.RawMessage(want))
	}
}

func TestNotesAreThoseOfTheChartItself(t *testing.T) {
	result := render(t, chartOf(t, `-- templates/NOTES.txt --
Hello {{ .Release.Name }}
-- charts/s/Chart.yaml --
apiVersion: v2
name: s
version: 1.0.0
-- charts/s/templates/NOTES.txt --
no
-- charts/s/templates/a.yaml --
a: 1
`), Context{})
	expect(t, "notes", result.Notes, "Hello r\n")
	expect(t, "documents", []any{len(result.Documents), result.Documents[0].Subchart}, []any{1, "s"})
}

func TestErrorsSayWhereAndKeepHelmsWords(t *testing.T) {
	for _, test := range []struct {
		name, archive string
		kind          ErrorKind
		file          string
		line, column  int
		message       string
	}{
		{"syntax", "-- templates/a.yaml --\na: 1\n{{ if }}\n", ErrTemplate, "c/templates/a.yaml", 2, 0, "parse error at (c/templates/a.yaml:2): missing value for if"},
		{"unknown function", "-- templates/a.yaml --\n{{ frob }}\n", ErrTemplate, "c/templates/a.yaml", 1, 0, `parse error at (c/templates/a.yaml:1): function "frob" not defined`},
		{"unclosed", "-- templates/a.yaml --\n{{ if true }}\n", ErrTemplate, "c/templates/a.yaml", 2, 0, "parse error at (c/templates/a.yaml:2): unexpected EOF"},
		{"nil", "-- templates/a.yaml --\na: 1\nb: {{ .Values.x.y.z }}\n", ErrTemplate, "c/templates/a.yaml", 2, 13, "c/templates/a.yaml:2:13\n  executing \"c/templates/a.yaml\" at <.Values.x.y.z>:\n    nil pointer evaluating interface {}.y"},
		{"nil in a define", "-- templates/a.yaml --\n{{ include \"d\" . }}\n-- templates/_d.tpl --\n{{ define \"d\" }}\n{{ .Values.x.y }}{{ end }}\n", ErrTemplate, "c/templates/_d.tpl", 2, 10,
			"c/templates/a.yaml:1:3\n  executing \"c/templates/a.yaml\" at <include \"d\" .>:\n    error calling include:\nc/templates/_d.tpl:2:10\n  executing \"d\" at <.Values.x.y>:\n    nil pointer evaluating interface {}.y"},
		{"tpl", "-- templates/a.yaml --\nx: {{ tpl \"{{ .Values.x.y }}\" . }}\n", ErrTemplate, "c/templates/a.yaml", 1, 6, ""},
		{"no such template", "-- templates/a.yaml --\n\n{{ include \"gone\" . }}\n", ErrTemplate, "c/templates/a.yaml", 2, 3, ""},
		{"required", "-- templates/a.yaml --\nx: {{ required \"say x: or else\" .Values.x }}\n", ErrRequired, "c/templates/a.yaml", 1, 6, "execution error at (c/templates/a.yaml:1:6): say x: or else"},
		{"fail", "-- templates/a.yaml --\n{{ fail \"no\\nway\" }}\n", ErrFail, "c/templates/a.yaml", 1, 3, "execution error at (c/templates/a.yaml:1:3): no\nway"},
		{"fail in tpl", "-- templates/a.yaml --\nx: {{ tpl `{{ fail \"no\" }}` . }}\n", ErrFail, "c/templates/a.yaml", 1, 6, "execution error at (c/templates/a.yaml:1:6): no"},
		{"required in a define", "-- templates/a.yaml --\n{{ include \"d\" . }}\n-- templates/_d.tpl --\n{{ define \"d\" }}\n{{ required \"x\" .Values.x }}{{ end }}\n", ErrRequired, "c/templates/a.yaml", 1, 3, "execution error at (c/templates/a.yaml:1:3): x"},
		{"endless include", "-- templates/a.yaml --\n{{ include \"d\" . }}\n-- templates/_d.tpl --\n{{ define \"d\" }}{{ include \"d\" . }}{{ end }}\n", ErrTemplate, "c/templates/_d.tpl", 1, 19, ""},
		{"yaml", "-- templates/a.yaml --\n{{ if true }}\nkind: X\n---\nkind: A\n{{ \"b: c: d\" }}\n{{ end }}\n", ErrYAML, "c/templates/a.yaml", 5, 1, "YAML parse error on c/templates/a.yaml: error converting YAML to JSON: yaml: line 2: mapping values are not allowed in this context"},
		{"yaml, by its parser", "-- templates/a.yaml --\n\n# x\na:\n  - 1\n b: {{ \"2\" }}\n", ErrYAML, "c/templates/a.yaml", 5, 2, ""},
		{"annotations", "-- templates/a.yaml --\nmetadata: {annotations: {a: {b: 1}}}\n", ErrYAML, "c/templates/a.yaml", 1, 1, ""},
		{"crd", "-- crds/a.yaml --\na: 1\n---\nz: 1\nb: c: d\n", ErrYAML, "c/crds/a.yaml", 4, 0, ""},
		{"kube version", "-- Chart.yaml --\napiVersion: v2\nname: c\nversion: 1.0.0\nkubeVersion: \">=1.99\"\n", ErrKubeVersion, "", 0, 0, "chart requires kubeVersion: >=1.99 which is incompatible with Kubernetes v1.20.0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := renderFailure(t, chartOf(t, test.archive), Context{})
			expect(t, "place", []any{err.Kind, err.File, err.Line, err.Column}, []any{test.kind, test.file, test.line, test.column})
			if test.message != "" {
				expect(t, "message", err.Message, test.message)
			}
		})
	}
}

func TestContextsThatMakeNoSense(t *testing.T) {
	directory := chartOf(t, "-- templates/a.yaml --\na: 1\n")
	for _, test := range []struct {
		context Context
		kind    ErrorKind
		says    string
	}{
		{Context{KubeVersion: "banana"}, ErrKubeVersion, "invalid kube version 'banana'"},
		{Context{Release: "Not_A_Name"}, ErrRequest, "invalid release name"},
		{Context{ChartVersion: "x"}, ErrChart, `chart.metadata.version "x" is invalid`},
		{Context{Edits: []Edit{{Template: "c/templates/a.yaml", Start: 3, End: 99}}}, ErrRequest, "does not fit"},
		{Context{Edits: []Edit{{Template: "c/templates/a.yaml", Start: 0, End: 3}, {Template: "c/templates/a.yaml", Start: 2, End: 4}}}, ErrRequest, "does not fit"},
	} {
		err := renderFailure(t, directory, test.context)
		expect(t, test.says, err.Kind, test.kind)
		expectContains(t, err.Message, test.says)
	}
}

func TestEditsReplaceTemplateText(t *testing.T) {
	directory := chartOf(t, `-- Chart.yaml --
apiVersion: v2
name: c
version: 1.0.0
dependencies:
  - {name: s, version: "*", alias: one}
  - {name: s, version: "*", alias: two}
-- charts/s/Chart.yaml --
apiVersion: v2
name: s
version: 1.0.0
-- charts/s/templates/a.yaml --
kind: {{ .Chart.Name }}
tag: "1.0" # here
`)
	edits := []Edit{
		{Template: "c/charts/one/templates/a.yaml", Start: 30, End: 33, Text: "2.0.0"},
		{Template: "c/charts/one/templates/a.yaml", Start: 0, End: 4, Text: "sort"},
	}
	all := renderAll(t, directory, Context{Edits: edits, Lines: true}, Context{})
	texts := map[string]string{}
	for i, document := range all[0].Documents {
		texts[document.Subchart] = all[0].text(i)
	}
	expect(t, "texts", texts, map[string]string{"one": "sort: one\ntag: \"2.0.0\" # here\n", "two": "kind: two\ntag: \"1.0\" # here\n"})
	expect(t, "the next context", all[1].text(0), "kind: one\ntag: \"1.0\" # here\n")
}

// Templates may change what they are given; the next context must not see it.
func TestContextsDoNotTouchEachOther(t *testing.T) {
	directory := chartOf(t, `-- values.yaml --
m: {n: 0}
-- templates/a.yaml --
{{- $_ := set .Values.m "n" (add .Values.m.n 1) }}
{{- $_ := set .Values "new" "x" }}
n: {{ .Values.m.n }}
`)
	for i, result := range renderAll(t, directory, Context{Lines: true}, Context{Lines: true}, Context{}) {
		expect(t, "text", result.text(0), "\nn: 1\n"[1:])
		if i < 2 {
			expect(t, "line", result.Documents[0].Line, 3)
		}
	}
}
