package main

import (
	"context"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	helmengine "helm.sh/helm/v4/pkg/engine"
)

const (
	maxOutput = 32 << 20 // bytes one context may answer with; Helm cannot be stopped while it renders
	maxTraced = 8 << 20  // bytes whose origin is followed; the marks take a multiple of that
)

const notesName = "NOTES.txt"

func (e *engine) render(id int, request *RenderRequest) *Error {
	loaded, err := e.chart(request.Source)
	if err != nil {
		return err
	}
	for i := range request.Contexts {
		if len(request.Contexts[i].Served) == 0 {
			request.Contexts[i].Served = request.Served
		}
	}
	documents := loaded.documents()
	i := -1
	for rendering, err := range executeAhead(loaded, request.Contexts) {
		i++
		if err == nil {
			err = rendering.finish(documents)
		}
		answer := Rendered{Index: i, Error: err}
		if err == nil {
			answer = rendering.answer()
			answer.Index, answer.Sees = i, loaded.seen(rendering)
			for _, document := range rendering.documents {
				if answer.Error = e.sendBody(id, document.text, documents); answer.Error != nil {
					answer = Rendered{Index: i, Error: answer.Error}
					break
				}
			}
		}
		e.write(Answer{ID: id, Rendered: &answer})
		e.out.Flush()
	}
	return nil
}

// rendering is one context at work.
type rendering struct {
	loaded  *loadedChart
	context *Context
	given   map[string]any // the user's values
	objects cluster

	chart     *chart.Chart // as rendered: conditions and aliases applied
	charts    []placedChart
	sources   map[string]*common.File // the templates, edited
	crds      map[string]string       // the texts of files in crds/
	outputs   map[string]string
	size      int // of all outputs
	notes     string
	values    json.RawMessage
	documents []document
	traces    map[string]*trace // of outputs whose origin is known
	volatile  []Volatile
	lookups   []Lookup
	sees      map[sight]bool
}

func newRendering(loaded *loadedChart, context *Context) (*rendering, *Error) {
	if err := chartutil.ValidateReleaseName(context.Release); err != nil {
		return nil, failf(ErrRequest, "release name check failed: release name %q: %v", context.Release, err)
	}
	given, err := mergeValues(context.Values)
	if err != nil {
		return nil, err
	}
	return &rendering{loaded: loaded, context: context, given: given, objects: context.Cluster}, nil
}

// executeTemplates renders as Helm's install and upgrade do (action.Configuration.renderResources), up to the point
// where they would talk to a cluster. It touches nothing but the rendering itself.
func (r *rendering) executeTemplates() *Error {
	if err := r.checkSizes(); err != nil {
		return err
	}
	c, values, err := r.prepare(true)
	if err != nil {
		return err
	}
	r.charts = allCharts(c)
	r.sources = templateFiles(c)
	if r.context.WantValues {
		raw, err := json.Marshal(values["Values"])
		if err != nil {
			return failf(ErrValues, "values cannot be written as JSON: %v", err)
		}
		r.values = raw
	}
	outputs, err := r.execute(c, values)
	if err != nil {
		return err
	}
	for _, output := range outputs {
		r.size += len(output)
	}
	if r.size > maxOutput {
		return failf(ErrLimit, "the templates print %d bytes; more than %d are not answered", r.size, maxOutput)
	}
	r.notes = outputs[path.Join(c.Name(), "templates", notesName)]
	maps.DeleteFunc(outputs, func(name, _ string) bool { return strings.HasSuffix(name, notesName) })
	r.outputs, r.chart = outputs, c
	for _, at := range r.charts { // runs are kept, and only templates need these
		at.chart.Values, at.chart.Templates = nil, nil
	}
	return nil
}

// finish finds out what the output means and where it came from.
func (r *rendering) finish(documents *reader) *Error {
	if r.context.Lines {
		r.trace()
	}
	return r.sort(r.chart, documents)
}

