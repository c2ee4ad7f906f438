package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
)

// Instrumented templates print what the originals print, with marks in between that say where each piece
// of text came from. A mark is a private character that no chart uses, the number of a position, and a
// second one. Rendering with them is a second render: its result counts only where it is, without marks,
// the true one byte for byte.
const (
	markOpen  = "\U0010FFF0" // number, markEnd: from here on printed by an action
	markText  = "\U0010FFF1" // number, markEnd: from here on text of a template
	markEnd   = "\U0010FFF2"
	markClose = "\U0010FFF3"   // end of what the action printed
	markLead  = "\xf4\x8f\xbf" // the bytes all of them begin with
)

// instruments are a chart's instrumented texts, made once, and the positions their marks refer to.
type instruments struct {
	positions []Position
	texts     map[instrumentKey]string
}

type instrumentKey struct {
	name, text string
}

const maxPositions = 1 << 20

// forget keeps charts that are edited again and again from filling the memory.
func (in *instruments) forget() {
	if len(in.positions) > maxPositions {
		in.positions, in.texts = nil, map[instrumentKey]string{}
	}
}

// instrument makes a template tell where its text comes from.
func (in *instruments) instrument(name, text string) string {
	key := instrumentKey{name, text}
	instrumented, ok := in.texts[key]
	if !ok {
		if instrumented, ok = in.rewrite(name, text); !ok {
			instrumented = text
		}
		in.texts[key] = instrumented
	}
	return instrumented
}

// safeEnd keeps a brace at the end of a text from becoming part of the action behind it.
func safeEnd(text string) string {
	if strings.HasSuffix(text, "{") {
		return text[:len(text)-1] + `{{"{"}}`
	}
	return text
}

func parseTemplate(name, text string) (map[string]*parse.Tree, error) {
	trees := map[string]*parse.Tree{}
	tree := parse.New(name)
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(text, "", "", trees); err != nil {
		return nil, err
	}
	return trees, nil
}

// rewrite prints a template back from its parse tree, with marks.
func (in *instruments) rewrite(name, text string) (string, bool) {
	trees, err := parseTemplate(name, text)
	if err != nil {
		return "", false
	}
	p := &printer{in: in, file: name, source: text, lines: indexLines(text), ok: true}
	p.defines(trees, name)
	p.list(trees[name].Root)
	rewritten := p.out.String()
	_, err = parseTemplate(name, rewritten) // one bad text would spoil the render of all
	return rewritten, p.ok && err == nil
}

// printer writes parse trees as template text.
type printer struct {
	in     *instruments // nil: without marks
	out    strings.Builder
	file   string
	source string
	lines  lineIndex
	ok     bool // false: met something it does not understand
}

// defines writes all trees but the named one.
func (p *printer) defines(trees map[string]*parse.Tree, except string) {
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		if name != except {
			p.out.WriteString("{{define " + strconv.Quote(name) + "}}")
			p.list(trees[name].Root)
			p.out.WriteString("{{end}}")
		}
	}
}

func (p *printer) list(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *parse.TextNode:
			p.text(node)
		case *parse.ActionNode:
			shown := len(node.Pipe.Decl) == 0
			unmark(node.Pipe, shown)
			p.action(int(node.Pos), node.Pipe.String(), shown)
		case *parse.TemplateNode:
			text := "template " + strconv.Quote(node.Name)
			if node.Pipe != nil {
				unmark(node.Pipe, false)
				text += " " + node.Pipe.String()
			}
			p.action(int(node.Pos), text, true)
		case *parse.IfNode:
			p.branch("if", &node.BranchNode)
		case *parse.RangeNode:
			p.branch("range", &node.BranchNode)
		case *parse.WithNode:
			p.branch("with", &node.BranchNode)
		case *parse.BreakNode:
			p.out.WriteString("{{break}}")
		case *parse.ContinueNode:
			p.out.WriteString("{{continue}}")
		case *parse.CommentNode:
		default:
			p.ok = false
		}
	}
}

func (p *printer) branch(word string, node *parse.BranchNode) {
	unmark(node.Pipe, false)
	p.out.WriteString("{{" + word + " " + node.Pipe.String() + " }}")
	p.list(node.List)
	if node.ElseList != nil {
		p.out.WriteString("{{else}}")
		p.list(node.ElseList)
	}
	p.out.WriteString("{{end}}")
}

