package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	release "helm.sh/helm/v4/pkg/release/v1"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
	"sigs.k8s.io/yaml"
)

// piece is one document and where it begins in the text it was cut from.
type piece struct {
	offset int
	text   string
}

// split cuts as releaseutil.SplitManifests does, which forgets where; the tests hold both equal.
func split(output string) []piece {
	var pieces []piece
	start := len(output) - len(strings.TrimLeftFunc(output, unicode.IsSpace))
	add := func(from, to int) {
		text := strings.TrimLeftFunc(output[from:to], unicode.IsSpace)
		if text != "" {
			pieces = append(pieces, piece{to - len(text), text})
		}
	}
	for from := start; ; {
		at, next := nextSeparator(output, from, start)
		add(from, at)
		if from = next; from < 0 {
			return pieces
		}
	}
}

// nextSeparator finds the next line that begins with "---", and where the text behind it begins; -1: no more.
// Helm says it with a regular expression, `(?m)^---[ \t]*`, which takes ten times as long.
func nextSeparator(output string, from, start int) (at, next int) {
	for search := from; ; {
		found := strings.Index(output[search:], "---")
		if found < 0 {
			return len(output), -1
		}
		at = search + found
		if at == start || output[at-1] == '\n' {
			next = at + len("---")
			return at, next + len(output[next:]) - len(strings.TrimLeft(output[next:], " \t"))
		}
		search = at + 1
	}
}

// document is one YAML document and what Helm makes of it.
type document struct {
	piece
	template string
	index    int // among the template's documents
	role     Role
	hook     *Hook
	unknown  string
}

// outputPlace is a place in what a template gave.
type outputPlace struct {
	template string
	offset   int
}

// sorted is what Helm makes of one of the documents, whatever else than its head stands in it.
type sorted struct {
	template string
	index    int
	role     Role
	hook     *Hook
	unknown  string
}

// classify lets Helm's code sort the documents that templates gave. It is shown their heads alone, each with
// its number in it, so that every document is read once a request and not once a context, and documents with
// the same heads are sorted once. What Helm returns nowhere, it dropped. An error comes with the place the YAML
// reader names, if it names one.
func classify(outputs map[string]string, order []string, known *reader) ([]document, *Error, *outputPlace) {
	kinds := releaseutil.InstallOrder
	if len(order) > 0 {
		kinds = order
	}
	pieces := make(map[string][]piece, len(outputs))
	heads := make(map[string]string, len(outputs))
	templates := slices.Sorted(maps.Keys(outputs))
	all := strings.Builder{}
	all.WriteString(strings.Join(order, "\n"))
	for _, template := range templates {
		if strings.HasPrefix(path.Base(template), "_") {
			continue // as Helm does
		}
		pieces[template] = split(outputs[template])
		var stream strings.Builder
		for i, piece := range pieces[template] {
			read, err := known.read(piece.text)
			if err != nil {
				return nil, unreadable(outputs, kinds, err), firstUnreadable(outputs)
			}
			stream.WriteString("---\n" + read.numberedHead(template, i) + "\n")
		}
		heads[template] = stream.String()
		all.WriteString(heads[template])
	}
	inOrder, seen := known.sorted[all.String()]
	if !seen {
		var failure *Error
		if inOrder, failure = sortHeads(heads, pieces, kinds, known); failure != nil {
			return nil, failure, nil
		}
		known.sorted[all.String()] = inOrder
	}
	documents := make([]document, len(inOrder))
	for i, at := range inOrder {
		documents[i] = document{pieces[at.template][at.index], at.template, at.index, at.role, at.hook, at.unknown}
	}
	return documents, nil, nil
}

// sortHeads asks Helm; documents it drops come last.
func sortHeads(heads map[string]string, pieces map[string][]piece, kinds releaseutil.KindSortOrder, known *reader) ([]sorted, *Error) {
	waiting := map[string]sorted{} // by head
	for template := range heads {
		for i, piece := range pieces[template] {
			if read, err := known.read(piece.text); err == nil {
				waiting[read.numberedHead(template, i)] = sorted{template: template, index: i}
			}
		}
	}
	hooks, manifests, err := releaseutil.SortManifests(heads, nil, kinds)
	if err != nil {
		return nil, &Error{Kind: ErrYAML, Message: err.Error()}
	}
	var inOrder []sorted
	take := func(head string, role Role, hook *Hook) {
		head = strings.TrimSuffix(head, "\n")
		next := waiting[head]
		delete(waiting, head)
		next.role, next.hook = role, hook
		inOrder = append(inOrder, next)
	}
	for _, manifest := range manifests {
		take(manifest.Content, RoleManifest, nil)
	}
	for _, hook := range hooks {
		take(hook.Manifest, RoleHook, describeHook(hook))
	}

	var dropped []sorted
	for _, at := range waiting {
		at.role = RoleDropped
		if read, err := known.read(pieces[at.template][at.index].text); err == nil {
			at.hook, at.unknown = readDropped(read.head)
		}
		dropped = append(dropped, at)
	}
	slices.SortFunc(dropped, func(a, b sorted) int {
		return cmp.Or(strings.Compare(a.template, b.template), a.index-b.index)
	})
	return append(inOrder, dropped...), nil
}

