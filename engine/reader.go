package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
	"sigs.k8s.io/yaml"
)

// maxRead is how many bytes of documents a chart keeps for the next request.
const maxRead = 32 << 20

// reader reads each distinct document of a chart once: contexts of one release differ in few of them, and
// reading YAML is most of what a large chart costs.
type reader struct {
	known   map[string]*readDocument // by text
	sorted  map[string][]sorted      // by all heads and the order of kinds
	size    int                      // of all that is known
	request int                      // the number of this one
}

// readDocument is what one text says, as Helm's YAML reader understands it.
type readDocument struct {
	digest string
	object json.RawMessage // nil once it was sent, where there is too much to keep
	head   releaseutil.SimpleHead
	// The head with the number of a document in it that has this text; one text may stand in several places.
	numbered map[string]string
	sent     int // in which request
}

func newReader() *reader {
	return &reader{known: map[string]*readDocument{}, sorted: map[string][]sorted{}, request: 1}
}

// documents is the chart's reader, for one more request.
func (l *loadedChart) documents() *reader {
	if l.reader == nil || l.reader.size > maxRead {
		l.reader = newReader()
	}
	l.reader.request++
	return l.reader
}

func (r *reader) read(text string) (*readDocument, error) {
	if known := r.known[text]; known != nil {
		return known, nil
	}
	object, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	read := &readDocument{digest: digest(text), object: object, numbered: map[string]string{}}
	// Helm reads the head straight from the YAML, which turns an unquoted `hook-weight: 5` into text. Where
	// all is text already, the object says the same and costs nothing.
	if json.Unmarshal(object, &read.head) != nil {
		read.head = releaseutil.SimpleHead{}
		if err := yaml.Unmarshal([]byte(text), &read.head); err != nil {
			return nil, err
		}
	}
	r.known[text] = read
	r.size += len(text) + len(object)
	return read, nil
}

// sendBody sends a document's text and object, once a request.
func (e *engine) sendBody(id int, text string, documents *reader) *Error {
	read, err := documents.read(text)
	if err != nil {
		return &Error{Kind: ErrYAML, Message: err.Error()}
	}
	if read.sent != documents.request {
		e.write(Answer{ID: id, Body: &Body{Digest: read.digest, Text: text, Object: read.object}})
		read.sent = documents.request
		if documents.size > maxRead {
			read.object = nil
		}
	}
	return nil
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
