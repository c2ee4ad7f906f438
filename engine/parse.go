package main

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	sourceComment  = regexp.MustCompile(`(?m)^# Source: (.+?)[ \t\r]*$`)
	fromCRDs       = regexp.MustCompile(`^[^/]+(/charts/[^/]+)*/crds/`)
	chartsOnTheWay = regexp.MustCompile(`^[^/]+((?:/charts/[^/]+)*)/(?:templates|crds)/`)
)

// parse reads YAML that was rendered elsewhere, or a config file.
func (e *engine) parse(id int, request *ParseRequest) *Error {
	if request.Plain {
		return e.parsePlain(id, request)
	}
	// The name matters to Helm in one way only: it skips files that begin with an underscore.
	name := request.Name
	if strings.HasPrefix(path.Base(name), "_") || name == "" {
		name = "text"
	}
	known := newReader()
	documents, failure, at := classify(map[string]string{name: request.Text}, request.Order, known)
	if failure != nil {
		failure.File = request.Name
		failure.Message = strings.Replace(failure.Message, "YAML parse error on "+name+": ", "YAML parse error on "+request.Name+": ", 1)
		if at != nil && at.offset >= 0 {
			place := indexLines(request.Text).place(at.offset)
			failure.Line, failure.Column = place.line, place.column
		}
		e.write(Answer{ID: id, Rendered: &Rendered{Error: failure}})
		return nil
	}
	lines := indexLines(request.Text)
	answer := Rendered{}
	for _, d := range documents {
		if failure := e.sendBody(id, d.text, known); failure != nil {
			return failure
		}
		described := Document{
			Digest: digest(d.text), Template: request.Name, Index: d.index, Role: d.role, Hook: d.hook, Unknown: d.unknown,
			Line: lines.place(d.offset + contentStart(d.text)).line,
		}
		if source := sourceComment.FindStringSubmatch(comments(d.text)); source != nil {
			described.Template = source[1]
			described.Subchart = subchartInName(source[1])
			if d.role == RoleManifest && fromCRDs.MatchString(source[1]) {
				described.Role = RoleCRD
			}
		}
		answer.Documents = append(answer.Documents, described)
	}
	// `helm template --include-crds` prints what is in crds/ first, whatever its kind.
	slices.SortStableFunc(answer.Documents, func(a, b Document) int { return crdFirst(a) - crdFirst(b) })
	e.write(Answer{ID: id, Rendered: &answer})
	return nil
}

// comments are what stands before a document's content.
func comments(text string) string {
	if start := contentStart(text); text[start] != '#' {
		return text[:start]
	}
	return text
}

func crdFirst(d Document) int {
	if d.Role == RoleCRD {
		return 0
	}
	return 1
}

// subchartInName reads "a/b" from "chart/charts/a/charts/b/templates/job.yaml".
func subchartInName(template string) string {
	way := chartsOnTheWay.FindStringSubmatch(template)
	if way == nil {
		return ""
	}
	return strings.TrimPrefix(strings.ReplaceAll(way[1], "/charts/", "/"), "/")
}
