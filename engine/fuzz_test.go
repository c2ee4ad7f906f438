package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
)

// noPanic fails on answers that came from a recovered panic.
func noPanic(t *testing.T, answers []Answer) {
	t.Helper()
	for _, answer := range answers {
		if answer.Error != nil && strings.HasPrefix(answer.Error.Message, "the engine failed") {
			t.Fatal(answer.Error.Message)
		}
	}
}

// costly inputs are no finding: what takes long is the caller's to end.
var costly = regexp.MustCompile(`\d{4}|until|repeat|derive|genPrivateKey|rand|9e|printf|E\d`)

func FuzzLoad(f *testing.F) {
	f.Add(plainChart + "-- templates/a.yaml --\na: {{ .Values.x }}\n-- values.yaml --\nx: 1\n")
	f.Add(describedChart)
	f.Add("-- Chart.yaml --\nname: x\n-- requirements.yaml --\ndependencies:\n- name: a\n")
	f.Add(plainChart + "-- values.schema.json --\n{\"$ref\": \"http://example.com\", \"properties\": {\"a\": {\"$ref\": \"#/x\"}}}\n")
	f.Add(plainChart + "-- charts/a.tgz --\nx\n-- ../x --\n-- /x --\n-- crds/a.yaml --\na: b: c\n")
	to := filepath.Join(f.TempDir(), "c.tgz")
	f.Fuzz(func(t *testing.T, text string) {
		files := unpack(text)
		for name := range files {
			if len(name) > 90 || strings.Contains(name, "\x00") {
				t.Skip() // no tar holds it
			}
		}
		pack(t, to, files)
		answers := ask(t, Request{Load: &LoadRequest{Source: Source{Path: to}, Templates: true}})
		noPanic(t, answers)
		if answers[0].Error == nil && (answers[0].Chart == nil || answers[0].Chart.Name == "") {
			t.Fatalf("a chart without a name: %+v", answers[0])
		}
		// What is no archive is refused, not followed anywhere.
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		noPanic(t, ask(t, Request{Load: &LoadRequest{Source: Source{Path: to}}}))
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "---\n", "a: 1\n---\n# Source: c/templates/x.yaml\nb: 1\n", "---a: 1\n--- \t\nb: 2", "\ufeffa: 1", "a: &x [*x]\n", "a: b: c",
		"kind: Job\nmetadata: {annotations: {helm.sh/hook: \"pre-install, x\", helm.sh/hook-weight: 1}}\n", "a:\r\n  - 1\r\n---\r\nb: 2\r\n", "a: &x {b: 1}\nc: {<<: *x, b: 2}\na: 1\n",
	} {
		f.Add(text, "x.yaml")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		cut := split(text)
		theirs := releaseutil.SplitManifests(text)
		if len(cut) != len(theirs) {
			t.Fatalf("%d documents, Helm sees %d", len(cut), len(theirs))
		}
		for i, piece := range cut {
			if piece.text != theirs[fmt.Sprintf("manifest-%d", i)] || text[piece.offset:piece.offset+len(piece.text)] != piece.text {
				t.Fatalf("document %d is %q, Helm sees %q", i, piece.text, theirs[fmt.Sprintf("manifest-%d", i)])
			}
		}
		likeHelm(t, text)
		answers := ask(t, Request{Parse: &ParseRequest{Name: name, Text: text}})
		noPanic(t, answers)
		noPanic(t, ask(t, Request{Parse: &ParseRequest{Name: name, Text: text, Plain: true}}))
		lines := strings.Count(text, "\n") + 1
		for _, answer := range answers {
			if answer.Rendered == nil {
				continue
			}
			if err := answer.Rendered.Error; err != nil {
				if err.Line < 0 || err.Line > lines {
					t.Fatalf("an error in line %d of %d", err.Line, lines)
				}
				continue
			}
			if len(answer.Rendered.Documents) != len(cut) {
				t.Fatalf("%d documents of %d", len(answer.Rendered.Documents), len(cut))
			}
			for _, document := range answer.Rendered.Documents {
				if document.Line < 1 || document.Line > lines {
					t.Fatalf("a document in line %d of %d", document.Line, lines)
				}
				if document.Role == RoleDropped && document.Hook == nil {
					t.Fatal("dropped, and no hook")
				}
			}
		}
	})
}

// likeHelm holds our shortcut, which shows Helm the heads of documents, to what Helm says of the documents.
func likeHelm(t *testing.T, text string) {
	t.Helper()
	outputs := map[string]string{"x.yaml": text}
	ours, failed, _ := classify(outputs, nil, newReader())
	hooks, manifests, err := releaseutil.SortManifests(outputs, nil, releaseutil.InstallOrder)
	if err != nil || failed != nil {
		if err == nil || failed == nil || failed.Message != err.Error() {
			t.Fatalf("we say %v, Helm says %v", failed, err)
		}
		return
	}
	if len(ours) < len(manifests)+len(hooks) {
		t.Fatalf("%d documents, Helm has %d", len(ours), len(manifests)+len(hooks))
	}
	for i, document := range ours {
		var role Role
		var content string
		var hook *Hook
		switch {
		case i < len(manifests):
			role, content = RoleManifest, manifests[i].Content
		case i-len(manifests) < len(hooks):
			their := hooks[i-len(manifests)]
			role, content, hook = RoleHook, their.Manifest, describeHook(their)
		default:
			role, content, hook = RoleDropped, document.text, document.hook
		}
		if document.role != role || document.text != content {
			t.Fatalf("document %d is a %s, %q; Helm has a %s, %q", i, document.role, document.text, role, content)
		}
		expect(t, "hook", document.hook, hook)
	}
}