// prepare makes a chart and the values its templates see, both new: templates may change them.
func (r *rendering) prepare(validate bool) (*chart.Chart, common.Values, *Error) {
	c := cloneChart(r.loaded.chart)
	if r.context.ChartVersion != "" {
		c.Metadata.Version = r.context.ChartVersion
	}
	if r.context.AppVersion != "" {
		c.Metadata.AppVersion = r.context.AppVersion
	}
	if err := c.Validate(); err != nil {
		return nil, nil, failf(ErrChart, "%v", err)
	}
	given := deepCopy(r.given).(map[string]any)
	if err := chartutil.ProcessDependencies(c, given); err != nil {
		return nil, nil, failf(ErrChart, "chart dependencies processing failed: %v", err)
	}
	setVersions(c, r.context.Subcharts)
	capabilities, failure := r.capabilities()
	if failure != nil {
		return nil, nil, failure
	}
	options := common.ReleaseOptions{
		Name:      r.context.Release,
		Namespace: r.context.Namespace,
		Revision:  r.context.Revision,
		IsInstall: !r.context.Upgrade,
		IsUpgrade: r.context.Upgrade,
	}
	values, err := util.ToRenderValuesWithSchemaValidation(c, given, options, capabilities, true)
	if err != nil {
		return nil, nil, failf(ErrValues, "%v", err)
	}
	if validate {
		if found := r.loaded.schemas.violations(c, values["Values"].(common.Values)); len(found) > 0 {
			_, err := util.ToRenderValuesWithSchemaValidation(c, given, options, capabilities, false) // Helm's words
			failure := failf(ErrSchema, "%v", err)
			failure.Violations = found
			return nil, nil, failure
		}
	}
	if wanted := c.Metadata.KubeVersion; wanted != "" && !chartutil.IsCompatibleRange(wanted, capabilities.KubeVersion.String()) {
		return nil, nil, failf(ErrKubeVersion, "chart requires kubeVersion: %s which is incompatible with Kubernetes %s", wanted, capabilities.KubeVersion.Version)
	}
	if failure := applyEdits(c, r.context.Edits); failure != nil {
		return nil, nil, failure
	}
	return c, values, nil
}

// setVersions gives subcharts other versions. Dependencies are resolved by then: constraints are met by the old ones.
func setVersions(c *chart.Chart, subcharts []Subchart) {
	for _, at := range allCharts(c) {
		for _, subchart := range subcharts {
			if at.subchart == subchart.Path {
				at.chart.Metadata.Version, at.chart.Metadata.AppVersion = subchart.Version, subchart.AppVersion
			}
		}
	}
}

func (r *rendering) capabilities() (*common.Capabilities, *Error) {
	capabilities := common.DefaultCapabilities.Copy()
	if asked := r.context.KubeVersion; asked != "" {
		version, err := common.ParseKubeVersion(asked)
		if err != nil {
			return nil, failf(ErrKubeVersion, "invalid kube version '%s': %v", asked, err)
		}
		capabilities.KubeVersion = *version
	}
	if len(r.context.Served) > 0 {
		capabilities.APIVersions = r.context.Served
	}
	capabilities.APIVersions = append(slices.Clone(capabilities.APIVersions), r.context.APIVersions...)
	capabilities.HelmVersion.Version = helmVersion() // Helm's own builds set it; the library says "v4.3"
	if r.context.HelmVersion != "" {
		capabilities.HelmVersion.Version = r.context.HelmVersion
	}
	return capabilities, nil
}

// applyEdits replaces parts of templates' texts; offsets are those of the texts as loaded.
func applyEdits(c *chart.Chart, edits []Edit) *Error {
	if len(edits) == 0 {
		return nil
	}
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return b.Start - a.Start })
	for _, at := range allCharts(c) {
		at.chart.Templates = slices.Clone(at.chart.Templates) // shared between aliases of one chart
		for i, file := range at.chart.Templates {
			name, text, end := path.Join(at.chart.ChartFullPath(), file.Name), string(file.Data), len(file.Data)
			for _, edit := range edits {
				if edit.Template != name {
					continue
				}
				if edit.Start < 0 || edit.Start > edit.End || edit.End > end {
					return failf(ErrRequest, "the edit of bytes %d to %d does not fit %s", edit.Start, edit.End, name)
				}
				text, end = text[:edit.Start]+edit.Text+text[edit.End:], edit.Start
			}
			if text != string(file.Data) {
				at.chart.Templates[i] = &common.File{Name: file.Name, ModTime: file.ModTime, Data: []byte(text)}
			}
		}
	}
	return nil
}