func (p *printer) action(pos int, text string, shown bool) {
	at := strings.LastIndex(p.source[:pos], "{{")
	if at < 0 {
		p.ok = false
		return
	}
	if p.in != nil && shown {
		p.out.WriteString(markOpen + p.number(at) + markEnd + "{{ " + text + " }}" + markClose)
	} else {
		p.out.WriteString("{{ " + text + " }}")
	}
}

// text writes a mark before the first visible character of every line.
func (p *printer) text(node *parse.TextNode) {
	text, pos := string(node.Text), int(node.Pos)
	if pos+len(text) > len(p.source) || p.source[pos:pos+len(text)] != text {
		p.ok = false
		return
	}
	for line := range strings.SplitAfterSeq(text, "\n") {
		visible := strings.TrimLeft(line, " \t\r\n")
		if p.in != nil && visible != "" {
			blank := len(line) - len(visible)
			p.out.WriteString(line[:blank] + markText + p.number(pos+blank) + markEnd)
			p.out.WriteString(safeEnd(visible))
		} else {
			p.out.WriteString(safeEnd(line))
		}
		pos += len(line)
	}
}

// number enters a position and gives its number.
func (p *printer) number(offset int) string {
	at := p.lines.place(offset)
	p.in.positions = append(p.in.positions, Position{File: p.file, Line: at.line, Column: at.column})
	return strconv.Itoa(len(p.in.positions) - 1)
}

// unmark sees to it that marks, which come from include and tpl alone, reach nothing but output: whatever
// computes or decides gets plain text. shown tells that the pipe's own result is output.
func unmark(pipe *parse.PipeNode, shown bool) {
	var commands []*parse.CommandNode
	for i, command := range pipe.Cmds {
		for _, argument := range command.Args {
			unmarkArgument(argument)
		}
		commands = append(commands, command)
		function := called(command)
		if function != "include" && function != "tpl" {
			continue
		}
		if function == "tpl" && len(command.Args) > 1 {
			command.Args[1] = &parse.PipeNode{NodeType: parse.NodePipe, Cmds: []*parse.CommandNode{newCommand("wbtext", command.Args[1])}}
		}
		if !shown || !keepMarks(pipe.Cmds[i+1:]) {
			commands = append(commands, newCommand("wbplain"))
		}
	}
	pipe.Cmds = commands
}

func unmarkArgument(node parse.Node) {
	switch node := node.(type) {
	case *parse.PipeNode:
		unmark(node, false)
	case *parse.ChainNode:
		unmarkArgument(node.Node)
	}
}

func newCommand(function string, arguments ...parse.Node) *parse.CommandNode {
	return &parse.CommandNode{NodeType: parse.NodeCommand, Args: append([]parse.Node{parse.NewIdentifier(function)}, arguments...)}
}

func called(command *parse.CommandNode) string {
	if identifier, ok := command.Args[0].(*parse.IdentifierNode); ok {
		return identifier.Ident
	}
	return ""
}

// keepMarks tells whether commands do to marked text what they do to plain text, and makes it so for trim.
func keepMarks(commands []*parse.CommandNode) bool {
	for _, command := range commands {
		switch called(command) {
		case "indent", "nindent", "trim":
		default:
			return false
		}
	}
	for _, command := range commands {
		if called(command) == "trim" {
			command.Args[0] = parse.NewIdentifier("wbtrim")
		}
	}
	return true
}

// markFunctions are what instrumented templates call.
func markFunctions() template.FuncMap {
	return template.FuncMap{
		"wbplain": func(value any) any {
			if text, ok := value.(string); ok {
				return withoutMarks(text)
			}
			return value
		},
		"wbtext": func(value any) any {
			if text, ok := value.(string); ok {
				return unmarkText(text)
			}
			return value
		},
		"wbtrim": trimMarked,
	}
}

// unmarkText does for a text given to tpl what rewrite does for a file, without marks of its own.
func unmarkText(text string) string {
	if !strings.Contains(text, "{{") {
		return text
	}
	const name = "\x00tpl"
	trees, err := parseTemplate(name, text)
	if err != nil {
		return text
	}
	p := &printer{source: text, ok: true}
	p.defines(trees, name)
	p.list(trees[name].Root)
	if !p.ok {
		return text
	}
	return p.out.String()
}