// numberAnnotation tells heads apart; Helm looks at annotations of its own only.
const numberAnnotation = "watchbill.dev/document"

func (read *readDocument) numberedHead(template string, index int) string {
	number := strconv.Itoa(index) + " " + template
	if head, seen := read.numbered[number]; seen {
		return head
	}
	head, annotations, name := read.head, map[string]string{}, ""
	if head.Metadata != nil {
		name = head.Metadata.Name
		maps.Copy(annotations, head.Metadata.Annotations)
	}
	annotations[numberAnnotation] = number
	text, err := json.Marshal(map[string]any{
		"apiVersion": head.Version, "kind": head.Kind, "metadata": map[string]any{"name": name, "annotations": annotations},
	})
	if err != nil {
		panic(err) // strings alone
	}
	read.numbered[number] = asASCII(string(text))
	return read.numbered[number]
}

// asASCII escapes what JSON may hold as it is but YAML may not, control characters beyond ASCII among them.
func asASCII(json string) string {
	var ascii strings.Builder
	for _, r := range json {
		switch {
		case r < 0x7f:
			ascii.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&ascii, `\u%04x`, r)
		default:
			fmt.Fprintf(&ascii, `\U%08x`, r)
		}
	}
	return ascii.String()
}

// unreadable has Helm say what it does not understand, in its own words.
func unreadable(outputs map[string]string, kinds releaseutil.KindSortOrder, ours error) *Error {
	if _, _, err := releaseutil.SortManifests(outputs, nil, kinds); err != nil {
		return &Error{Kind: ErrYAML, Message: err.Error()}
	}
	return &Error{Kind: ErrYAML, Message: ours.Error()}
}

func describeHook(hook *release.Hook) *Hook {
	described := &Hook{Events: []string{}, Weight: hook.Weight, DeletePolicies: []string{}, OutputLogPolicies: []string{}}
	for _, event := range hook.Events {
		described.Events = append(described.Events, event.String())
	}
	for _, policy := range hook.DeletePolicies {
		described.DeletePolicies = append(described.DeletePolicies, policy.String())
	}
	for _, policy := range hook.OutputLogPolicies {
		described.OutputLogPolicies = append(described.OutputLogPolicies, policy.String())
	}
	return described
}

// readDropped finds the event Helm does not know, and asks Helm what the hook would be without it.
func readDropped(head releaseutil.SimpleHead) (*Hook, string) {
	if head.Metadata == nil {
		return nil, ""
	}
	unknown := ""
	var known []string
	for event := range strings.SplitSeq(head.Metadata.Annotations[release.HookAnnotation], ",") {
		if asHook(head, event) != nil {
			known = append(known, event)
		} else if unknown == "" {
			unknown = strings.TrimSpace(event)
		}
	}
	if len(known) == 0 {
		described := describeHook(asHook(head, release.HookTest.String()))
		described.Events = []string{}
		return described, unknown
	}
	return describeHook(asHook(head, strings.Join(known, ","))), unknown
}

// asHook is what Helm reads from the head of a document with these events; nil if it drops it.
func asHook(head releaseutil.SimpleHead, events string) *release.Hook {
	metadata := *head.Metadata
	metadata.Annotations = maps.Clone(metadata.Annotations)
	metadata.Annotations[release.HookAnnotation] = events
	head.Metadata = &metadata
	text, err := json.Marshal(head)
	if err != nil {
		return nil
	}
	hooks, _, err := releaseutil.SortManifests(map[string]string{"hook.yaml": string(text)}, nil, releaseutil.InstallOrder)
	if err != nil || len(hooks) == 0 {
		return nil
	}
	return hooks[0]
}

// firstUnreadable finds the document that stopped SortManifests, and the line the YAML reader names.
func firstUnreadable(outputs map[string]string) *outputPlace {
	for _, template := range slices.Sorted(maps.Keys(outputs)) {
		if strings.HasPrefix(path.Base(template), "_") {
			continue
		}
		for _, piece := range split(outputs[template]) {
			var head releaseutil.SimpleHead
			err := yaml.Unmarshal([]byte(piece.text), &head)
			if err == nil {
				continue
			}
			place := &outputPlace{template: template, offset: piece.offset + contentStart(piece.text)}
			if line := yamlErrorLine(err.Error()); line > 0 {
				if offset, ok := indexLines(piece.text).visible(line); ok {
					place.offset = piece.offset + offset
				}
			}
			return place
		}
	}
	return nil
}
