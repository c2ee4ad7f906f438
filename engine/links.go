package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/ignore"
)

// maxEntries stops links that multiply: ten directories that each hold ten links to the next one.
const maxEntries = 100_000

// linkChecker walks a chart's directory as Helm's loader will, before it does: Helm follows every link
// and goes round in loops.
type linkChecker struct {
	source  Source
	root    string // as given
	real    string // without links
	rules   *ignore.Rules
	entries int
}

// checkLinks refuses links out of the chart (unless they are wanted), loops, and links to nothing.
func checkLinks(source Source) *Error {
	rules, err := ignoreRules(source.Path)
	if err != nil {
		return err
	}
	w := &linkChecker{source: source, root: source.Path, real: absolute(source.Path), rules: rules}
	return w.walk(source.Path, []string{w.real})
}

func ignoreRules(directory string) (*ignore.Rules, *Error) {
	rules := ignore.Empty()
	name := filepath.Join(directory, ignore.HelmIgnore)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return nil, failf(ErrChart, "%s is not a file", name)
		}
		if rules, err = ignore.ParseFile(name); err != nil {
			return nil, failf(ErrChart, "cannot read %s: %v", name, err)
		}
	}
	rules.AddDefaults()
	return rules, nil
}

// walk visits one directory; inside holds the real paths of those it is in.
func (w *linkChecker) walk(directory string, inside []string) *Error {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return failf(ErrChart, "cannot read the chart: %v", err)
	}
	for _, entry := range entries {
		if w.entries++; w.entries > maxEntries {
			return failf(ErrChart, "the chart at %s holds more than %d files", w.root, maxEntries)
		}
		name := filepath.Join(directory, entry.Name())
		if err := w.visit(name, entry, inside); err != nil {
			return err
		}
	}
	return nil
}

func (w *linkChecker) visit(name string, entry fs.DirEntry, inside []string) *Error {
	info, err := entry.Info()
	if err != nil {
		return failf(ErrChart, "cannot read the chart: %v", err)
	}
	link := info.Mode()&fs.ModeSymlink != 0
	if link {
		target, _ := os.Readlink(name)
		if info, err = os.Stat(name); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return w.refuse(name, "the symbolic link %s points to %s, which does not exist", w.relative(name), target)
			}
			return w.refuse(name, "the symbolic link %s to %s cannot be followed: %v", w.relative(name), target, err)
		}
	}
	if w.rules.Ignore(w.relative(name), info) {
		return nil
	}
	real := absolute(name)
	if link && !within(real, w.real) && !w.source.FollowSymlinks {
		target, _ := os.Readlink(name)
		return w.refuse(name, "the symbolic link %s points out of the chart, to %s", w.relative(name), target)
	}
	if !info.IsDir() {
		return nil
	}
	if link && slices.Contains(inside, real) {
		target, _ := os.Readlink(name)
		return w.refuse(name, "the symbolic link %s to %s makes a loop", w.relative(name), target)
	}
	return w.walk(name, append(inside[:len(inside):len(inside)], real))
}

func (w *linkChecker) refuse(name, format string, args ...any) *Error {
	failure := failf(ErrSymlink, format, args...)
	failure.File = w.relative(name)
	return failure
}

func (w *linkChecker) relative(name string) string {
	relative, err := filepath.Rel(w.root, name)
	if err != nil {
		return filepath.ToSlash(name)
	}
	return filepath.ToSlash(relative)
}

func within(name, directory string) bool {
	return name == directory || strings.HasPrefix(name, strings.TrimSuffix(directory, string(filepath.Separator))+string(filepath.Separator))
}
