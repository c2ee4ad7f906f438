package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

func (e *Error) Error() string { return e.Message }

func failf(kind ErrorKind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

var (
	// The forms in which Helm 4 names a place: a line of its own in a trace, "(file:line:column)" after
	// "error at", and text/template's own form, which Helm passes on where it cannot take it apart.
	placeInTrace   = regexp.MustCompile(`(?m)^([^\s:][^\n:]*):(\d+)(?::(\d+))?$`)
	placeInParens  = regexp.MustCompile(`error at \(([^\n()]+?):(\d+)(?::(\d+))?\)`)
	placeAfterWord = regexp.MustCompile(`template: ([^\n:]+):(\d+)(?::(\d+))?: `)
)

// templateError keeps Helm's words and adds the innermost place in them that is a file of the chart;
// text given to `tpl` has places, too, but they are in no file.
func templateError(kind ErrorKind, err error, isFile func(string) bool) *Error {
	failure := &Error{Kind: kind, Message: err.Error()}
	last := -1
	for _, form := range []*regexp.Regexp{placeInTrace, placeInParens, placeAfterWord} {
		for _, at := range form.FindAllStringSubmatchIndex(failure.Message, -1) {
			file := failure.Message[at[2]:at[3]]
			if at[0] < last || !isFile(file) {
				continue
			}
			last = at[0]
			failure.File = file
			failure.Line, _ = strconv.Atoi(failure.Message[at[4]:at[5]])
			failure.Column = 0
			if at[6] >= 0 {
				failure.Column, _ = strconv.Atoi(failure.Message[at[6]:at[7]])
			}
		}
	}
	return failure
}

var yamlLine = regexp.MustCompile(`yaml: line (\d+): (.*)`)

// The YAML reader counts lines from nought in its parser and from one in its scanner, and says which of
// the two speaks only by its words.
var saidByParser = []string{
	"did not find expected key",
	"did not find expected '-' indicator",
	"did not find expected node content",
	"did not find expected ',' or",
	"did not find expected <",
}

// yamlErrorLine is the line of a document, from one, that the YAML reader complains about; 0 where it names none.
func yamlErrorLine(message string) int {
	said := yamlLine.FindStringSubmatch(message)
	if said == nil {
		return 0
	}
	line, _ := strconv.Atoi(said[1])
	for _, words := range saidByParser {
		if strings.HasPrefix(said[2], words) {
			return line + 1
		}
	}
	return line
}
