package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestMain lets a test run the engine itself, limits and all, in a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("RUN_THE_ENGINE") != "" {
		main()
		os.Exit(0)
	}
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetOutput(io.Discard)
	time.Local = time.UTC
	os.Exit(m.Run())
}

var fileHeader = regexp.MustCompile(`(?m)^-- (\S+) --\n`)

// unpack reads "-- name --" headers, each followed by the file's text.
func unpack(archive string) map[string]string {
	files := map[string]string{}
	heads := fileHeader.FindAllStringSubmatchIndex(archive, -1)
	for i, head := range heads {
		end := len(archive)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		files[archive[head[2]:head[3]]] = archive[head[1]:end]
	}
	return files
}

// writeFiles writes an archive into a directory.
func writeFiles(t testing.TB, directory, archive string) string {
	t.Helper()
	for name, text := range unpack(archive) {
		name = filepath.Join(directory, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return directory
}

const plainChart = "-- Chart.yaml --\napiVersion: v2\nname: c\nversion: 1.2.3\nappVersion: \"4\"\n"

// chartOf makes a chart named c, version 1.2.3, of the archive's files.
func chartOf(t testing.TB, archive string) string {
	t.Helper()
	return writeFiles(t, filepath.Join(t.TempDir(), "c"), plainChart+archive)
}

// conversation is an engine in this process.
type conversation struct {
	t       testing.TB
	engine  *engine
	written *bytes.Buffer
}

func converse(t testing.TB) *conversation {
	written := &bytes.Buffer{}
	return &conversation{t, newEngine(written), written}
}

// ask sends a line and gives the answers to it; the last of them, and no other, is marked as such.
func (c *conversation) ask(line []byte) []Answer {
	c.t.Helper()
	c.written.Reset()
	c.engine.answer(line)
	c.engine.out.Flush()
	var answers []Answer
	decoder := json.NewDecoder(c.written)
	decoder.DisallowUnknownFields()
	for decoder.More() {
		var answer Answer
		if err := decoder.Decode(&answer); err != nil {
			c.t.Fatalf("an answer that is not one: %v", err)
		}
		answers = append(answers, answer)
	}
	for i, answer := range answers {
		if answer.Done != (i == len(answers)-1) {
			c.t.Fatalf("answer %d of %d has done=%v", i, len(answers), answer.Done)
		}
	}
	if len(answers) == 0 {
		c.t.Fatal("no answer")
	}
	return answers
}

func ask(t testing.TB, request Request) []Answer {
	t.Helper()
	request.ID = 7
	line, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	answers := converse(t).ask(line)
	for _, answer := range answers {
		if answer.ID != 7 {
			t.Fatalf("answer to request %d", answer.ID)
		}
	}
	return answers
}

// rendered is what a request for documents brought.
type rendered struct {
	Rendered
	bodies map[string]Body
}

func collect(t testing.TB, answers []Answer) []rendered {
	t.Helper()
	bodies := map[string]Body{}
	var all []rendered
	for _, answer := range answers {
		if answer.Error != nil {
			t.Fatalf("unexpected error: %+v", answer.Error)
		}
		if answer.Body != nil {
			if _, twice := bodies[answer.Body.Digest]; twice {
				t.Fatal("a body was sent twice")
			}
			bodies[answer.Body.Digest] = *answer.Body
		}
		if answer.Rendered != nil {
			for _, document := range answer.Rendered.Documents {
				if _, sent := bodies[document.Digest]; !sent {
					t.Fatal("a document was sent before its body")
				}
			}
			all = append(all, rendered{*answer.Rendered, bodies})
		}
	}
	return all
}

func renderAll(t testing.TB, directory string, contexts ...Context) []rendered {
	t.Helper()
	for i := range contexts {
		if contexts[i].Release == "" {
			contexts[i].Release = "r"
		}
		if contexts[i].Namespace == "" {
			contexts[i].Namespace = "ns"
		}
	}
	return collect(t, ask(t, Request{Render: &RenderRequest{Source: Source{Path: directory}, Contexts: contexts}}))
}

// render gives what must render.
func render(t testing.TB, directory string, context Context) rendered {
	t.Helper()
	result := renderAll(t, directory, context)[0]
	if result.Error != nil {
		t.Fatalf("unexpected error: %+v", result.Error)
	}
	return result
}

// renderText gives the text of the only document.
func renderText(t testing.TB, archive string, context Context) string {
	t.Helper()
	return render(t, chartOf(t, archive), context).text(0)
}

func (r rendered) text(i int) string { return r.bodies[r.Documents[i].Digest].Text }

func (r rendered) object(t testing.TB, i int) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(r.bodies[r.Documents[i].Digest].Object, &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// failure gives the error of a request or of its only context.
func failure(t testing.TB, request Request) *Error {
	t.Helper()
	answers := ask(t, request)
	for _, answer := range answers {
		if answer.Error != nil {
			return answer.Error
		}
		if answer.Rendered != nil && answer.Rendered.Error != nil {
			return answer.Rendered.Error
		}
	}
	t.Fatalf("no error, but %+v", answers)
	return nil
}

func renderFailure(t testing.TB, directory string, context Context) *Error {
	t.Helper()
	if context.Release == "" {
		context.Release = "r"
	}
	return failure(t, Request{Render: &RenderRequest{Source: Source{Path: directory}, Contexts: []Context{context}}})
}

func expect(t testing.TB, what string, got, want any) {
	t.Helper()
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if !bytes.Equal(g, w) {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

func expectContains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

// run is all that a request does with one context.
func (r *rendering) run() *Error {
	if err := r.executeTemplates(); err != nil {
		return err
	}
	return r.finish(newReader())
}
