package main

import (
	"encoding/json"
	"strings"
)

// locate answers where fields stand: in the sources of templates, or in a plain text.
func (e *engine) locate(id int, request *LocateRequest) *Error {
	places := make([]Place, len(request.Fields))
	if request.Source == nil {
		pieces, lines := split(request.Text), indexLines(request.Text)
		finders := map[int]*finder{}
		for i, field := range request.Fields {
			if field.Index < 0 || field.Index >= len(pieces) {
				continue
			}
			in := pieces[field.Index]
			if finders[field.Index] == nil {
				finders[field.Index] = newFinder(in.text)
			}
			places[i] = placeInText(lines, in, finders[field.Index], pathOf(field))
		}
		e.write(Answer{ID: id, Places: places})
		return nil
	}
	if request.Context == nil {
		return failf(ErrRequest, "request %d names a chart but no context", id)
	}
	loaded, err := e.chart(*request.Source)
	if err != nil {
		return err
	}
	rendering, err := loaded.locatable(*request.Context)
	if err != nil {
		return err
	}
	for i, field := range request.Fields {
		for _, document := range rendering.documents {
			if document.template == field.Template && document.index == field.Index {
				places[i] = rendering.placeOf(document, pathOf(field))
				break
			}
		}
	}
	e.write(Answer{ID: id, Places: places})
	return nil
}

// maxLocated is how many renderings a chart keeps for the next question about the same one.
const maxLocated = 4

// locatable renders so that fields can be located, once a context: questions come one a finding.
func (l *loadedChart) locatable(context Context) (*rendering, *Error) {
	context.Lines = true
	key, failed := json.Marshal(context)
	if known := l.located[string(key)]; known != nil && failed == nil {
		return known, nil
	}
	rendering, err := l.execute(&context)
	if err == nil {
		err = rendering.finish(l.documents())
	}
	if err != nil {
		return nil, err
	}
	if len(l.located) >= maxLocated {
		clear(l.located)
	}
	l.located[string(key)] = rendering
	return rendering, nil
}

// pathOf has whole numbers where the decoder had none to give.
func pathOf(field Field) []any {
	path := make([]any, len(field.Path))
	for i, step := range field.Path {
		path[i] = step
		if number, ok := step.(json.Number); ok {
			if index, err := number.Int64(); err == nil {
				path[i] = int(index)
			}
		}
	}
	return path
}

func placeInText(lines lineIndex, in piece, fields *finder, path []any) Place {
	at, exact := fields.find(path)
	if !exact {
		at, _ = fields.find(nil)
	}
	at = lines.place(in.offset + at.offset)
	return Place{Steps: []Position{{Line: at.line, Column: at.column}}, Exact: exact}
}

func (r *rendering) placeOf(d document, path []any) Place {
	if text, ok := r.crds[d.template]; ok && d.role == RoleCRD {
		place := placeInText(indexLines(text), d.piece, newFinder(d.text), path)
		place.Steps[0].File = d.template
		return place
	}
	at, found := findField(d.text, path)
	if found {
		if steps := r.place(d.template, d.offset+at.offset); steps != nil {
			return Place{Steps: steps, Exact: true}
		}
		if line := r.literalKey(d, path); line > 0 {
			return Place{Steps: []Position{{File: d.template, Line: line}}, Exact: true}
		}
	}
	if steps := r.place(d.template, d.offset+contentStart(d.text)); steps != nil {
		return Place{Steps: steps}
	}
	return Place{Steps: []Position{{File: d.template, Line: r.firstLine(d)}}}
}

// place is the origin of a character of a template's output; nil where it is not known.
func (r *rendering) place(template string, offset int) []Position {
	if traced := r.traces[template]; traced != nil {
		return traced.place(offset)
	}
	return nil
}

// firstLine is where a document begins in its template's source; 0 where that is not known.
func (r *rendering) firstLine(d document) int {
	start := contentStart(d.text)
	if d.role == RoleCRD {
		return indexLines(r.crds[d.template]).place(d.offset + start).line
	}
	if steps := r.place(d.template, d.offset+start); steps != nil {
		return steps[0].Line
	}
	return r.literalLine(d)
}

// source is a template's text as it ran; empty for what is no template.
func (r *rendering) source(template string) string {
	if file := r.sources[template]; file != nil {
		return string(file.Data)
	}
	return ""
}

// literalLine is for templates that do not render alike when they are watched: a line of the document that
// stands in the source exactly once and in no other document of the template is that line.
func (r *rendering) literalLine(d document) int {
	source := r.source(d.template)
	for line := range strings.SplitSeq(d.text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || countLines(r.outputs[d.template], line) != 1 {
			continue
		}
		if at := onlyLine(source, func(s string) bool { return s == line }); at > 0 {
			return at
		}
	}
	return 0
}

// literalKey is where the key of a field stands in the source, if it stands there exactly once, and the
// output holds it once, too: another one might come from elsewhere.
func (r *rendering) literalKey(d document, path []any) int {
	if len(path) == 0 {
		return 0
	}
	key, ok := path[len(path)-1].(string)
	if !ok {
		return 0
	}
	holdsKey := func(line string) bool {
		line = strings.TrimLeft(line, "- ")
		return strings.HasPrefix(line, key+":") || strings.HasPrefix(line, `"`+key+`":`) || strings.HasPrefix(line, "'"+key+"':")
	}
	if onlyLine(r.outputs[d.template], holdsKey) == 0 {
		return 0
	}
	return onlyLine(r.source(d.template), holdsKey)
}

func countLines(text, wanted string) int {
	count := 0
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) == wanted {
			count++
		}
	}
	return count
}

// onlyLine is the number of the one line that is wanted; 0 where there is none or more than one.
func onlyLine(text string, wanted func(string) bool) int {
	found, number := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		if wanted(strings.TrimSpace(line)) {
			if found > 0 {
				return 0
			}
			found = number
		}
	}
	return found
}
