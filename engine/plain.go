package main

import (
	"sigs.k8s.io/yaml"
	yamlv3 "sigs.k8s.io/yaml/goyaml.v3"
)

// parsePlain reads YAML that is no manifest, a config file: documents of any shape, in their order. A key that
// stands twice, of which Helm's reader takes the last without a word, is an error here.
func (e *engine) parsePlain(id int, request *ParseRequest) *Error {
	lines, answer := indexLines(request.Text), Rendered{}
	for i, piece := range split(request.Text) {
		object, failure := readPlain(lines, piece)
		if failure != nil {
			failure.File = request.Name
			e.write(Answer{ID: id, Rendered: &Rendered{Error: failure}})
			return nil
		}
		e.write(Answer{ID: id, Body: &Body{Digest: digest(piece.text), Text: piece.text, Object: object}})
		answer.Documents = append(answer.Documents, Document{
			Digest: digest(piece.text), Template: request.Name, Index: i, Role: RoleManifest,
			Line: lines.place(piece.offset + contentStart(piece.text)).line,
		})
	}
	e.write(Answer{ID: id, Rendered: &answer})
	return nil
}

// readPlain gives one document of a text as JSON, or says what is wrong with it, and where in the text.
func readPlain(lines lineIndex, in piece) ([]byte, *Error) {
	object, err := yaml.YAMLToJSON([]byte(in.text))
	if err != nil {
		offset, ok := indexLines(in.text).visible(yamlErrorLine(err.Error()))
		if !ok {
			offset = contentStart(in.text)
		}
		at := lines.place(in.offset + offset)
		return nil, &Error{Kind: ErrYAML, Message: err.Error(), Line: at.line, Column: at.column}
	}
	var root yamlv3.Node
	if yamlv3.Unmarshal([]byte(in.text), &root) != nil {
		return object, nil // a reader of other taste; the word of the first one holds
	}
	first, again := repeatedKey(&root)
	if again == nil {
		return object, nil
	}
	place := func(node *yamlv3.Node) textPlace {
		offset, _ := indexYAMLLines(in.text).offset(node.Line, node.Column)
		return lines.place(in.offset + offset)
	}
	failure := failf(ErrYAML, "duplicate key %q, first in line %d", again.Value, place(first).line)
	failure.Line, failure.Column = place(again).line, place(again).column
	return nil, failure
}

// repeatedKey finds a key that stands twice in one mapping. Keys that are merged in stand in another one.
func repeatedKey(node *yamlv3.Node) (first, again *yamlv3.Node) {
	if node.Kind == yamlv3.MappingNode {
		known := map[string]*yamlv3.Node{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i]
			if before := known[keyName(key)]; before != nil {
				return before, key
			}
			known[keyName(key)] = key
		}
	}
	for _, child := range node.Content {
		if first, again = repeatedKey(child); again != nil {
			return first, again
		}
	}
	return nil, nil
}
