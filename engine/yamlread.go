package main

import (
	"strings"

	"sigs.k8s.io/yaml"
	yamlv3 "sigs.k8s.io/yaml/goyaml.v3"
)

// contentStart is where a document's first line that is neither blank nor a comment begins; where there is
// none, its first visible character.
func contentStart(text string) int {
	first, offset := -1, 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		visible := strings.TrimLeft(line, " \t\r\n")
		if visible != "" {
			at := offset + len(line) - len(visible)
			if visible[0] != '#' {
				return at
			}
			if first < 0 {
				first = at
			}
		}
		offset += len(line)
	}
	return max(first, 0)
}

// findField finds where a field stands in the text of one document: its key, or for a list its item. Keys
// that come in through an alias stand where the anchor is.
func findField(text string, path []any) (textPlace, bool) {
	return newFinder(text).find(path)
}

// finder finds fields in the text of one document, which is read once for all of them.
type finder struct {
	text       string
	lines      lineIndex
	yamlLines  lineIndex
	root       *yamlv3.Node // nil where there is nothing, or nothing that can be read
	isPrepared bool
}

func newFinder(text string) *finder { return &finder{text: text, lines: indexLines(text)} }

func (f *finder) prepare() {
	if f.isPrepared {
		return
	}
	f.isPrepared = true
	var root yamlv3.Node
	if err := yamlv3.Unmarshal([]byte(f.text), &root); err == nil && len(root.Content) > 0 {
		f.root, f.yamlLines = root.Content[0], indexYAMLLines(f.text)
	}
}

func (f *finder) find(path []any) (textPlace, bool) {
	if len(path) == 0 {
		return f.lines.place(contentStart(f.text)), true
	}
	if f.prepare(); f.root == nil {
		return textPlace{}, false
	}
	value := f.root
	var stands *yamlv3.Node
	for _, step := range path {
		value = resolve(value)
		switch step := step.(type) {
		case string:
			stands, value = findKey(value, step, 0)
		case int:
			if value.Kind != yamlv3.SequenceNode || step < 0 || step >= len(value.Content) {
				return textPlace{}, false
			}
			stands, value = value.Content[step], value.Content[step]
		default:
			return textPlace{}, false
		}
		if stands == nil {
			return textPlace{}, false
		}
	}
	offset, ok := f.yamlLines.offset(stands.Line, stands.Column)
	return f.lines.place(offset), ok
}

func resolve(node *yamlv3.Node) *yamlv3.Node {
	for node.Kind == yamlv3.AliasNode && node.Alias != nil {
		node = node.Alias
	}
	return node
}

// findKey prefers a mapping's own keys to merged ones, and of equal keys the last, as the reader does.
func findKey(mapping *yamlv3.Node, name string, depth int) (key, value *yamlv3.Node) {
	if mapping.Kind != yamlv3.MappingNode || depth > 100 {
		return nil, nil
	}
	for i := len(mapping.Content) - 2; i >= 0; i -= 2 {
		if keyName(mapping.Content[i]) == name {
			return mapping.Content[i], mapping.Content[i+1]
		}
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Tag != "!!merge" && mapping.Content[i].Value != "<<" {
			continue
		}
		merged := []*yamlv3.Node{resolve(mapping.Content[i+1])}
		if merged[0].Kind == yamlv3.SequenceNode {
			merged = merged[0].Content
		}
		for _, from := range merged {
			if key, value = findKey(resolve(from), name, depth+1); key != nil {
				return key, value
			}
		}
	}
	return nil, nil
}

// keyName is a key as it is called in JSON: Helm's reader turns numbers and booleans into text.
func keyName(key *yamlv3.Node) string {
	key = resolve(key)
	if key.Kind != yamlv3.ScalarNode || key.Style != 0 {
		return key.Value
	}
	switch key.Value {
	case "<<", "":
		return key.Value
	}
	if c := key.Value[0]; key.Tag == "!!str" && !strings.ContainsRune("yYnNoO", rune(c)) {
		return key.Value
	}
	var read map[string]any
	if yaml.Unmarshal([]byte(key.Value+": 0"), &read) == nil && len(read) == 1 {
		for name := range read {
			return name
		}
	}
	return key.Value
}
