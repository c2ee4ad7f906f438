package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
)

// loadedChart is a chart as it was on disk, dependencies complete. Renders work on clones of it, because
// Helm changes a chart when it applies conditions, aliases and imports.
type loadedChart struct {
	chart       *chart.Chart
	instruments *instruments
	packed      bool   // in an archive, not in a directory
	largeFile   string // what a Helm says that refuses it
	executions  *executions
	parsed      *parsedTexts
	written     *writtenValues
	schemas     *compiledSchemas
	located     map[string]*rendering // by context
	reader      *reader
}

// load reads the chart anew; renders that follow use what it read.
func (e *engine) load(id int, request *LoadRequest) *Error {
	delete(e.charts, request.Source)
	loaded, err := e.chart(request.Source)
	if err != nil {
		return err
	}
	answer := describe(loaded.chart)
	if request.Templates {
		answer.Templates = templateTexts(loaded.chart)
	}
	e.write(Answer{ID: id, Chart: answer})
	return nil
}

// maxRecent is how many charts keep what was found out about them; a check has one, or two versions of it.
const maxRecent = 3

// chart is a chart in use. What others keep for the next request is forgotten once there are many of them.
func (e *engine) chart(source Source) (*loadedChart, *Error) {
	loaded, err := e.loaded(source)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(e.recent, func(one *loadedChart) bool { return one == loaded })
	e.recent = append(others, loaded)
	if len(e.recent) > maxRecent {
		e.recent[0].forget()
		e.recent = slices.Clone(e.recent[1:])
	}
	return loaded, nil
}

func (l *loadedChart) forget() {
	l.executions, l.reader = newExecutions(), nil
	l.parsed, l.written, l.schemas = &parsedTexts{}, &writtenValues{}, &compiledSchemas{}
	l.located = map[string]*rendering{}
	l.instruments = &instruments{texts: map[instrumentKey]string{}}
}

func (e *engine) loaded(source Source) (*loadedChart, *Error) {
	if loaded := e.charts[source]; loaded != nil {
		return loaded, nil
	}
	c, err := loadChart(source)
	if err != nil {
		return nil, err
	}
	loaded := &loadedChart{chart: c}
	loaded.forget()
	loaded.packed = isPacked(source)
	loaded.largeFile = largeFile(c, loaded.packed)
	e.charts[source] = loaded
	return loaded, nil
}

func loadChart(source Source) (*chart.Chart, *Error) {
	c, err := readChart(source)
	if err != nil {
		return nil, err
	}
	if c.Metadata.Type != "" && c.Metadata.Type != "application" {
		// Helm's words, from the function it keeps to itself (cmd.checkIfInstallable).
		failure := failf(ErrChart, "%s charts are not installable", c.Metadata.Type)
		failure.File = chartFile
		if at, ok := findField(chartText(c), []any{"type"}); ok {
			failure.Line = at.line
		}
		return nil, failure
	}
	if err := completeDependencies(c, source); err != nil {
		return nil, err
	}
	if err := closeSchemas(c); err != nil {
		return nil, err
	}
	return c, nil
}

// readChart reads a directory or an archive as Helm does, and nothing that could block.
func readChart(source Source) (*chart.Chart, *Error) {
	info, err := os.Stat(source.Path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, failf(ErrChart, "%s: no such file or directory", source.Path)
		}
		return nil, failf(ErrChart, "cannot read the chart: %v", err)
	}
	var c *chart.Chart
	switch {
	case info.IsDir():
		if err := checkLinks(source); err != nil {
			return nil, err
		}
		c, err = loader.LoadDir(source.Path)
	case info.Mode().IsRegular():
		c, err = loader.LoadFile(source.Path)
	default:
		return nil, failf(ErrChart, "%s is neither a directory nor a file", source.Path)
	}
	if err != nil {
		return nil, loadError(source.Path, err)
	}
	if err := checkAPIVersion(c); err != nil {
		failure := failf(ErrChart, "%s: %v", source.Path, err)
		failure.File = chartFile
		if at, ok := findField(chartText(c), []any{"apiVersion"}); ok {
			failure.Line = at.line
		}
		return nil, failure
	}
	sortDependencies(c)
	return c, nil
}

const chartFile = "Chart.yaml"

var (
	// How Helm's loader names the file that it cannot read.
	unloadable = regexp.MustCompile(`cannot load (Chart\.yaml|Chart\.lock|values\.yaml|requirements\.yaml|requirements\.lock): `)
	irregular  = regexp.MustCompile(`^cannot load irregular file (.+) as it has file mode type bits set$`)
)

