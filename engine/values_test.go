package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

const showValues = `-- values.yaml --
a: chart
b: chart
list: [1, 2]
map: {x: 1, w: 2}
-- templates/a.yaml --
{{ toYaml .Values }}
`

func TestValuesWinInHelmsOrder(t *testing.T) {
	directory := t.TempDir()
	file := filepath.Join(directory, "one.yaml")
	os.WriteFile(file, []byte("a: file\nmap: {x: null, z: 3}\n"), 0o644)
	content := filepath.Join(directory, "content.txt")
	os.WriteFile(content, []byte("line\n"), 0o644)
	stdin := "a: stdin\n---\nb: second document\n"
	for _, test := range []struct {
		name   string
		values Values
		want   map[string]any
	}{
		{"file", Values{Files: []ValuesFile{{Path: file}}}, map[string]any{"a": "file", "map": map[string]any{"w": 2, "z": 3}}},
		{"later file", Values{Files: []ValuesFile{{Path: file}, {Path: "-", Text: &stdin}}}, map[string]any{"a": "stdin", "b": "second document"}},
		{"set over set-json over file", Values{Files: []ValuesFile{{Path: file}}, Set: []string{"a=set"}, SetJSON: []string{`a="json"`, `{"b": [true]}`}}, map[string]any{"a": "set", "b": []any{true}}},
		{"set-string over set", Values{Set: []string{"a=1,list[0]=9"}, SetString: []string{"a=1"}}, map[string]any{"a": "1", "list": []any{9}}},
		{"set-file over set-string", Values{SetString: []string{"a=1"}, SetFile: []string{"a=" + content}}, map[string]any{"a": "line\n"}},
		{"set-literal over set-file", Values{SetFile: []string{"a=" + content}, SetLiteral: []string{"a=x,y={z}"}}, map[string]any{"a": "x,y={z}"}},
		{"overlay over all", Values{SetLiteral: []string{"a=x"}, Overlay: map[string]any{"a": json.Number("12345678"), "b": nil}}, map[string]any{"a": 12345678.0, "b": nil}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := render(t, chartOf(t, showValues), Context{Values: test.values, WantValues: true})
			var values map[string]any
			if err := json.Unmarshal(got.Values, &values); err != nil {
				t.Fatal(err)
			}
			for key, want := range test.want {
				expect(t, key, values[key], want)
				expect(t, key+" as the templates saw it", got.object(t, 0)[key], want)
			}
		})
	}
}

func TestNumbersInOverlaysAreThoseOfValuesFiles(t *testing.T) {
	archive := "-- values.yaml --\nnum: 5000000\n-- templates/a.yaml --\nnum: {{ .Values.num }}\n"
	file := renderText(t, archive, Context{})
	overlay := renderText(t, archive, Context{Values: Values{Overlay: map[string]any{"num": 5000000}}})
	expect(t, "text", overlay, file)
}

func TestValuesThatCannotBeRead(t *testing.T) {
	directory := t.TempDir()
	broken := filepath.Join(directory, "broken.yaml")
	os.WriteFile(broken, []byte("a: 1\nb: c: d\n"), 0o644)
	fifo := filepath.Join(directory, "fifo")
	syscall.Mkfifo(fifo, 0o644)
	for _, test := range []struct {
		name   string
		values Values
		file   string
		line   int
		says   string
	}{
		{"missing file", Values{Files: []ValuesFile{{Path: "nowhere.yaml"}}}, "nowhere.yaml", 0, "open nowhere.yaml: no such file or directory"},
		{"broken file", Values{Files: []ValuesFile{{Path: broken}}}, broken, 2, "failed to parse " + broken},
		{"URL", Values{Files: []ValuesFile{{Path: "https://example.com/v.yaml"}}}, "https://example.com/v.yaml", 0, "nothing is fetched from the network"},
		{"stdin", Values{Files: []ValuesFile{{Path: "-"}}}, "-", 0, "stdin"},
		{"fifo", Values{Files: []ValuesFile{{Path: fifo}}}, fifo, 0, "is not a file"},
		{"set-file of a URL", Values{SetFile: []string{"a=http://example.com/x"}}, "", 0, "nothing is fetched from the network"},
		{"set", Values{Set: []string{"a"}}, "", 0, `failed parsing --set data: key "a" has no value`},
		{"set-string", Values{SetString: []string{"a"}}, "", 0, "failed parsing --set-string data"},
		{"set-json", Values{SetJSON: []string{"a=[1"}}, "", 0, "failed parsing --set-json data of a"},
		{"set-json object", Values{SetJSON: []string{"{a"}}, "", 0, "failed parsing --set-json data: it is not JSON"},
		{"set-literal", Values{SetLiteral: []string{"a"}}, "", 0, "failed parsing --set-literal data"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := renderFailure(t, chartOf(t, showValues), Context{Values: test.values})
			expect(t, "error", []any{err.Kind, err.File, err.Line}, []any{ErrValues, test.file, test.line})
			expectContains(t, err.Message, test.says)
		})
	}
}
