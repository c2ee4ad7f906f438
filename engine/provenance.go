package main

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// trace is a template's output without marks, and where each part of it came from.
type trace struct {
	text      string
	spans     []span
	positions []Position
}

// span reaches to the next one's start.
type span struct {
	start  int
	frame  *frame // the actions that printed it
	source int    // the position of the template's text that it is; -1: none
}

type frame struct {
	outer    *frame
	position int
}

// readMarks takes an instrumented output apart; false where the marks make no sense.
func readMarks(output string, positions []Position) (*trace, bool) {
	t := &trace{positions: positions, spans: []span{{source: -1}}}
	var text strings.Builder
	var current *frame
	ok := true
	eachPart(output, func(part, mark string) {
		source := -1
		switch mark {
		case "":
			text.WriteString(part)
			return
		case markOpen, markText:
			number, err := strconv.Atoi(part)
			if err != nil || number < 0 || number >= len(positions) {
				ok = false
				return
			}
			if mark == markOpen {
				current = &frame{current, number}
			} else {
				source = number
			}
		case markClose:
			if current == nil {
				ok = false
				return
			}
			current = current.outer
		default:
			ok = false
			return
		}
		t.spans = append(t.spans, span{text.Len(), current, source})
	})
	t.text = text.String()
	return t, ok && current == nil
}

// place gives the positions that led to the character at offset, outermost first; nil where they are not known.
func (t *trace) place(offset int) []Position {
	i := sort.Search(len(t.spans), func(i int) bool { return t.spans[i].start > offset }) - 1
	if i < 0 {
		return nil
	}
	s := t.spans[i]
	var steps []Position
	for f := s.frame; f != nil; f = f.outer {
		steps = append([]Position{t.positions[f.position]}, steps...)
	}
	if between := t.text[s.start:offset]; s.source >= 0 && !strings.Contains(between, "\n") {
		position := t.positions[s.source]
		position.Column += utf8.RuneCountInString(between)
		steps = append(steps, position)
	}
	return steps
}

// eachPart calls part for every text between marks, mark being empty, and for every mark with its number.
func eachPart(text string, part func(part, mark string)) {
	for text != "" {
		at, mark := nextMark(text)
		if mark == "" {
			part(text, "")
			return
		}
		if at > 0 {
			part(text[:at], "")
		}
		text = text[at+len(mark):]
		number := ""
		if mark == markOpen || mark == markText {
			if digits, rest, ok := strings.Cut(text, markEnd); ok {
				number, text = digits, rest
			}
		}
		part(number, mark)
	}
}

func nextMark(text string) (int, string) {
	for from := 0; ; {
		at := strings.Index(text[from:], markLead)
		if at < 0 || from+at+len(markOpen) > len(text) {
			return 0, ""
		}
		at += from
		switch mark := text[at : at+len(markOpen)]; mark {
		case markOpen, markText, markEnd, markClose:
			return at, mark
		}
		from = at + len(markLead)
	}
}

func withoutMarks(text string) string {
	if !strings.Contains(text, markLead) {
		return text
	}
	var plain strings.Builder
	eachPart(text, func(part, mark string) {
		if mark == "" {
			plain.WriteString(part)
		}
	})
	return plain.String()
}

// trimMarked trims as strings.TrimSpace does, seeing through marks.
func trimMarked(text string) string {
	var parts []string
	var texts []int
	eachPart(text, func(part, mark string) {
		switch mark {
		case "":
			texts = append(texts, len(parts))
		case markOpen, markText:
			part = mark + part + markEnd
		default:
			part = mark
		}
		parts = append(parts, part)
	})
	for _, i := range texts {
		if parts[i] = strings.TrimLeftFunc(parts[i], unicode.IsSpace); parts[i] != "" {
			break
		}
	}
	for _, i := range slices.Backward(texts) {
		if parts[i] = strings.TrimRightFunc(parts[i], unicode.IsSpace); parts[i] != "" {
			break
		}
	}
	return strings.Join(parts, "")
}