// loadError is what the loader says, with the file of the chart that it says it of.
func loadError(directory string, err error) *Error {
	failure := failf(ErrChart, "%s is not a chart that Helm can load: %v", directory, err)
	said := err.Error()
	switch {
	case unloadable.MatchString(said):
		failure.File, failure.Line = unloadable.FindStringSubmatch(said)[1], yamlErrorLine(said)
	case strings.HasPrefix(said, "validation: chart.metadata"):
		failure.File = chartFile
	case irregular.MatchString(said):
		name := irregular.FindStringSubmatch(said)[1]
		if relative, err := filepath.Rel(absolute(directory), absolute(name)); err == nil {
			failure.File = filepath.ToSlash(relative)
		}
	}
	return failure
}

func chartText(c *chart.Chart) string {
	for _, file := range c.Raw {
		if file.Name == chartFile {
			return string(file.Data)
		}
	}
	return ""
}

// checkAPIVersion says what Helm's commands say, which the loader alone does not.
func checkAPIVersion(c *chart.Chart) error {
	switch c.Metadata.APIVersion {
	case chart.APIVersionV1, chart.APIVersionV2:
		return nil
	case "v3":
		return errors.New("invalid chart apiVersion")
	}
	return fmt.Errorf("unsupported chart version: apiVersion %q, and Helm knows v1 and v2", c.Metadata.APIVersion)
}

// sortDependencies undoes the loader's random order, which no result may depend on.
func sortDependencies(c *chart.Chart) {
	dependencies := c.Dependencies()
	slices.SortFunc(dependencies, func(a, b *chart.Chart) int {
		if order := strings.Compare(a.Name(), b.Name()); order != 0 {
			return order
		}
		return strings.Compare(a.Metadata.Version, b.Metadata.Version)
	})
	for _, dependency := range dependencies {
		sortDependencies(dependency)
	}
}

func describe(c *chart.Chart) *Chart {
	answer := &Chart{
		Name:        c.Name(),
		Version:     c.Metadata.Version,
		AppVersion:  c.Metadata.AppVersion,
		Type:        c.Metadata.Type,
		KubeVersion: c.Metadata.KubeVersion,
	}
	for _, d := range c.Metadata.Dependencies {
		answer.Dependencies = append(answer.Dependencies, Dependency{
			Name: d.Name, Alias: d.Alias, Version: d.Version, Repository: d.Repository, Condition: d.Condition, Tags: d.Tags,
		})
	}
	if values, err := json.Marshal(c.Values); err == nil && c.Values != nil {
		answer.Values = values
	}
	for _, at := range allCharts(c) {
		answer.HasSchema = answer.HasSchema || at.chart.Schema != nil
	}
	for _, at := range allCharts(withAll(c)) {
		if about := at.chart.Metadata; at.subchart != "" && about.Type != "library" {
			answer.Subcharts = append(answer.Subcharts, Subchart{at.subchart, about.Version, about.AppVersion})
		}
	}
	return answer
}

// withAll is a copy of the chart as if every dependency were on, aliases applied.
func withAll(c *chart.Chart) *chart.Chart {
	all := cloneChart(c)
	enableAll(all)
	if err := chartutil.ProcessDependencies(all, map[string]any{}); err != nil {
		return c
	}
	return all
}

// templateTexts are the texts under the names that renders give them: aliases applied, every dependency on.
// Texts that are not UTF-8 cannot be sent unharmed and are left out.
func templateTexts(c *chart.Chart) []Template {
	var texts []Template
	for name, file := range templateFiles(withAll(c)) {
		if utf8.Valid(file.Data) {
			texts = append(texts, Template{Path: name, Text: string(file.Data)})
		}
	}
	slices.SortFunc(texts, func(a, b Template) int { return strings.Compare(a.Path, b.Path) })
	return texts
}

func enableAll(c *chart.Chart) {
	for _, d := range c.Metadata.Dependencies {
		d.Condition, d.Tags = "", nil
	}
	for _, dependency := range c.Dependencies() {
		enableAll(dependency)
	}
}

// absolute names a directory so that loops through links or "file://" are seen.
func absolute(directory string) string {
	if real, err := filepath.EvalSymlinks(directory); err == nil {
		directory = real
	}
	if abs, err := filepath.Abs(directory); err == nil {
		directory = abs
	}
	return path.Clean(directory)
}
