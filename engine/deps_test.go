package main

import (
	"path/filepath"
	"testing"
)

// family is a chart c that depends on charts next to it.
func family(t *testing.T, dependencies, archive string) string {
	t.Helper()
	head := "-- c/Chart.yaml --\napiVersion: v2\nname: c\nversion: 1.2.3\ndependencies:\n" + dependencies
	return filepath.Join(writeFiles(t, t.TempDir(), head+archive), "c")
}

const siblings = `-- near/Chart.yaml --
apiVersion: v2
name: near
version: 1.4.0
dependencies:
  - name: far
    version: "*"
    repository: file://../far
-- near/templates/n.yaml --
kind: N
lit: {{ .Values.lit }}
-- near/values.yaml --
lit: default
-- far/Chart.yaml --
apiVersion: v2
name: far
version: 0.1.0
-- far/templates/f.yaml --
kind: F
`

func TestDependenciesInDirectoriesAreLoadedInMemory(t *testing.T) {
	directory := family(t, `  - name: near
    version: 1.x
    repository: file://../near
    alias: first
  - name: near
    version: ">=1"
    repository: file://../near
    alias: second
    condition: second.enabled
`, siblings)
	on := render(t, directory, Context{Values: Values{Set: []string{"first.lit=yes1"}}})
	var subcharts []string
	for i, document := range on.Documents {
		subcharts = append(subcharts, document.Subchart+" "+document.Template)
		if document.Subchart == "first" {
			expect(t, "values", on.object(t, i)["lit"], "yes1")
		}
	}
	expect(t, "documents", subcharts, []string{
		"first/far c/charts/first/charts/far/templates/f.yaml",
		"second/far c/charts/second/charts/far/templates/f.yaml",
		"first c/charts/first/templates/n.yaml",
		"second c/charts/second/templates/n.yaml",
	})
	off := render(t, directory, Context{Values: Values{Set: []string{"second.enabled=false"}}})
	expect(t, "documents with the condition off", len(off.Documents), 2)
}

func TestDependenciesThatAreMissing(t *testing.T) {
	for _, test := range []struct {
		name, dependencies, archive string
		missing                     []string
		file                        string
		line                        int
		says                        []string
	}{
		{
			name:         "remote",
			dependencies: "  - name: a\n    version: 1.x\n    repository: https://example.com\n  - version: 1.x\n    name: b\n",
			archive:      "-- c/charts/a/Chart.yaml --\napiVersion: v2\nname: a\nversion: 1.0.0\n",
			missing:      []string{"b"}, file: "Chart.yaml", line: 9,
			says: []string{"found in Chart.yaml, but missing in charts/ directory: b", "helm dependency build "},
		},
		{
			name:         "off, yet missing, as in Helm",
			dependencies: "  - name: a\n    version: 1.x\n    condition: a.on\n",
			archive:      "-- c/values.yaml --\na: {on: false}\n",
			missing:      []string{"a"}, file: "Chart.yaml", line: 5,
		},
		{
			name:         "nested",
			dependencies: "  - {name: near, version: 1.x, repository: file://../near}\n",
			archive:      "-- near/Chart.yaml --\napiVersion: v2\nname: near\nversion: 1.0.0\ndependencies:\n- name: z\n  version: 1.x\n",
			missing:      []string{"z"}, file: "../near/Chart.yaml", line: 5,
			says: []string{"/near"},
		},
		{
			name:         "no directory",
			dependencies: "  - {name: near, version: 1.x, repository: file://../near}\n",
			missing:      []string{"near"}, file: "Chart.yaml", line: 5,
			says: []string{"no such file or directory", "file://../near"},
		},
		{
			name:         "version",
			dependencies: "  - {name: near, version: 2.x, repository: file://../near}\n",
			archive:      siblings,
			missing:      []string{"near"}, file: "Chart.yaml", line: 5,
			says: []string{`version "2.x" is wanted, the chart there has version 1.4.0`},
		},
		{
			name:         "name",
			dependencies: "  - {name: other, version: 1.x, repository: file://../near}\n",
			archive:      siblings,
			missing:      []string{"other"}, file: "Chart.yaml", line: 5,
			says: []string{"is named near"},
		},
		{
			name:         "circle",
			dependencies: "  - {name: near, version: 1.x, repository: file://../near}\n",
			archive:      "-- near/Chart.yaml --\napiVersion: v2\nname: near\nversion: 1.0.0\ndependencies:\n- {name: c, version: '*', repository: file://../c}\n",
			missing:      []string{"c"}, file: "../near/Chart.yaml", line: 5,
			says: []string{"depends on itself: c -> near -> c"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			directory := family(t, test.dependencies, test.archive)
			err := renderFailure(t, directory, Context{})
			expect(t, "error", []any{err.Kind, err.Missing, err.File, err.Line}, []any{ErrDependency, test.missing, test.file, test.line})
			expectContains(t, err.Message, test.says...)
		})
	}
}

func TestRequirementsOfOldCharts(t *testing.T) {
	directory := writeFiles(t, filepath.Join(t.TempDir(), "c"), `-- Chart.yaml --
apiVersion: v1
name: c
version: 1.0.0
-- requirements.yaml --

dependencies:
  - name: gone
    version: 1.x
`)
	err := loadFailure(t, directory)
	expect(t, "error", []any{err.Kind, err.Missing, err.File, err.Line}, []any{ErrDependency, []string{"gone"}, "requirements.yaml", 3})
}

func TestTheCommandCanBePasted(t *testing.T) {
	for path, quoted := range map[string]string{"a/b-c_1.2": "a/b-c_1.2", "a b": "'a b'", "it's": `'it'\''s'`, "": "''"} {
		expect(t, path, shellQuote(path), quoted)
	}
}
