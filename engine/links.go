package main

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/ignore"
)

// maxEntries stops links that multiply: ten directories that each hold ten links to the next one.
const maxEntries = 50_000

// linkChecker walks a chart's directory as Helm's loader will, before it does: Helm follows every link
// and goes round in loops.
type linkChecker struct {
	source  Source
	real    string // the chart's path, without links
	rules   *ignore.Rules
	entries int
}

// checkLinks refuses links out of the chart (unless they are wanted), loops, and links to nothing.
func checkLinks(source Source) *Error {
	rules, err := ignoreRules(source.Path)
	if err != nil {
		return err
	}
	w := &linkChecker{source: source, real: absolute(source.Path), rules: rules}
	return w.walk("", []string{w.real})
}

func ignoreRules(directory string) (*ignore.Rules, *Error) {
	rules := ignore.Empty()
	name := filepath.Join(directory, ignore.HelmIgnore)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return nil, ignoreError(failf(ErrChart, "%s is not a file", name))
		}
		if rules, err = ignore.ParseFile(name); err != nil {
			return nil, ignoreError(failf(ErrChart, "cannot read %s: %v", name, err))
		}
	}
	rules.AddDefaults()
	return rules, nil
}

func ignoreError(failure *Error) *Error {
	failure.File = ignore.HelmIgnore
	return failure
}

// walk visits one directory, named as in the chart; inside holds its real path, last, and those of the
// directories around it.
func (w *linkChecker) walk(directory string, inside []string) *Error {
	here := inside[len(inside)-1]
	entries, err := os.ReadDir(here)
	if err != nil {
		return failf(ErrChart, "cannot read the chart: %v", err)
	}
	for _, entry := range entries {
		if w.entries++; w.entries > maxEntries {
			return failf(ErrChart, "the chart at %s holds more than %d files", w.source.Path, maxEntries)
		}
		name, real := path.Join(directory, entry.Name()), filepath.Join(here, entry.Name())
		link := entry.Type()&fs.ModeSymlink != 0
		if link {
			if real, err = filepath.EvalSymlinks(real); err != nil {
				return refuseLink(name, filepath.Join(here, entry.Name()), err)
			}
		}
		info, err := os.Lstat(real)
		if err != nil {
			return failf(ErrChart, "cannot read the chart: %v", err)
		}
		if w.rules.Ignore(name, info) {
			continue
		}
		if link {
			if err := w.checkTarget(name, filepath.Join(here, entry.Name()), real, info, inside); err != nil {
				return err
			}
		}
		if info.IsDir() {
			if err := w.walk(name, append(inside[:len(inside):len(inside)], real)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *linkChecker) checkTarget(name, link, real string, info fs.FileInfo, inside []string) *Error {
	if !within(real, w.real) && !w.source.FollowSymlinks {
		return refuseLink(name, link, errors.New("points out of the chart"))
	}
	if info.IsDir() && slices.ContainsFunc(inside, func(directory string) bool { return within(directory, real) }) {
		return refuseLink(name, link, errors.New("makes a loop"))
	}
	return nil
}

func refuseLink(name, link string, why error) *Error {
	target, _ := os.Readlink(link)
	said := why.Error()
	switch {
	case errors.Is(why, fs.ErrNotExist):
		said = "points to nothing"
	case strings.Contains(said, "too many links"):
		said = "makes a loop"
	}
	failure := failf(ErrSymlink, "the symbolic link %s, to %s, %s", name, target, said)
	failure.File = name
	return failure
}

func within(name, directory string) bool {
	separator := string(filepath.Separator)
	return name == directory || strings.HasPrefix(name, strings.TrimSuffix(directory, separator)+separator)
}