func (r *rendering) execute(c *chart.Chart, values common.Values) (map[string]string, *Error) {
	w := newWorld(r.context.Seed, r.objects)
	set, err := r.loaded.newTemplateSet(c, w)
	var outputs map[string]string
	if err == nil {
		outputs, err = set.execute(c, values, w, r.context.Only)
	} else { // a text that cannot be parsed: Helm says so in its own words
		outputs, err = helmengine.Engine{CustomTemplateFuncs: w.functions()}.RenderWithContext(context.Background(), c, values)
	}
	r.volatile, r.lookups, r.sees = w.uses(), w.lookups, w.sees
	if err != nil {
		kind := ErrTemplate
		if w.failedBy != "" && strings.HasPrefix(err.Error(), "execution error at (") {
			kind = w.failedBy
		}
		return nil, templateError(kind, err, func(file string) bool { _, ok := r.sources[file]; return ok })
	}
	return outputs, nil
}

// trace renders a second time, with marks, to learn where the output came from; only where that gives the true output.
func (r *rendering) trace() {
	r.traces = map[string]*trace{}
	if r.size > maxTraced {
		return
	}
	c, values, err := r.prepare(false)
	if err != nil {
		return
	}
	instruments := r.loaded.instruments
	instruments.forget()
	for _, at := range allCharts(c) {
		at.chart.Templates = slices.Clone(at.chart.Templates)
		for i, file := range at.chart.Templates {
			name := path.Join(at.chart.ChartFullPath(), file.Name)
			text := instruments.instrument(name, string(file.Data))
			at.chart.Templates[i] = &common.File{Name: file.Name, ModTime: file.ModTime, Data: []byte(text)}
		}
	}
	w := newWorld(r.context.Seed, r.objects)
	set, failed := r.loaded.newTemplateSet(c, w)
	if failed != nil {
		return
	}
	outputs, failed := set.execute(c, values, w, r.context.Only)
	if failed != nil {
		return
	}
	for template, output := range r.outputs {
		if traced, ok := readMarks(outputs[template], instruments.positions); ok && traced.text == output {
			r.traces[template] = traced
		}
	}
}

// crdFiles are the files in crds/, unless only some templates are asked for.
func (r *rendering) crdFiles(c *chart.Chart) []chart.CRD {
	if len(r.context.Only) > 0 {
		return nil
	}
	return c.CRDObjects()
}

// sort lets Helm order and classify, and adds the files of crds/, which are no templates.
func (r *rendering) sort(c *chart.Chart, known *reader) *Error {
	r.crds = map[string]string{}
	for _, crd := range r.crdFiles(c) {
		r.crds[crd.Filename] = string(crd.File.Data)
		for i, piece := range split(string(crd.File.Data)) {
			if _, err := known.read(piece.text); err != nil {
				failure := failf(ErrYAML, "YAML parse error on %s: %v", crd.Filename, err)
				failure.File = crd.Filename
				if line := yamlErrorLine(err.Error()); line > 0 {
					failure.Line = line + strings.Count(r.crds[crd.Filename][:piece.offset], "\n")
				}
				return failure
			}
			r.documents = append(r.documents, document{piece: piece, template: crd.Filename, index: i, role: RoleCRD})
		}
	}
	documents, failure, at := classify(r.outputs, r.context.Order, known)
	if failure != nil {
		if at != nil {
			failure.File = at.template
			if at.offset >= 0 {
				failure.Rendered = lineAt(r.outputs[at.template], at.offset)
				if r.traces == nil {
					r.trace()
				}
				if steps := r.place(at.template, at.offset); steps != nil {
					failure.Line, failure.Column = steps[0].Line, steps[0].Column
				}
			}
		}
		return failure
	}
	r.documents = append(r.documents, documents...)
	return nil
}

// lineAt is the line of a text that an offset is in.
func lineAt(text string, offset int) string {
	line, _, _ := strings.Cut(text[strings.LastIndex(text[:offset], "\n")+1:], "\n")
	return line
}

func (r *rendering) answer() Rendered {
	answer := Rendered{Notes: r.notes, Volatile: r.volatile, Lookups: r.lookups, Values: r.values}
	for _, d := range r.documents {
		described := Document{
			Digest: digest(d.text), Template: d.template, Subchart: subchartOf(d.template, r.charts),
			Index: d.index, Role: d.role, Hook: d.hook, Unknown: d.unknown,
		}
		if r.context.Lines {
			described.Line = r.firstLine(d)
		}
		answer.Documents = append(answer.Documents, described)
	}
	return answer
}
