package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// underBothHelms are an install and an upgrade of two releases, under one Helm and then under the other.
func underBothHelms() []Context {
	var contexts []Context
	for _, helm := range []struct {
		version string
		order   []string
	}{{"v4.3.1", nil}, {"v3.19.0", []string{"Service", "Secret"}}} {
		for _, release := range []string{"one", "two"} {
			for _, upgrade := range []bool{false, true} {
				contexts = append(contexts, Context{
					Release: release, Upgrade: upgrade, Revision: 1, HelmVersion: helm.version, Order: helm.order,
				})
			}
		}
	}
	return contexts
}

func TestContextsThatAreAlikeComeOutAsIfTheyWereAlone(t *testing.T) {
	for name, asks := range map[string]string{
		"nobody asks":      "helm: any",
		"a template asks":  "helm: {{ .Capabilities.HelmVersion.Version }}",
		"a value asks":     "helm: {{ tpl .Values.version . }}\n-- values.yaml --\nversion: '{{ .Capabilities.HelmVersion.Version }}'",
		"all is printed":   `helm: {{ printf "%v" .Capabilities | quote }}`,
		"upgrades alone":   `helm: {{ if .Release.IsUpgrade }}{{ printf "%v" .Capabilities | quote }}{{ end }}`,
		"it fails":         `helm: {{ fail .Release.Name }}`,
		"one fails for it": `helm: {{ if eq .Capabilities.HelmVersion.Version "v4.3.1" }}{{ fail "4" }}{{ end }}`,
	} {
		directory := chartOf(t, "-- templates/z.yaml --\nkind: Service\n-- templates/a.yaml --\n"+
			"kind: Secret\nmetadata: {name: {{ .Release.Name }}-{{ .Release.IsUpgrade }}}\n"+asks+"\n")
		contexts := underBothHelms()
		together := renderAll(t, directory, contexts...)
		for i, context := range contexts {
			alone := renderAll(t, directory, context)[0]
			alone.Index = i
			expect(t, name, together[i].Rendered, alone.Rendered)
		}
	}
}

func TestOperationsThatAreAlikeComeOutAsIfTheyWereAlone(t *testing.T) {
	for name, asks := range map[string]string{
		"nobody asks":               "name: {{ .Release.Name }}",
		"a field of Deployments":    "revisionHistoryLimit: {{ .Release.Namespace }}",
		"a template asks":           "name: {{ .Release.Revision }}",
		"by its name":               `name: {{ index .Release "Revision" }}`,
		"the release is printed":    "name: {{ toYaml .Release | quote }}",
		"the release is handed on":  `name: {{ include "x" (dict "given" .Release) }}{{ define "x" }}{{ toYaml .given | quote }}{{ end }}`,
		"all is gone through":       `name: {{ range $name, $value := $ }}{{ if eq $name "Release" }}{{ toYaml $value | quote }}{{ end }}{{ end }}`,
		"chance":                    "name: {{ randAlphaNum 8 }}",
		"chance with some values":   "name: {{ if .Values.asks }}{{ randAlphaNum 8 }}{{ end }}",
		"a value asks":              "name: {{ tpl .Values.name . }}\n-- values.yaml --\nname: '{{ .Release.Revision }}'",
		"a value of a context asks": "name: {{ tpl (.Values.asks | default \"\") . }}",
		"installs fail":             "name: {{ if .Release.IsInstall }}{{ fail \"no\" }}{{ end }}",
		"all fail":                  `name: {{ fail .Release.Name }}`,
	} {
		directory := chartOf(t, "-- templates/a.yaml --\nkind: Secret\n"+asks+"\n")
		var contexts []Context
		for _, overlay := range []map[string]any{nil, {"asks": "{{ .Release.Revision }}"}} {
			for revision, upgrade := range map[int]bool{1: false, 2: true, 7: true} {
				contexts = append(contexts, Context{
					Release: "r", Upgrade: upgrade, Revision: revision, Seed: revision, Values: Values{Overlay: overlay},
				})
			}
		}
		together := renderAll(t, directory, contexts...)
		for i, context := range contexts {
			alone := renderAll(t, directory, context)[0]
			alone.Index = i
			expect(t, name, together[i].Rendered, alone.Rendered)
		}
	}
}

