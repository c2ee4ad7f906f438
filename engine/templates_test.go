package main

import (
	"context"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	helmengine "helm.sh/helm/v4/pkg/engine"
)

// sameAsHelm renders in both ways and compares outputs, or the errors' texts.
func sameAsHelm(t *testing.T, files map[string]string) (rendered bool) {
	t.Helper()
	r, failure := newRendering(inMemory(t, files), &Context{Release: "r", Namespace: "n"})
	if failure != nil {
		t.Fatal(failure)
	}
	c, values, failure := r.prepare(true)
	if failure != nil {
		t.Fatal(failure)
	}
	helm := helmengine.Engine{CustomTemplateFuncs: newWorld(0, nil).functions()}
	wanted, wantedError := helm.RenderWithContext(context.Background(), c, values)
	for range 2 { // parsed now, and known already
		outputs, err := outputsOf(t, r)
		if err != nil && strings.HasPrefix(words(wantedError), "parse error") {
			continue // Helm says that
		}
		if words(err) != words(wantedError) {
			t.Fatalf("%v\nfails with %s\nand in Helm with %s", files, words(err), words(wantedError))
		}
		if err == nil && !maps.Equal(outputs, wanted) {
			t.Fatalf("%v\ngives %q\nand in Helm %q", files, outputs, wanted)
		}
	}
	return wantedError == nil
}

func outputsOf(t *testing.T, r *rendering) (map[string]string, error) {
	t.Helper()
	c, values, failure := r.prepare(true)
	if failure != nil {
		t.Fatal(failure)
	}
	w := newWorld(0, nil)
	set, err := r.loaded.newTemplateSet(c, w)
	if err != nil {
		return nil, err
	}
	return set.execute(c, values, w, nil)
}

func words(err error) string {
	if err == nil {
		return "nothing"
	}
	return err.Error()
}

func TestRandomTemplatesLikeHelm(t *testing.T) {
	rendered := 0
	for seed := range uint64(randomTemplates) {
		g := &grammar{Rand: rand.New(rand.NewPCG(seed, 0))}
		files := unpack(plainChart)
		files["templates/a.txt"], files["templates/_h.tpl"] = g.chart()
		files["values.yaml"] = "word: w\ntext: \"multi\\nline\"\nnumber: 7\nlist: [a, b]\nmap: {key: val, other: 1}\n"
		if sameAsHelm(t, files) {
			rendered++
		}
	}
	if rendered < randomTemplates/4 || rendered == randomTemplates {
		t.Errorf("%d of %d templates render: few of those that do, or none of those that do not", rendered, randomTemplates)
	}
}

func TestTemplatesLikeHelm(t *testing.T) {
	for name, archive := range map[string]string{
		"tpl with definitions": `
-- templates/a.txt --
{{ define "x" }}file{{ end }}{{ tpl "{{ define \"x\" }}own{{ end }}{{ include \"x\" . }}" . }} {{ include "x" . }}`,
		"tpl in tpl": `
-- templates/a.txt --
{{ tpl "{{ define \"y\" }}outer{{ end }}{{ tpl \"{{ include \\\"y\\\" . }}\" . }}" . }}`,
		"no value": `
-- templates/a.txt --
{{ tpl "<no value>{{ .Values.none }}" . }}|{{ .Values.none }}|{{ tpl "<no value>" . }}|{{ "<no value>" | quote }}`,
		"what a file defines replaces what a deeper one defines": `
-- templates/a.txt --
{{ include "who" . }}
-- templates/_a.tpl --
{{ define "who" }}a{{ end }}
-- templates/deep/_b.tpl --
{{ define "who" }}b{{ end }}
-- templates/_z.tpl --
{{ define "who" }}z{{ end }}`,
		"changed values": `
-- values.yaml --
m: {a: 1}
-- templates/b.txt --
{{ $_ := set .Values.m "a" 2 }}{{ .Values.m.a }}
-- templates/a.txt --
{{ .Values.m.a }}`,
		"files and this template": `
-- extra/x.txt --
extra
-- templates/sub/a.txt --
{{ .Files.Get "extra/x.txt" }} {{ .Template.Name }} {{ .Template.BasePath }} {{ (.Files.Glob "extra/*").AsConfig }} {{ .Chart.IsRoot }}`,
		"include of a file": `
-- templates/a.txt --
{{ include (print $.Template.BasePath "/b.txt") . | sha256sum }}
-- templates/b.txt --
{{ .Template.Name }}`,
		"fail":           "\n-- templates/a.txt --\n\n  {{ fail \"no: way\" }}",
		"fail in tpl":    "\n-- templates/a.txt --\n{{ tpl \"{{ fail \\\"no\\\" }}\" . }}",
		"required":       "\n-- templates/a.txt --\n{{ include \"x\" . }}\n-- templates/_x.tpl --\n{{ define \"x\" }}\n{{ required \"give me one\" .Values.none }}{{ end }}",
		"unknown field":  "\n-- templates/a.txt --\n{{ .Values.none.deeper }}",
		"broken tpl":     "\n-- templates/a.txt --\n{{ tpl \"{{ if }}\" . }}",
		"broken in tpl":  "\n-- templates/a.txt --\n{{ tpl \"{{ .Values.a.b.c }}\" . }}",
		"no such define": "\n-- templates/a.txt --\n{{ include \"nobody\" . }}",
		"no such tpl":    "\n-- templates/a.txt --\n{{ template \"nobody\" . }}",
		"endless":        "\n-- templates/a.txt --\n{{ define \"x\" }}{{ include \"x\" . }}{{ end }}{{ include \"x\" . }}",
		"names":          "\n-- templates/a.txt --\n{{ getHostByName \"localhost\" | quote }}",
	} {
		t.Run(name, func(t *testing.T) {
			files := unpack(plainChart)
			maps.Copy(files, unpack(archive))
			sameAsHelm(t, files)
		})
	}
}

func TestOnlySomeTemplates(t *testing.T) {
	directory := chartOf(t, `-- crds/a.yaml --
kind: CustomResourceDefinition
-- templates/_h.tpl --
{{ define "name" }}named{{ end }}
-- templates/a.yaml --
kind: {{ include "name" . }}
-- templates/b.yaml --
{{ fail "not this one" }}
`)
	result := render(t, directory, Context{Only: []string{"c/templates/a.yaml"}})
	expect(t, "documents", len(result.Documents), 1)
	expect(t, "its text", result.text(0), "kind: named\n")
}
