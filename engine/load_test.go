package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func load(t testing.TB, directory string) *Chart {
	t.Helper()
	answers := ask(t, Request{Load: &LoadRequest{Source: Source{Path: directory}, Templates: true}})
	if answers[0].Error != nil {
		t.Fatalf("unexpected error: %+v", answers[0].Error)
	}
	return answers[0].Chart
}

func loadFailure(t testing.TB, directory string) *Error {
	t.Helper()
	return failure(t, Request{Load: &LoadRequest{Source: Source{Path: directory}}})
}

// pack makes an archive of a chart's files, as `helm package` does.
func pack(t testing.TB, to string, files map[string]string) string {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for name, text := range files {
		if err := archive.WriteHeader(&tar.Header{Name: "c/" + name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		archive.Write([]byte(text))
	}
	archive.Close()
	zipped.Close()
	if err := os.WriteFile(to, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return to
}

const describedChart = `-- Chart.yaml --
apiVersion: v2
name: c
version: 1.2.3
appVersion: "4"
type: application
kubeVersion: ">=1.19"
dependencies:
  - {name: sub, version: 1.x, alias: one, condition: one.on, tags: [t], repository: ""}
  - {name: sub, version: 1.x, alias: two}
-- values.yaml --
a: 1
-- values.schema.json --
{
  "type": "object"
}
-- templates/a.yaml --
a: 1
-- templates/_h.tpl --
{{ define "h" }}{{ end }}
-- charts/sub/Chart.yaml --
apiVersion: v2
name: sub
version: 1.0.0
-- charts/sub/templates/b.yaml --
b: 1
`

func TestLoadDescribesTheChart(t *testing.T) {
	directory := chartOf(t, describedChart)
	archive := pack(t, filepath.Join(t.TempDir(), "c.tgz"), unpack(describedChart))
	for _, path := range []string{directory, archive} {
		expect(t, path, load(t, path), Chart{
			Name: "c", Version: "1.2.3", AppVersion: "4", Type: "application", KubeVersion: ">=1.19",
			Dependencies: []Dependency{
				{Name: "sub", Alias: "one", Version: "1.x", Condition: "one.on", Tags: []string{"t"}},
				{Name: "sub", Alias: "two", Version: "1.x"},
			},
			Subcharts: []Subchart{{Path: "one", Version: "1.0.0"}, {Path: "two", Version: "1.0.0"}},
			Values:    json.RawMessage(`{"a":1}`),
			HasSchema: true,
			Templates: []Template{
				{"c/charts/one/templates/b.yaml", "b: 1\n"},
				{"c/charts/two/templates/b.yaml", "b: 1\n"},
				{"c/templates/_h.tpl", "{{ define \"h\" }}{{ end }}\n"},
				{"c/templates/a.yaml", "a: 1\n"},
			},
		})
	}
}

func TestLoadReadsAnewAndRenderDoesNot(t *testing.T) {
	directory := chartOf(t, "-- templates/a.yaml --\na: 1\n")
	c := converse(t)
	source := Source{Path: directory}
	loadLine, _ := json.Marshal(Request{Load: &LoadRequest{Source: source}})
	renderLine, _ := json.Marshal(Request{Render: &RenderRequest{Source: source, Contexts: []Context{{Release: "r"}}}})
	c.ask(loadLine)
	writeFiles(t, directory, "-- templates/a.yaml --\na: 2\n")
	expect(t, "cached", collect(t, c.ask(renderLine))[0].text(0), "a: 1\n")
	c.ask(loadLine)
	expect(t, "read anew", collect(t, c.ask(renderLine))[0].text(0), "a: 2\n")
}

func TestWhatIsNoChart(t *testing.T) {
	directory := t.TempDir()
	for _, test := range []struct{ name, archive, says string }{
		{"nothing", "", "Chart.yaml file is missing"},
		{"no-version", "-- Chart.yaml --\napiVersion: v2\nname: c\n", "chart.metadata.version is required"},
		{"not-yaml", "-- Chart.yaml --\na: b: c\n", "cannot load Chart.yaml"},
		{"values", plainChart + "-- values.yaml --\na: [\n", "cannot load values.yaml"},
		{"v3", "-- Chart.yaml --\napiVersion: v3\nname: c\nversion: 1.0.0\n", "invalid chart apiVersion"},
		{"v9", "-- Chart.yaml --\napiVersion: v9\nname: c\nversion: 1.0.0\n", "unsupported chart version"},
		{"library", "-- Chart.yaml --\napiVersion: v2\nname: c\nversion: 1.0.0\ntype: library\n", "library charts are not installable"},
		{"ignore", plainChart + "-- .helmignore --\na/**/b\n", "double-star (**) syntax is not supported"},
		{"subchart", plainChart + "-- charts/s/Chart.yaml --\nname: s\n", "error unpacking subchart s in c"},
	} {
		path := filepath.Join(directory, test.name)
		os.Mkdir(path, 0o755)
		err := loadFailure(t, writeFiles(t, path, test.archive))
		expect(t, test.name, err.Kind, ErrChart)
		expectContains(t, err.Message, test.says)
	}
	yaml := filepath.Join(directory, "some.yaml")
	os.WriteFile(yaml, []byte("a: 1\n"), 0o644)
	broken := filepath.Join(directory, "broken.tgz")
	os.WriteFile(broken, []byte("\x1f\x8b\x08garbage"), 0o644)
	fifo := filepath.Join(directory, "fifo.tgz")
	syscall.Mkfifo(fifo, 0o644)
	for path, says := range map[string]string{
		filepath.Join(directory, "missing"): "no such file or directory",
		yaml:                                "seems to be a YAML file",
		broken:                              "not a chart that Helm can load",
		fifo:                                "neither a directory nor a file",
	} {
		err := loadFailure(t, path)
		expect(t, path, err.Kind, ErrChart)
		expectContains(t, err.Message, says, path)
	}
}

func TestIrregularFilesDoNotBlock(t *testing.T) {
	for _, name := range []string{"templates/pipe.yaml", ".helmignore", "Chart.yaml"} {
		directory := chartOf(t, "-- templates/a.yaml --\na: 1\n")
		os.Remove(filepath.Join(directory, name))
		if err := syscall.Mkfifo(filepath.Join(directory, name), 0o644); err != nil {
			t.Fatal(err)
		}
		err := loadFailure(t, directory)
		expect(t, name, err.Kind, ErrChart)
		expectContains(t, err.Message, filepath.Base(name))
	}
}

func TestTextsThatAreNotUTF8AreLeftOut(t *testing.T) {
	chart := load(t, chartOf(t, "-- templates/a.yaml --\na: 1\n-- templates/b.bin --\n\xff\xfe\n"))
	expect(t, "templates", len(chart.Templates), 1)
}

func TestAZipBombMeetsHelmsLimit(t *testing.T) {
	big := strings.Repeat("\x00", 40<<20)
	files := unpack(plainChart)
	files["a"], files["b"], files["d"] = big, big, big
	err := loadFailure(t, pack(t, filepath.Join(t.TempDir(), "bomb.tgz"), files))
	expect(t, "kind", err.Kind, ErrChart)
	expectContains(t, err.Message, "larger than the maximum size 104857600")
}

func TestDependenciesHaveOneOrder(t *testing.T) {
	var archive strings.Builder
	names := []string{"e", "a", "d", "b", "c0"}
	for _, name := range names {
		archive.WriteString("-- charts/" + name + "/Chart.yaml --\napiVersion: v2\nname: " + name + "\nversion: 1.0.0\n")
		archive.WriteString("-- charts/" + name + "/crds/x.yaml --\nkind: CustomResourceDefinition\nmetadata: {name: " + name + "}\n")
	}
	slices.Sort(names)
	directory := chartOf(t, archive.String())
	for range 5 {
		var order []string
		for _, document := range render(t, directory, Context{}).Documents {
			order = append(order, document.Subchart)
		}
		expect(t, "order", order, names)
	}
}

// A check of many charts does not keep what it found out about each of them.
func TestOnlyTheLastChartsKeepTheirRuns(t *testing.T) {
	talk := converse(t)
	var sources []Source
	for range maxRecent + 2 {
		source := Source{Path: chartOf(t, "-- templates/a.yaml --\nkind: Secret\n")}
		sources = append(sources, source)
		line, err := json.Marshal(Request{Render: &RenderRequest{Source: source, Contexts: []Context{{Release: "r", Revision: 1}}}})
		if err != nil {
			t.Fatal(err)
		}
		talk.ask(line)
	}
	for i, source := range sources {
		expect(t, source.Path, len(talk.engine.charts[source].executions.kept) > 0, i >= 2)
	}
}
