package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// grammar writes templates that use what instrumenting has to get right, in every combination.
type grammar struct {
	*rand.Rand
	out   strings.Builder
	depth int
	loops int
}

func (g *grammar) pick(choices ...string) string { return choices[g.IntN(len(choices))] }

func (g *grammar) open() string  { return g.pick("{{ ", "{{- ", "{{") }
func (g *grammar) close() string { return g.pick(" }}", " -}}", "}}") }

func (g *grammar) value() string {
	if g.depth > 3 {
		return g.pick("$.Values", `"lit"`, "1", "true")
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.IntN(16) {
	case 0:
		return `include "` + g.name() + `" $`
	case 1:
		return `include "` + g.name() + `" $ | ` + g.pick("nindent 2", "indent 4", "trim", "upper", "quote", "len", "nindent 2 | trim", "trim | nindent 1", "trunc 3", `replace "a" "b"`, "fromYaml | toJson", "b64enc", "sha256sum", "toString | trim")
	case 2:
		return "tpl " + g.argument() + " $"
	case 3:
		return "tpl `" + strings.ReplaceAll(g.small(), "`", "") + "` $ | " + g.pick("nindent 2", "trim", "upper", "quote")
	case 4:
		return "(" + g.value() + ")"
	case 5:
		return "$.Values." + g.pick("word", "text", "missing", "number", "list", "map", "map.key")
	case 6:
		return "toYaml $.Values.map | " + g.pick("nindent 2", "indent 2", "trim")
	case 7:
		return `dict "k" ` + g.argument() + ` "l" ` + g.argument() + " | " + g.pick("toJson", "toYaml", "len")
	case 8:
		return `default ` + g.argument() + " " + g.argument()
	case 9:
		return `printf "%v-%v" ` + g.argument() + " " + g.argument()
	case 10:
		return `list ` + g.argument() + " " + g.argument() + ` | ` + g.pick("join \",\"", "first", "toJson", "len")
	case 11:
		return `(dict "k" ` + g.argument() + ").k"
	case 12:
		return g.pick("`raw {{ }}\n x`", `"\u00e9{{"`, "'x'", "-3", "1.5", "0x1F", "nil | toJson", "true")
	case 13:
		return "randAlphaNum 3"
	case 14:
		return `ternary ` + g.argument() + " " + g.argument() + " (eq " + g.argument() + " " + g.argument() + ")"
	}
	return g.pick("$v", `"lit"`, "$.Release.Name", "$.Chart.Name | quote")
}

func (g *grammar) argument() string {
	if g.IntN(2) == 0 {
		return g.pick("$.Values", "$v", `"lit"`, "$.Values.word", "$.Values.text")
	}
	return "(" + g.value() + ")"
}

func (g *grammar) name() string { return g.pick("one", "two", "three", "empty", "shadow") }

func (g *grammar) text() string {
	return g.pick("a: 1\n", "  b:\n    - c\n", "---\n", "\n", "# comment\n", " ", "{", "}", "{ ", "x", "key: ", "größe: \"é\"\r\n", "\t", "- item\n", "|\n  text\n", "'}}'", "\n\n   \n")
}

func (g *grammar) small() string {
	return g.pick("plain", "{{ .Release.Name }}", `{{ include "two" . }}`, `{{ if include "one" . }}x: {{ include "one" . | trim | upper }}{{ end }}`, "{ {{- 1 }}", `{{ define "in-tpl" }}{{ include "two" . }}{{ end }}{{ template "in-tpl" . }}`, `{{ tpl "{{ include \"two\" . | trunc 4 }}" . }}`, "{{/* c */}}")
}

func (g *grammar) body(length int) string {
	var out strings.Builder
	for range 1 + g.IntN(length) {
		if g.depth > 4 {
			out.WriteString(g.text())
			continue
		}
		g.depth++
		switch g.IntN(14) {
		case 0:
			out.WriteString(g.open() + "if " + g.value() + g.close() + g.body(3) + g.open() + "else if " + g.value() + g.close() + g.body(2) + g.open() + "else" + g.close() + g.body(2) + g.open() + "end" + g.close())
		case 1:
			out.WriteString(g.open() + "with " + g.pick("", "$w := ") + g.value() + g.close() + g.body(3) + g.open() + "end" + g.close())
		case 2:
			g.loops++
			stop := ""
			if g.IntN(3) == 0 {
				stop = g.open() + g.pick("break", "continue") + g.close()
			}
			out.WriteString(g.open() + "range " + g.pick("", "$i, $e := ", "$e := ") + g.pick("$.Values.list", "list 1 2", "$.Values.map", "2") + g.close() + g.body(3) + stop + g.body(2) + g.open() + "else" + g.close() + g.text() + g.open() + "end" + g.close())
			g.loops--
		case 3:
			out.WriteString(g.open() + "$v " + g.pick("= ", ":= ") + g.value() + g.close())
		case 4:
			out.WriteString(g.open() + `template "` + g.name() + `" $` + g.close())
		case 5:
			out.WriteString(g.open() + "/* a comment }} */" + g.pick("}}", " -}}"))
		case 6, 7, 8, 9:
			out.WriteString(g.open() + g.value() + g.close())
		default:
			out.WriteString(g.text())
		}
		g.depth--
	}
	return out.String()
}

// chart writes a template and its defines. Defines call only those behind them, or nothing would end.
func (g *grammar) chart() (template, helper string) {
	g.depth = 3
	helper = `{{ define "one" }}` + g.pick("x", "one: {{ .Release.Name }}\n  two: 2\n", " {{- \"padded\" }} \n") + `{{ end }}` +
		`{{- define "two" -}}` + "\n" + g.pick("k: v", `{{ include "one" $ }}`, "{{ $x := include \"one\" $ }}{{ $x | len }}: {{ $x | quote }}", "- a\n- b{{ template \"one\" $ }}") + "\n{{- end }}" +
		`{{ define "three" }}{{ include "two" $ | ` + g.pick("nindent 2", "indent 1 | trim", "upper") + ` }}{{ template "two" $ }}{{ end }}{{ define "empty" }}` + g.pick("", " \n", "{{/* nothing */}}") + "{{ end }}"
	g.depth = 0
	template = "{{ $v := `first` }}" + g.body(8)
	if g.IntN(3) == 0 {
		template += `{{ define "shadow" }}` + g.text() + `{{ end }}`
	} else {
		template += `{{ block "shadow" . }}` + g.text() + `{{ end }}`
	}
	return template, helper
}

const randomTemplates = 400

func TestInstrumentedTemplatesPrintTheSame(t *testing.T) {
	rendered := 0
	for seed := range uint64(randomTemplates) {
		g := &grammar{Rand: rand.New(rand.NewPCG(seed, 0))}
		template, helper := g.chart()
		files := unpack(plainChart)
		files["templates/a.txt"], files["templates/_h.tpl"], files["values.yaml"] = template, helper, "word: w\ntext: \"multi\\nline\"\nnumber: 7\nlist: [a, b]\nmap: {key: val, other: 1}\n"
		r, err := newRendering(inMemory(t, files), &Context{Release: "r", Namespace: "n", Lines: true})
		if err != nil {
			t.Fatal(err)
		}
		r.run()
		if r.outputs == nil {
			continue // does not render, which is no matter here
		}
		rendered++
		name := "c/templates/a.txt"
		traced := r.traces[name]
		if traced == nil {
			outputs := fmt.Sprintf("%q", r.outputs[name])
			t.Fatalf("seed %d\n%s\n----\n%s\n----\n%s\n----\n%s", seed, template, helper, outputs, r.loaded.instruments.instrument(name, template))
		}
		for offset, c := range r.outputs[name] {
			if strings.ContainsRune(" \t\r\n", c) {
				continue
			}
			steps := traced.place(offset)
			if len(steps) == 0 || steps[0].File != name {
				t.Fatalf("seed %d: %q at %d came from %v", seed, c, offset, steps)
			}
			for _, step := range steps {
				checkPosition(t, r, step, false)
			}
			checkCharacter(t, seed, r, steps, c)
		}
	}
	if rendered < randomTemplates/4 {
		t.Errorf("only %d of %d templates render", rendered, randomTemplates)
	}
	t.Logf("%d of %d render", rendered, randomTemplates)
}

// checkCharacter holds a place to its word: what was text of a template stands there, letter for letter, and
// what an action printed came from where an action begins.
func checkCharacter(t *testing.T, seed uint64, r *rendering, steps []Position, c rune) {
	t.Helper()
	last := steps[len(steps)-1]
	rest := []rune(strings.Split(r.source(last.File), "\n")[last.Line-1])[last.Column-1:]
	if rest[0] != c && !strings.HasPrefix(string(rest), "{{") {
		t.Fatalf("seed %d: %q came from %+v, where %q stands", seed, c, last, string(rest))
	}
}
