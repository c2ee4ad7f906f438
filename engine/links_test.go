package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestLinks(t *testing.T) {
	for _, test := range []struct {
		name, link, target, ignore string
		follow                     bool
		refused                    string // part of the message; empty: loads
	}{
		{name: "file inside", link: "templates/b.yaml", target: "a.yaml"},
		{name: "directory inside", link: "more", target: "templates"},
		{name: "absolute outside", link: "templates/b.yaml", target: "/etc/hostname", refused: "to /etc/hostname, points out of the chart"},
		{name: "relative outside", link: "templates/b.yaml", target: "../../outside/x.yaml", refused: "to ../../outside/x.yaml, points out of the chart"},
		{name: "directory outside", link: "files", target: "../outside", refused: "to ../outside, points out of the chart"},
		{name: "outside, wanted", link: "templates/b.yaml", target: "../../outside/x.yaml", follow: true},
		{name: "outside, ignored", link: "files", target: "../outside", ignore: "files\n"},
		{name: "to the chart", link: "self", target: ".", refused: "makes a loop"},
		{name: "to the chart, wanted", link: "self", target: ".", follow: true, refused: "makes a loop"},
		{name: "to the chart, ignored", link: "self", target: ".", ignore: "self/\n"},
		{name: "to its own directory", link: "templates/again", target: "../templates", refused: "makes a loop"},
		{name: "above the chart, wanted", link: "up", target: "..", follow: true, refused: "makes a loop"},
		{name: "to itself", link: "x", target: "x", refused: "makes a loop"},
		{name: "to nothing", link: "x", target: "nowhere", refused: "to nowhere, points to nothing"},
		{name: "to nothing, wanted", link: "x", target: "nowhere", follow: true, refused: "points to nothing"},
		{name: "to a device, wanted", link: "x", target: "/dev/zero", follow: true, refused: "irregular file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			directory := chartOf(t, "-- templates/a.yaml --\na: 1\n-- ../outside/x.yaml --\nx: 1\n-- .helmignore --\n"+test.ignore)
			if err := os.Symlink(test.target, filepath.Join(directory, test.link)); err != nil {
				t.Fatal(err)
			}
			answer := ask(t, Request{Load: &LoadRequest{Source: Source{Path: directory, FollowSymlinks: test.follow}}})[0]
			if test.refused == "" {
				if answer.Error != nil {
					t.Fatalf("refused: %+v", answer.Error)
				}
				return
			}
			if answer.Error == nil {
				t.Fatal("not refused")
			}
			expectContains(t, answer.Error.Message, test.refused, test.link)
			if test.refused != "irregular file" {
				expect(t, "kind and file", []any{answer.Error.Kind, answer.Error.File}, []any{ErrSymlink, test.link})
			}
		})
	}
}

func TestTheChartItselfMayBeALink(t *testing.T) {
	directory := chartOf(t, "-- templates/a.yaml --\na: 1\n")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(directory, link); err != nil {
		t.Fatal(err)
	}
	expect(t, "documents", len(render(t, link, Context{}).Documents), 1)
}

func TestLinksThatGoRoundTogether(t *testing.T) {
	directory := chartOf(t, "-- a/x --\nx\n-- b/x --\nx\n")
	os.Symlink("../b", filepath.Join(directory, "a", "to-b"))
	os.Symlink("../a", filepath.Join(directory, "b", "to-a"))
	err := loadFailure(t, directory)
	expect(t, "kind", err.Kind, ErrSymlink)
	expectContains(t, err.Message, "makes a loop")
}

func TestLinksThatMultiply(t *testing.T) {
	directory := chartOf(t, "")
	for level := range 12 {
		here := filepath.Join(directory, fmt.Sprintf("d%d", level))
		os.Mkdir(here, 0o755)
		for i := range 10 {
			os.Symlink(fmt.Sprintf("../d%d", level+1), filepath.Join(here, fmt.Sprint(i)))
		}
	}
	os.Mkdir(filepath.Join(directory, "d12"), 0o755)
	err := loadFailure(t, directory)
	expect(t, "kind", err.Kind, ErrChart)
	expectContains(t, err.Message, "more than 50000 files")
}