func TestHowManyRunsContextsNeed(t *testing.T) {
	large := "-- templates/a.yaml --\ntext: {{ repeat 20000000 \"x\" }}\n"
	for name, test := range map[string]struct {
		archive string
		kept    int
	}{
		"nobody asks":       {"-- templates/a.yaml --\nkind: Secret\n", 2},
		"nobody runs it":    {"-- templates/a.yaml --\nkind: Secret\n-- templates/_b.tpl --\n{{ define \"b\" }}{{ .Capabilities.HelmVersion }}{{ end }}\n", 2},
		"chance":            {"-- templates/a.yaml --\nname: {{ randAlpha 5 }}\n", 2},
		"upgrades differ":   {"-- templates/a.yaml --\nkind: {{ .Release.IsUpgrade }}\n", 4},
		"a template asks":   {"-- templates/a.yaml --\nhelm: {{ .Capabilities.HelmVersion }}\n", 4},
		"a partial asks":    {"-- templates/a.yaml --\n{{ include \"b\" . }}\n-- templates/_b.tpl --\n{{ define \"b\" }}helm: {{ .Capabilities.HelmVersion }}{{ end }}\n", 4},
		"all is printed":    {"-- templates/a.yaml --\nall: {{ toJson . | quote }}\n", 8},
		"a cluster is seen": {"-- templates/a.yaml --\nkind: {{ lookup \"v1\" \"Secret\" \"\" \"\" | len }}\n", 2},
		"a large output":    {large, 1},
	} {
		talk := converse(t)
		source := Source{Path: chartOf(t, test.archive)}
		for range 2 { // what was run for one request is there for the next
			line, err := json.Marshal(Request{Render: &RenderRequest{Source: source, Contexts: underBothHelms()}})
			if err != nil {
				t.Fatal(err)
			}
			talk.ask(line)
			expect(t, name, len(talk.engine.charts[source].executions.kept), test.kept)
		}
	}
}

func TestFilesAreReadEveryTime(t *testing.T) {
	directory := chartOf(t, "-- templates/a.yaml --\nname: {{ .Values.name }}\n-- values.txt --\nname: one\n")
	file := filepath.Join(directory, "values.txt")
	talk := converse(t)
	text := func() string {
		line, err := json.Marshal(Request{Render: &RenderRequest{Source: Source{Path: directory}, Contexts: []Context{
			{Release: "r", Revision: 1, Values: Values{Files: []ValuesFile{{Path: file}}}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		return talk.ask(line)[0].Body.Text
	}
	expect(t, "before", text(), "name: one\n")
	if err := os.WriteFile(file, []byte("name: two\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	expect(t, "after", text(), "name: two\n")
}

func TestValuesAreAnsweredToWhoWantsThem(t *testing.T) {
	directory := chartOf(t, "-- templates/a.yaml --\nname: {{ .Values.name }}\n-- values.yaml --\nname: one\n")
	all := renderAll(t, directory, Context{Revision: 1}, Context{Revision: 1, WantValues: true}, Context{Revision: 1})
	for i, wanted := range []string{"", `{"name":"one"}`, ""} {
		expect(t, "values", string(all[i].Values), wanted)
	}
}

func TestWhatIsServedIsSaidOnce(t *testing.T) {
	directory := chartOf(t, "-- templates/a.yaml --\nserved: {{ .Capabilities.APIVersions.Has \"a/v1\" }} {{ .Capabilities.APIVersions.Has \"b/v1\" }}\n")
	answers := ask(t, Request{Render: &RenderRequest{
		Source: Source{Path: directory}, Served: []string{"a/v1"},
		Contexts: []Context{{Release: "r", Revision: 1}, {Release: "r", Revision: 1, Served: []string{"b/v1"}}},
	}})
	var texts []string
	for _, answer := range answers {
		if answer.Body != nil {
			texts = append(texts, answer.Body.Text)
		}
	}
	expect(t, "served", texts, []string{"served: true false\n", "served: false true\n"})
}

// A chart that is loaded again may be another one by now.
func TestFieldsAreLocatedInTheChartAsItWasLoaded(t *testing.T) {
	directory := chartOf(t, "-- templates/a.yaml --\nkind: Secret\ntype: Opaque\n")
	talk := converse(t)
	say := func(request Request) []Answer {
		line, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		return talk.ask(line)
	}
	source := Source{Path: directory}
	line := func() int {
		answers := say(Request{Locate: &LocateRequest{
			Source: &source, Context: &Context{Release: "r", Revision: 1},
			Fields: []Field{{Template: "c/templates/a.yaml", Path: []any{"type"}}},
		}})
		return answers[0].Places[0].Steps[0].Line
	}
	expect(t, "first", []int{line(), line()}, []int{2, 2})
	if err := os.WriteFile(filepath.Join(directory, "templates", "a.yaml"), []byte("# new\nkind: Secret\ntype: Opaque\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	expect(t, "not loaded again", line(), 2)
	say(Request{Load: &LoadRequest{Source: source}})
	expect(t, "loaded again", line(), 3)
}
