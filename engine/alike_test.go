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

func TestHowManyRunsContextsNeed(t *testing.T) {
	silent := chartOf(t, "-- templates/a.yaml --\nkind: Secret\n")
	asking := chartOf(t, "-- templates/a.yaml --\nhelm: {{ .Capabilities.HelmVersion }}\n")
	for directory, wanted := range map[string][]int{
		silent: {0, 1, 2, 3, 0, 1, 2, 3},
		asking: {0, 1, 2, 3, 4, 5, 6, 7},
	} {
		loaded, err := converse(t).engine.chart(Source{Path: directory})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "first", firstAlike(loaded, underBothHelms()), wanted)
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
