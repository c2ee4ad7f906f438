package main

import (
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// cloneChart copies what Helm or a template could change; the files' bytes are shared.
func cloneChart(c *chart.Chart) *chart.Chart {
	metadata := *c.Metadata
	metadata.Annotations = maps.Clone(metadata.Annotations)
	if metadata.Dependencies != nil {
		metadata.Dependencies = make([]*chart.Dependency, len(c.Metadata.Dependencies))
		for i, d := range c.Metadata.Dependencies {
			dependency := *d
			dependency.ImportValues = slices.Clone(d.ImportValues)
			metadata.Dependencies[i] = &dependency
		}
	}
	clone := &chart.Chart{
		Metadata:  &metadata,
		Lock:      c.Lock,
		Templates: slices.Clone(c.Templates),
		Schema:    c.Schema,
		Files:     c.Files,
	}
	if c.Values != nil {
		clone.Values = deepCopy(c.Values).(map[string]any)
	}
	for _, dependency := range c.Dependencies() {
		clone.AddDependency(cloneChart(dependency))
	}
	return clone
}

func deepCopy(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if value == nil {
			return value
		}
		copied := make(map[string]any, len(value))
		for k, v := range value {
			copied[k] = deepCopy(v)
		}
		return copied
	case []any:
		if value == nil {
			return value
		}
		copied := make([]any, len(value))
		for i, v := range value {
			copied[i] = deepCopy(v)
		}
		return copied
	}
	return value
}

// templateFiles are the templates Helm's engine will parse, under the names it gives them.
func templateFiles(c *chart.Chart) map[string]*common.File {
	files := map[string]*common.File{}
	for _, at := range allCharts(c) {
		for _, file := range at.chart.Templates {
			if at.chart.Metadata.Type != "library" || strings.HasPrefix(path.Base(file.Name), "_") {
				files[path.Join(at.chart.ChartFullPath(), file.Name)] = file
			}
		}
	}
	return files
}

// placedChart is a chart and its way from the root: "" for the root, "database", "a/b".
type placedChart struct {
	chart    *chart.Chart
	subchart string
}

func allCharts(c *chart.Chart) []placedChart {
	all := []placedChart{{c, ""}}
	for i := 0; i < len(all); i++ {
		for _, dependency := range all[i].chart.Dependencies() {
			all = append(all, placedChart{dependency, path.Join(all[i].subchart, dependency.Name())})
		}
	}
	return all
}

// subchartOf tells which chart a template belongs to.
func subchartOf(template string, charts []placedChart) string {
	longest, subchart := 0, ""
	for _, at := range charts {
		full := at.chart.ChartFullPath() + "/"
		if len(full) > longest && strings.HasPrefix(template, full) {
			longest, subchart = len(full), at.subchart
		}
	}
	return subchart
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// shellQuote makes a path safe to paste into a shell.
func shellQuote(name string) string {
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./+:@%,", r))
	}) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
