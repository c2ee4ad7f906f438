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
	sightOfOperation sight = "operation" // install or upgrade, and the revision
)

var allSights = []sight{sightOfHelm, sightOfOperation}

func (s sight) same(a, b *Context) bool {
	if s == sightOfHelm {
		return a.HelmVersion == b.HelmVersion
	}
	return a.Upgrade == b.Upgrade && a.Revision == b.Revision
}

// Ways to ask for it: by its name, or with a larger thing that is handed on as a whole.
var asksFor = map[sight]*regexp.Regexp{
	sightOfHelm:      regexp.MustCompile(`HelmVersion|"Capabilities"|\.Capabilities\b(?:$|[^.]|\.(?:$|[^AK]))`),
	sightOfOperation: regexp.MustCompile(`Revision|IsInstall|IsUpgrade|"Release"|\.Release\b(?:$|[^.]|\.(?:$|[^NS]))`),
}

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

// mark puts the marks into a template that was just parsed.
func mark(tree *parse.Tree) {
	if tree == nil || tree.Root == nil {
		return
	}
	text := tree.Root.String()
	for _, what := range allSights {
		if asksFor[what].MatchString(text) {
			tree.Root.Nodes = append([]parse.Node{sightMarks[what]}, tree.Root.Nodes...)
		}
	}
}

func (w *world) see(what string) string {
	w.sees[sight(what)] = true
	return ""
}
