// The engine puts Helm's own library behind a pipe: it loads charts, renders them, and lets Helm's code
// say what each document is. It writes no file and opens no connection.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"time"
)

// sourceDigest is set by the build; see protocol.go, Hello.Source.
var sourceDigest string

func main() {
	memory := flag.Int64("memory", 0, "bytes the engine may use; 0: no limit")
	cpu := flag.Uint64("cpu", 0, "seconds of processor time the engine may use; 0: no limit")
	flag.Parse()
	if err := limitSelf(*memory, *cpu); err != nil {
		fmt.Fprintln(os.Stderr, "engine:", err)
		os.Exit(2)
	}

	// Helm logs through these; stderr is for last words alone.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetOutput(io.Discard)
	// A chart that prints a date must render alike on every machine.
	time.Local = time.UTC

	lines := make(chan []byte)
	go readLines(os.Stdin, lines)
	serve(lines, os.Stdout)
}

// readLines has a goroutine of its own, so that the engine dies with its parent even while a template spins.
func readLines(from io.Reader, lines chan<- []byte) {
	reader := bufio.NewReaderSize(from, 1<<16)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		lines <- line
	}
}

// engine is what one process keeps between requests.
type engine struct {
	out    *bufio.Writer
	encode *json.Encoder
	charts map[Source]*loadedChart
	recent []*loadedChart // the last ones that were asked for
}

func newEngine(to io.Writer) *engine {
	out := bufio.NewWriterSize(to, 1<<16)
	e := &engine{out: out, encode: json.NewEncoder(out), charts: map[Source]*loadedChart{}}
	e.encode.SetEscapeHTML(false)
	return e
}

func serve(lines <-chan []byte, to io.Writer) {
	e := newEngine(to)
	e.write(Hello{Protocol: protocolVersion, Helm: strings.TrimPrefix(helmVersion(), "v"), Source: sourceDigest})
	e.out.Flush()
	for line := range lines {
		e.answer(line)
		e.out.Flush()
	}
}

func (e *engine) write(line any) {
	if err := e.encode.Encode(line); err != nil {
		panic(err)
	}
}

// answer handles one request. The last line it writes has Done set, whatever happens.
func (e *engine) answer(line []byte) {
	var request Request
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber() // objects for `lookup` keep their integers
	if err := decoder.Decode(&request); err != nil {
		e.write(Answer{Error: failf(ErrRequest, "not a request: %v", err), Done: true})
		return
	}
	defer func() {
		if r := recover(); r != nil {
			e.write(Answer{ID: request.ID, Error: failf(ErrRequest, "the engine failed on this request: %v\n%s", r, debug.Stack()), Done: true})
		}
	}()
	if err := e.dispatch(&request); err != nil {
		e.write(Answer{ID: request.ID, Error: err, Done: true})
		return
	}
	e.write(Answer{ID: request.ID, Done: true})
}

func (e *engine) dispatch(request *Request) *Error {
	switch {
	case request.Load != nil:
		return e.load(request.ID, request.Load)
	case request.Render != nil:
		return e.render(request.ID, request.Render)
	case request.Parse != nil:
		return e.parse(request.ID, request.Parse)
	case request.Locate != nil:
		return e.locate(request.ID, request.Locate)
	}
	return failf(ErrRequest, "request %d asks for nothing this engine knows", request.ID)
}

// helmVersion is the version of Helm's library as this program was built with it: "v4.3.1".
func helmVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if dependency.Path == "helm.sh/helm/v4" {
				return dependency.Version
			}
		}
	}
	return "unknown"
}
