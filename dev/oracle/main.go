// The Go libraries that the API server and its clients use, asked by line: a JSON object with the member
// "op" in, its answer out. The model in Python is held to these answers, case by case.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
)

// An operation reads its question from the whole line. An error it returns is the libraries' refusal, in
// their words.
type operation func(line []byte) (any, error)

// Each file adds its own in init().
var operations = map[string]operation{}

// reply holds one of the two.
type reply struct {
	Answer any     `json:"answer"`
	Error  *string `json:"error,omitempty"`
}

func answer(line []byte) (result reply) {
	defer func() {
		if panicked := recover(); panicked != nil {
			words := fmt.Sprintf("panic: %v\n%s", panicked, debug.Stack())
			result = reply{Error: &words}
		}
	}()
	var question struct {
		Op string `json:"op"`
	}
	err := json.Unmarshal(line, &question)
	if err == nil {
		if run, known := operations[question.Op]; known {
			var found any
			if found, err = run(line); err == nil {
				return reply{Answer: found}
			}
		} else {
			err = fmt.Errorf("no operation %q", question.Op)
		}
	}
	words := err.Error()
	return reply{Error: &words}
}

func main() {
	// Read ahead of the answers, so that neither side waits for the other with a full pipe.
	lines := make(chan []byte, 1024)
	go func() {
		in := bufio.NewReaderSize(os.Stdin, 1<<20)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				close(lines)
				return
			}
			lines <- line
		}
	}()
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for line := range lines {
		if err := encoder.Encode(answer(line)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if len(lines) == 0 {
			if err := out.Flush(); err != nil {
				os.Exit(1)
			}
		}
	}
}
