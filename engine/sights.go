package main

import (
	"regexp"
	"text/template"
	"text/template/parse"
)

// sight is something that differs between contexts and that hardly any template asks for.
type sight string

const (
	sightOfHelm      sight = "helm"      // its version
	sightOfOperation sight = "operation" // install or upgrade
	sightOfRevision  sight = "revision"
)

var allSights = []sight{sightOfHelm, sightOfOperation, sightOfRevision}

func (s sight) same(a, b *Context) bool {
	switch s {
	case sightOfHelm:
		return a.HelmVersion == b.HelmVersion
	case sightOfOperation:
		return a.Upgrade == b.Upgrade
	default:
		return a.Revision == b.Revision
	}
}

// changed is a context that differs in this alone.
func (s sight) changed(context Context) Context {
	switch s {
	case sightOfHelm:
		context.HelmVersion += "-other"
	case sightOfOperation:
		context.Upgrade = !context.Upgrade
	default:
		context.Revision++
	}
	return context
}

// Ways to ask for it: by its name, or with a larger thing that is handed on as a whole.
var asksFor = map[sight]*regexp.Regexp{
	sightOfHelm:      regexp.MustCompile(`HelmVersion|"Capabilities"|\.Capabilities\b(?:$|[^.]|\.(?:$|[^AK]))`),
	sightOfOperation: regexp.MustCompile(`IsInstall|IsUpgrade|` + wholeRelease),
	sightOfRevision:  regexp.MustCompile(`Revision|` + wholeRelease),
}

const wholeRelease = `"Release"|\.Release\b(?:$|[^.]|\.(?:$|[^INRS]))`

// A template that could ask for something begins with a mark that notes it when it runs.
const markSight = "wbsees"

var sightMarks = func() map[sight]parse.Node {
	marks := map[sight]parse.Node{}
	for _, what := range allSights {
		functions := template.FuncMap{markSight: func(string) string { return "" }}
		text := "{{" + markSight + ` "` + string(what) + `"}}`
		marks[what] = template.Must(template.New("mark").Funcs(functions).Parse(text)).Root.Nodes[0]
	}
	return marks
}()

// mark puts the marks into the templates of a text that was just parsed.
func mark(text string, trees map[string]*parse.Tree) {
	for _, what := range allSights {
		if !asksFor[what].MatchString(text) { // most: none of them has to be written out
			continue
		}
		for _, tree := range trees {
			if tree != nil && tree.Root != nil && asksFor[what].MatchString(tree.Root.String()) {
				tree.Root.Nodes = append([]parse.Node{sightMarks[what]}, tree.Root.Nodes...)
			}
		}
	}
}

func (w *world) see(what string) string {
	w.sees[sight(what)] = true
	return ""
}
