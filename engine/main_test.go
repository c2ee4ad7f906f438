package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestTheFirstLineSaysWhoSpeaks(t *testing.T) {
	lines := make(chan []byte)
	close(lines)
	var out bytes.Buffer
	serve(lines, &out)
	var hello Hello
	if err := json.Unmarshal(out.Bytes(), &hello); err != nil {
		t.Fatal(err)
	}
	expect(t, "protocol", hello.Protocol, protocolVersion)
}

func TestLinesThatAreNoRequests(t *testing.T) {
	for _, test := range []struct {
		line string
		id   int
	}{
		{"", 0},
		{"not json", 0},
		{`{"id": "x"}`, 0},
		{`[1]`, 0},
		{`{"id": 3}`, 3},
		{`{"id": 3, "sing": {}}`, 3},
	} {
		answers := converse(t).ask([]byte(test.line))
		expect(t, test.line, []any{answers[0].ID, answers[0].Error.Kind}, []any{test.id, ErrRequest})
	}
}

func TestAPanicIsAnAnswer(t *testing.T) {
	c := converse(t)
	c.engine.charts = nil // no cache to write to
	line, _ := json.Marshal(Request{ID: 5, Load: &LoadRequest{Source: Source{Path: chartOf(t, "")}}})
	answers := c.ask(line)
	expect(t, "answer", []any{len(answers), answers[0].ID, answers[0].Error.Kind}, []any{1, 5, ErrRequest})
}

func TestALineMayBeOfAnyLength(t *testing.T) {
	text := "a: " + strings.Repeat("x", 10<<20)
	all := collect(t, ask(t, Request{Parse: &ParseRequest{Name: "n", Text: text}}))
	expect(t, "length", len(all[0].text(0)), len(text))
}
