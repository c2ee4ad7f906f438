package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
)

// completeDependencies does in memory what `helm dependency build` does on disk for "file://" repositories,
// and says which others are missing. As in Helm, a condition that turns a dependency off does not excuse it.
func completeDependencies(c *chart.Chart, source Source) *Error {
	r := &resolver{follow: source.FollowSymlinks, inside: []string{absolute(source.Path)}, names: []string{c.Name()}}
	return r.complete(c, source.Path)
}

// resolver holds the way from the chart that was asked for to the one at hand.
type resolver struct {
	follow bool
	inside []string // directories
	names  []string // charts
}

func (r *resolver) complete(c *chart.Chart, directory string) *Error {
	present := map[string]bool{}
	for _, dependency := range c.Dependencies() {
		present[dependency.Name()] = true
	}
	var missing, nowhere []string
	firstMissing := -1
	loaded := map[string]bool{}
	for i, wanted := range c.Metadata.Dependencies {
		if present[wanted.Name] {
			continue
		}
		local, ok := localDirectory(directory, wanted.Repository)
		if !ok || !isDirectory(local) {
			missing = append(missing, wanted.Name)
			if ok {
				nowhere = append(nowhere, fmt.Sprintf("\n%s: no such file or directory", wanted.Repository))
			}
			if firstMissing < 0 {
				firstMissing = i
			}
			continue
		}
		if loaded[wanted.Name+"\x00"+local] {
			continue // the same chart under another alias
		}
		loaded[wanted.Name+"\x00"+local] = true
		dependency, err := r.loadLocal(wanted, local)
		if err != nil {
			if err.File == "" {
				r.place(err, c, directory, i)
			}
			return err
		}
		c.AddDependency(dependency)
	}
	if len(missing) > 0 {
		missing = slices.Compact(missing)
		failure := failf(ErrDependency, "found in Chart.yaml, but missing in charts/ directory: %s; run: helm dependency build %s",
			strings.Join(missing, ", "), shellQuote(directory))
		failure.Message += strings.Join(nowhere, "")
		failure.Missing = missing
		r.place(failure, c, directory, firstMissing)
		return failure
	}
	return nil
}

// localDirectory is where a "file://" repository is, as Helm's resolver finds it; an archive has no directory around it.
func localDirectory(directory, repository string) (string, bool) {
	at, ok := strings.CutPrefix(repository, "file://")
	if !ok || !isDirectory(directory) {
		return "", false
	}
	if !strings.HasPrefix(at, "/") {
		at = filepath.Join(directory, at)
	}
	return filepath.Clean(at), true
}

func (r *resolver) loadLocal(wanted *chart.Dependency, local string) (*chart.Chart, *Error) {
	if slices.Contains(r.inside, absolute(local)) {
		failure := failf(ErrDependency, "the chart depends on itself: %s", strings.Join(append(slices.Clone(r.names), wanted.Name), " -> "))
		failure.Missing = []string{wanted.Name}
		return nil, failure
	}
	dependency, err := readChart(Source{Path: local, FollowSymlinks: r.follow})
	if err != nil {
		if err.Kind == ErrChart {
			err.Kind = ErrDependency
			err.Message = fmt.Sprintf("dependency %s (repository %s): %s", wanted.Name, wanted.Repository, err.Message)
			err.Missing = []string{wanted.Name}
		}
		return nil, err
	}
	var complaint string
	switch {
	case dependency.Name() != wanted.Name:
		complaint = fmt.Sprintf("the chart there is named %s", dependency.Name())
	case !chartutil.IsCompatibleRange(wanted.Version, dependency.Metadata.Version):
		complaint = fmt.Sprintf("version %q is wanted, the chart there has version %s", wanted.Version, dependency.Metadata.Version)
	}
	if complaint != "" {
		failure := failf(ErrDependency, "dependency %s (repository %s): %s", wanted.Name, wanted.Repository, complaint)
		failure.Missing = []string{wanted.Name}
		return nil, failure
	}
	deeper := &resolver{follow: r.follow, inside: append(slices.Clone(r.inside), absolute(local)), names: append(slices.Clone(r.names), wanted.Name)}
	if err := deeper.complete(dependency, local); err != nil {
		return nil, err
	}
	return dependency, nil
}

// place points the failure at the entry in the file that declares it.
func (r *resolver) place(failure *Error, c *chart.Chart, directory string, index int) {
	failure.File = "Chart.yaml"
	for _, name := range []string{"Chart.yaml", "requirements.yaml"} {
		for _, file := range c.Raw {
			if file.Name != name {
				continue
			}
			if at, ok := findField(string(file.Data), []any{"dependencies", index, "name"}); ok {
				failure.File, failure.Line = name, at.line
			}
		}
	}
	if len(r.inside) > 1 {
		if relative, err := filepath.Rel(r.inside[0], filepath.Join(absolute(directory), failure.File)); err == nil {
			failure.File = filepath.ToSlash(relative)
		}
	}
}
