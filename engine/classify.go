package main

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
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

var separator = regexp.MustCompile(`(?m)^---[ \t]*`)

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
	from := start
	for _, at := range separator.FindAllStringIndex(output[start:], -1) {
		add(from, start+at[0])
		from = start + at[1]
	}
	add(from, len(output))
	return pieces
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

// classify lets Helm's code sort the outputs of templates. What it returns nowhere, it dropped. An error
// comes with the place the YAML reader names, if it names one.
func classify(outputs map[string]string, order []string) ([]document, *Error, *outputPlace) {
	kinds := releaseutil.InstallOrder
	if len(order) > 0 {
		kinds = order
	}
	hooks, manifests, err := releaseutil.SortManifests(outputs, nil, kinds)
	if err != nil {
		return nil, &Error{Kind: ErrYAML, Message: err.Error()}, firstUnreadable(outputs)
	}

	type key struct{ template, text string }
	waiting := map[key][]document{} // equal documents of one template keep their order
	for template, output := range outputs {
		if strings.HasPrefix(path.Base(template), "_") {
			continue // as Helm does
		}
		for i, piece := range split(output) {
			k := key{template, piece.text}
			waiting[k] = append(waiting[k], document{piece: piece, template: template, index: i})
		}
	}
	var sorted []document
	take := func(template, text string, role Role, hook *Hook) {
		k := key{template, text}
		next := waiting[k][0]
		waiting[k] = waiting[k][1:]
		next.role, next.hook = role, hook
		sorted = append(sorted, next)
	}
	for _, manifest := range manifests {
		take(manifest.Name, manifest.Content, RoleManifest, nil)
	}
	for _, hook := range hooks {
		take(hook.Path, hook.Manifest, RoleHook, describeHook(hook))
	}

	var dropped []document
	for _, left := range waiting {
		for _, document := range left {
			document.role = RoleDropped
			document.hook, document.unknown = readDropped(document.text)
			dropped = append(dropped, document)
		}
	}
	slices.SortFunc(dropped, func(a, b document) int {
		if order := strings.Compare(a.template, b.template); order != 0 {
			return order
		}
		return a.index - b.index
	})
	return append(sorted, dropped...), nil, nil
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
func readDropped(text string) (*Hook, string) {
	var head releaseutil.SimpleHead
	if err := yaml.Unmarshal([]byte(text), &head); err != nil || head.Metadata == nil {
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
			place := &outputPlace{template: template, offset: -1}
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