// inMemory is a chart that was never on disk.
func inMemory(t *testing.T, files map[string]string) *loadedChart {
	t.Helper()
	var buffered []*archive.BufferedFile
	for name, text := range files {
		buffered = append(buffered, &archive.BufferedFile{Name: name, Data: []byte(text)})
	}
	c, err := loader.LoadFiles(buffered)
	if err != nil {
		t.Skip()
	}
	loaded := &loadedChart{chart: c}
	loaded.forget()
	return loaded
}

// renderFuzzed renders with lines and checks that every output was followed to its origin.
func renderFuzzed(t *testing.T, template, helper, values string) *rendering {
	t.Helper()
	if costly.MatchString(template + helper + values) {
		t.Skip()
	}
	files := unpack(plainChart)
	files["templates/a.yaml"], files["templates/_h.tpl"], files["values.yaml"] = template, helper, values
	r, err := newRendering(inMemory(t, files), &Context{Release: "r", Namespace: "n", Lines: true})
	if err != nil {
		t.Fatal(err)
	}
	err = r.run()
	for name, output := range r.outputs {
		if strings.Contains(output, markLead) || strings.Contains(template+helper+values, markLead) {
			continue
		}
		if r.traces[name] == nil {
			t.Fatalf("no lines for %q\noutput %q\ninstrumented %q", template, output, r.loaded.instruments.instrument(name, r.source(name)))
		}
	}
	if err != nil {
		checkPosition(t, r, Position{File: err.File, Line: err.Line}, true)
		return nil
	}
	return r
}

// checkPosition fails for places outside of files.
func checkPosition(t *testing.T, r *rendering, at Position, mayBeUnknown bool) {
	t.Helper()
	if at.Line == 0 && mayBeUnknown {
		return
	}
	lines := strings.Split(r.source(at.File), "\n")
	if r.sources[at.File] == nil || at.Line < 1 || at.Line > len(lines) {
		t.Fatalf("%+v is nowhere", at)
	}
	if at.Column > len([]rune(lines[at.Line-1])) {
		t.Fatalf("%+v is behind the line %q", at, lines[at.Line-1])
	}
}

func addTemplates(add func(template, helper, values string)) {
	for _, template := range []string{
		"a: 1\n", "{{- if .Values.x }}\na: {{ .Values.x }}\n{{- else if 0 }}b: 1{{ else }}\nc: 2\n{{ end }}", "a:\n  {{- include \"h\" . | nindent 2 }}\n",
		"{{ range $i, $x := .Values.list }}\n---\na: {{ $x | quote }}\n{{ break }}{{ end }}", "{{ with $y := .Values.x }}{{ $y }}: {{ template \"h\" . }}{{ end }}\n",
		"{{ tpl \"{{ include \\\"h\\\" . }}\" . | indent 2 | trim }}\n", "{ {{- \"a\" -}} : 1}\n{{ define \"z\" }}{{ end }}{{ block \"y\" . }}k: {{ . | toString | trunc 1 }}{{ end }}",
		"{{/* c */}}a: {{ (dict \"x\" (include \"h\" .)).x | len }}\n{{ $v := 1 }}{{ $v = 2 }}b: {{ $v }}", "{{ `raw }}` }}: {{ 'x' }}\n{{- -}}", "{{\"{\"}}{{`{`}}: {{ nil | toJson }}",
	} {
		add(template, "{{ define \"h\" }}\nh: {{ .Chart.Name }}\n{{- end }}", "x: 1\nlist: [a, b]\n")
	}
}

func FuzzRender(f *testing.F) {
	addTemplates(func(template, helper, values string) { f.Add(template, helper, values) })
	f.Fuzz(func(t *testing.T, template, helper, values string) {
		r := renderFuzzed(t, template, helper, values)
		if r == nil {
			return
		}
		answer := r.answer()
		if _, err := json.Marshal(answer); err != nil {
			t.Fatal(err)
		}
		for _, document := range answer.Documents {
			checkPosition(t, r, Position{File: document.Template, Line: document.Line}, strings.Contains(template+helper+values, markLead))
		}
	})
}

func FuzzLocate(f *testing.F) {
	addTemplates(func(template, _, _ string) { f.Add(template, "a", 0) })
	f.Add("x: &x {a: [1, {b: 2}]}\nz: {<<: *x}\n? [k]\n: v\n", "z/a/1/b", 0)
	f.Add("---\na: |\n  text\n---\nb: [\n1]\n", "b/0", 1)
	f.Fuzz(func(t *testing.T, text, path string, index int) {
		var steps []any
		for step := range strings.SplitSeq(path, "/") {
			if len(step) == 1 && step[0] >= '0' && step[0] <= '9' {
				steps = append(steps, int(step[0]-'0'))
			} else {
				steps = append(steps, step)
			}
		}
		plain := ask(t, Request{Locate: &LocateRequest{Text: text, Fields: []Field{{Index: index, Path: steps}}}})
		noPanic(t, plain)
		lines := strings.Split(text, "\n")
		for _, at := range plain[0].Places[0].Steps {
			if at.Line < 1 || at.Line > len(lines) || at.Column < 1 || at.Column > len([]rune(lines[at.Line-1])) {
				t.Fatalf("%+v is nowhere", at)
			}
		}
		r := renderFuzzed(t, text, "{{ define \"h\" }}h: 1\n{{ end }}", "x: 1\nlist: [a, b]\n")
		if r == nil {
			return
		}
		for _, document := range r.documents {
			for _, at := range r.placeOf(document, steps).Steps {
				checkPosition(t, r, at, strings.Contains(text, markLead))
			}
		}
	})
}
