package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"
	_ "unsafe" // for go:linkname

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	helmengine "helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/yaml"
)

// Helm's engine parses all templates of a chart in each rendering, and copies all of them in each call of `tpl`. Here
// they are parsed once. Helm's engine still says which files are templates, in which order they run and what each of
// them sees: it is given stubs, which call the parsed templates.

const (
	stub       = "{{wbexecute .}}"
	maxParsed  = 64 << 20 // bytes of text whose parse trees are kept
	maxWritten = 16 << 20 // bytes of values and of what `toYaml` gives for them
	maxNesting = 1000     // of includes; Helm's own limit
)

// helmFunctions makes the functions that Helm gives to templates. Helm keeps it to itself.
//
//go:linkname helmFunctions helm.sh/helm/v4/pkg/engine.funcMap
func helmFunctions() template.FuncMap

// helmError makes the error that Helm reports of one that a template ended with. Helm keeps it to itself, too.
//
//go:linkname helmError helm.sh/helm/v4/pkg/engine.reformatExecErrorMsg
func helmError(file string, err error) error

// rootTemplate has all functions but those of one rendering, by name: that is all that parsing needs.
var rootTemplate = sync.OnceValue(func() *template.Template {
	functions := helmFunctions()
	maps.Copy(functions, newWorld(0, nil).functions())
	maps.Copy(functions, markFunctions())
	// Helm's engine does not resolve names unless it is asked to.
	functions["getHostByName"] = func(string) string { return "" }
	return template.New("gotpl").Option("missingkey=zero").Funcs(functions)
})

// parsedTexts are the parse trees of templates' texts, for all renderings of a chart.
type parsedTexts struct {
	lock  sync.Mutex
	known map[parsedText]map[string]*parse.Tree
	size  int
}

type parsedText struct{ name, text string }

// writtenValues are values as `toYaml` writes them, by their JSON, for all renderings of a chart: most values are the same
// in most of them, and writing YAML is a fifth of a rendering.
type writtenValues struct {
	lock  sync.Mutex
	known map[string]string
	size  int
}

// write does what Helm's `toYaml` does.
func (v *writtenValues) write(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	v.lock.Lock()
	text, ok := v.known[string(raw)]
	v.lock.Unlock()
	if ok {
		return text
	}
	written, err := yaml.JSONToYAML(raw)
	if err != nil {
		return ""
	}
	text = strings.TrimSuffix(string(written), "\n")
	v.lock.Lock()
	defer v.lock.Unlock()
	if v.size += len(raw) + len(text); v.known == nil || v.size > maxWritten {
		v.known, v.size = map[string]string{}, len(raw)+len(text)
	}
	v.known[string(raw)] = text
	return text
}

// parse gives the trees of a text: its own and one for each `define`.
func (p *parsedTexts) parse(name, text string) (map[string]*parse.Tree, error) {
	key := parsedText{name, text}
	p.lock.Lock()
	trees, ok := p.known[key]
	p.lock.Unlock()
	if ok {
		return trees, nil
	}
	scratch, err := rootTemplate().Clone()
	if err != nil {
		return nil, err
	}
	parsed, err := scratch.New(name).Parse(text)
	if err != nil {
		return nil, err
	}
	trees = map[string]*parse.Tree{}
	for _, one := range parsed.Templates() {
		trees[one.Name()] = one.Tree
	}
	mark(text, trees)
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.size += len(text); p.known == nil || p.size > maxParsed {
		p.known, p.size = map[parsedText]map[string]*parse.Tree{}, len(text)
	}
	p.known[key] = trees
	return trees, nil
}

// templateSet is a chart's templates in one rendering.
type templateSet struct {
	texts   *parsedTexts
	values  *writtenValues
	root    *template.Template
	nesting map[string]int // of includes, by name
}

