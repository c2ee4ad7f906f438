package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is an engine of its own, with limits.
type process struct {
	t        testing.TB
	command  *exec.Cmd
	stdin    io.WriteCloser
	answers  *bufio.Reader
	stderr   bytes.Buffer
	finished chan error
}

func start(t testing.TB, arguments ...string) *process {
	t.Helper()
	p := &process{t: t, command: exec.Command(os.Args[0], arguments...), finished: make(chan error, 1)}
	p.command.Env = append(os.Environ(), "RUN_THE_ENGINE=1")
	p.command.Stderr = &p.stderr
	p.stdin, _ = p.command.StdinPipe()
	stdout, _ := p.command.StdoutPipe()
	p.answers = bufio.NewReader(stdout)
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.command.Process.Kill() })
	if line, err := p.answers.ReadString('\n'); err != nil || !strings.Contains(line, fmt.Sprintf(`"protocol":%d`, protocolVersion)) {
		t.Fatalf("no greeting but %q, %v, %s", line, err, p.stderr.String())
	}
	return p
}

func (p *process) send(directory string) {
	p.t.Helper()
	line, _ := json.Marshal(Request{ID: 1, Render: &RenderRequest{Source: Source{Path: directory}, Contexts: []Context{{Release: "r", Lines: true}}}})
	if _, err := p.stdin.Write(append(line, '\n')); err != nil {
		p.t.Fatal(err)
	}
}

// read gives the answers, or what the engine said when it died.
func (p *process) read() ([]Answer, string) {
	var answers []Answer
	for {
		line, err := p.answers.ReadBytes('\n')
		if err != nil {
			p.command.Wait()
			return nil, p.stderr.String()
		}
		var answer Answer
		if err := json.Unmarshal(line, &answer); err != nil {
			p.t.Fatal(err)
		}
		if answers = append(answers, answer); answer.Done {
			return answers, ""
		}
	}
}

// What Go says when the kernel gives it no more memory; or no thread for want of it; or when its collector falls over a
// queue for which there was none. A stack that grows without end may meet that limit before its own.
var (
	outOfMemory = []string{"out of memory", "cannot allocate memory", "Resource temporarily unavailable", "newosproc", "runtime.(*spanQueue).tryDrain"}
	outOfStack  = append(slices.Clone(outOfMemory), "stack exceeds", "stack overflow")
)

func TestHostileCharts(t *testing.T) {
	for _, test := range []struct {
		name, archive string
		dies          []string // any of these words, on stderr
		kind          ErrorKind
	}{
		{name: "a list too long", archive: "-- templates/a.yaml --\n{{ until 2000000000 }}\n", dies: outOfMemory},
		{name: "a text too long", archive: "-- templates/a.yaml --\n{{ repeat 2000000000 \"x\" }}\n", dies: outOfMemory},
		{name: "output without end", archive: "-- templates/a.yaml --\n{{ range until 9000000 }}" + strings.Repeat("x", 200) + "{{ end }}\n", dies: outOfMemory},
		{name: "much output", archive: "-- templates/a.yaml --\n{{ range until 400000 }}a: " + strings.Repeat("x", 97) + "{{ end }}\n", kind: ErrLimit},
		{name: "tpl without end", archive: "-- templates/a.yaml --\n{{ tpl .Values.x . }}\n-- values.yaml --\nx: '{{ tpl .Values.x . }}'\n", dies: outOfStack},
		{name: "template without end", archive: "-- templates/a.yaml --\n{{ define \"r\" }}{{ template \"r\" . }}{{ end }}{{ template \"r\" . }}\n", kind: ErrTemplate},
		{name: "include without end", archive: "-- templates/a.yaml --\n{{ define \"r\" }}{{ include \"r\" . }}{{ end }}{{ include \"r\" . }}\n", kind: ErrTemplate},
		{name: "deep nesting", archive: "-- templates/a.yaml --\n" + strings.Repeat("{{ if 1 }}", 100000) + strings.Repeat("{{ end }}", 100000) + "\n", dies: outOfStack},
		{name: "deep expressions", archive: "-- templates/a.yaml --\n{{ " + strings.Repeat("(", 100000) + "1" + strings.Repeat(")", 100000) + " }}\n", kind: ErrTemplate},
		{name: "deep YAML", archive: "-- templates/a.yaml --\na: {{ repeat 100000 \"[\" }}\n", kind: ErrYAML},
		{name: "a billion laughs", archive: "-- templates/a.yaml --\n" + laughs(), kind: ErrYAML},
		{name: "bytes that are no text", archive: "-- templates/a.yaml --\n\x00\x01\xff{{\n", kind: ErrTemplate},
		{name: "more of them", archive: "-- templates/a.yaml --\n\x00\x01\xff\n", kind: ErrYAML},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, "-memory", "400000000")
			p.send(chartOf(t, test.archive))
			answers, lastWords := p.read()
			if test.dies != nil {
				for _, words := range test.dies {
					if strings.Contains(lastWords, words) {
						return
					}
				}
				t.Fatalf("answered %d lines, said %.1000q", len(answers), lastWords)
			}
			if answers == nil {
				t.Fatalf("died: %.300q", lastWords)
			}
			err := answers[0].Error
			if answers[0].Rendered != nil {
				err = answers[0].Rendered.Error
			}
			if err == nil || err.Kind != test.kind {
				t.Errorf("got %+v, want kind %s", err, test.kind)
			}
		})
	}
}

func laughs() string {
	text := "a0: &a0 [x]\n"
	for i := range 12 {
		text += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 9), ","))
	}
	return text
}

const endless = "-- templates/a.yaml --\n{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}\n"

func TestTheEngineEndsWithItsCaller(t *testing.T) {
	for name, end := range map[string]func(*process){
		"end of input": func(p *process) { p.stdin.Close() },
		"SIGTERM":      func(p *process) { p.command.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t)
			p.send(chartOf(t, endless))
			time.Sleep(200 * time.Millisecond)
			end(p)
			expectEnd(t, p)
		})
	}
}

func expectEnd(t *testing.T, p *process) {
	t.Helper()
	go func() { p.finished <- p.command.Wait() }()
	select {
	case <-p.finished:
	case <-time.After(10 * time.Second):
		t.Error("still running")
	}
}

func TestProcessorTimeEnds(t *testing.T) {
	t.Parallel()
	p := start(t, "-cpu", "1")
	p.send(chartOf(t, endless))
	if _, lastWords := p.read(); !strings.Contains(lastWords, "engine: cpu limit") {
		t.Errorf("said %.300q", lastWords)
	}
}

func TestTenThousandFiles(t *testing.T) {
	directory := chartOf(t, "-- templates/a.yaml --\na: {{ range $name, $_ := .Files.Glob \"files/*\" }}x{{ end }}\n")
	os.Mkdir(filepath.Join(directory, "files"), 0o755)
	for i := range 10_000 {
		os.WriteFile(filepath.Join(directory, "files", fmt.Sprint(i)), []byte("x"), 0o644)
	}
	expect(t, "length", len(render(t, directory, Context{}).text(0)), len("a: \n")+10_000)
}
