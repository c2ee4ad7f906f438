package main

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// textPlace is a place in a text; line and column count from one, the column in characters.
type textPlace struct {
	offset, line, column int
}

// lineIndex finds lines of a text by offset and offsets by line.
type lineIndex struct {
	text   string
	starts []int // offset of each line
}

func indexLines(text string) lineIndex {
	starts := make([]int, 1, strings.Count(text, "\n")+1)
	for at, c := range []byte(text) {
		if c == '\n' {
			starts = append(starts, at+1)
		}
	}
	return lineIndex{text, starts}
}

// indexYAMLLines counts as YAML does, for which a lone carriage return and three characters of Unicode end
// lines as well. Editors, and so everyone else here, do not.
func indexYAMLLines(text string) lineIndex {
	starts := []int{0}
	for at, r := range text {
		switch r {
		case '\r':
			if at+1 < len(text) && text[at+1] == '\n' {
				continue
			}
		case '\n', '\u0085', '\u2028', '\u2029':
		default:
			continue
		}
		starts = append(starts, at+utf8.RuneLen(r))
	}
	return lineIndex{text, starts}
}

func (l lineIndex) place(offset int) textPlace {
	line := sort.SearchInts(l.starts, offset+1) // the first that starts behind
	start := l.starts[line-1]
	return textPlace{offset, line, utf8.RuneCountInString(l.text[start:offset]) + 1}
}

// offset is the reverse of place; false where the text has no such place.
func (l lineIndex) offset(line, column int) (int, bool) {
	if line < 1 || line > len(l.starts) {
		return 0, false
	}
	offset := l.starts[line-1]
	for ; column > 1; column-- {
		if offset >= len(l.text) || l.text[offset] == '\n' {
			return 0, false
		}
		_, size := utf8.DecodeRuneInString(l.text[offset:])
		offset += size
	}
	return offset, offset < len(l.text)
}

// visible is where a line's first visible character stands.
func (l lineIndex) visible(line int) (int, bool) {
	if line < 1 || line > len(l.starts) {
		return 0, false
	}
	rest, _, _ := strings.Cut(l.text[l.starts[line-1]:], "\n")
	visible := strings.TrimLeft(rest, " \t\r")
	return l.starts[line-1] + len(rest) - len(visible), visible != ""
}