func (l *loadedChart) newTemplateSet(c *chart.Chart, w *world) (*templateSet, error) {
	root, err := rootTemplate().Clone()
	if err != nil {
		return nil, err
	}
	texts := l.parsed
	set := &templateSet{texts: texts, values: l.written, root: root.Option("missingkey=zero"), nesting: map[string]int{}}
	root.Funcs(w.functions()).Funcs(set.functions(root))
	files := templateFiles(c)
	for _, name := range slices.SortedFunc(maps.Keys(files), inHelmsOrder) {
		trees, err := texts.parse(name, string(files[name].Data))
		if err == nil {
			err = add(root, trees)
		}
		if err != nil {
			return nil, err
		}
	}
	return set, nil
}

// inHelmsOrder puts the deepest files first, so that a chart's definitions replace those of its subcharts.
func inHelmsOrder(a, b string) int {
	return cmp.Or(cmp.Compare(strings.Count(b, "/"), strings.Count(a, "/")), cmp.Compare(b, a))
}

func add(to *template.Template, trees map[string]*parse.Tree) error {
	for name, tree := range trees {
		if _, err := to.AddParseTree(name, tree); err != nil {
			return err
		}
	}
	return nil
}

// execute lets Helm's engine run the templates, all or only some. Their texts in the chart are replaced by stubs.
func (s *templateSet) execute(c *chart.Chart, values common.Values, w *world, only []string) (map[string]string, error) {
	for _, at := range allCharts(c) {
		at.chart.Templates = slices.Clone(at.chart.Templates)
		for i, file := range at.chart.Templates {
			text := stub
			name := path.Join(at.chart.ChartFullPath(), file.Name)
			if strings.HasPrefix(path.Base(name), "_") || len(only) > 0 && !slices.Contains(only, name) {
				text = ""
			}
			at.chart.Templates[i] = &common.File{Name: file.Name, Data: []byte(text)}
		}
	}
	var failure error
	run := func(scope map[string]any) (string, error) {
		name := scope["Template"].(common.Values)["Name"].(string)
		w.running = name
		var out strings.Builder
		err := s.root.ExecuteTemplate(&out, name, scope)
		if err != nil {
			failure = helmError(name, err)
		}
		return out.String(), failure
	}
	helm := helmengine.Engine{CustomTemplateFuncs: template.FuncMap{"wbexecute": run}}
	outputs, err := helm.RenderWithContext(context.Background(), c, values)
	return outputs, cmp.Or(failure, err)
}

// functions are those that run templates: in a text given to `tpl` they know what that text defines.
func (s *templateSet) functions(in *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, data any) (string, error) { return s.include(in, name, data) },
		"tpl":     func(text string, data any) (string, error) { return s.tpl(in, text, data) },
		"toYaml":  s.values.write,
	}
}

func (s *templateSet) include(in *template.Template, name string, data any) (string, error) {
	if s.nesting[name] > maxNesting {
		return "", fmt.Errorf("rendering template has a nested reference name: %s: unable to execute template", name)
	}
	s.nesting[name]++
	defer func() { s.nesting[name]-- }()
	var out strings.Builder
	err := in.ExecuteTemplate(&out, name, data)
	return out.String(), err
}

func (s *templateSet) tpl(in *template.Template, text string, data any) (string, error) {
	output := text
	if strings.Contains(text, "{{") {
		executed, err := s.executeText(in, text, data)
		if err != nil {
			return "", err
		}
		output = executed
	}
	return strings.ReplaceAll(output, "<no value>", ""), nil
}

func (s *templateSet) executeText(in *template.Template, text string, data any) (string, error) {
	trees, err := s.texts.parse(in.Name(), text)
	if err != nil {
		return "", fmt.Errorf("cannot parse template %q: %w", text, err)
	}
	if len(trees) > 1 { // what it defines is for itself
		if in, err = in.Clone(); err != nil {
			return "", err
		}
		in.Option("missingkey=zero").Funcs(s.functions(in))
		if err := add(in, trees); err != nil {
			return "", err
		}
	}
	own := in.New(in.Name())
	own.Tree = trees[in.Name()]
	var out strings.Builder
	if err := own.Execute(&out, data); err != nil {
		return "", fmt.Errorf("error during tpl function execution for %q: %w", text, err)
	}
	return out.String(), nil
}
