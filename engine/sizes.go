package main

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/Masterminds/semver/v3"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// maxFileSize is the size of a file in a chart that some versions of Helm refuse to exceed.
const maxFileSize = 5 << 20

// Helm 3.17.3 brought the limit and Helm 4.3 took it away again.
var refusesLargeFiles = mustConstraint(">= 3.17.3, < 4.3.0")

func mustConstraint(text string) *semver.Constraints {
	constraint, err := semver.NewConstraint(text)
	if err != nil {
		panic(err)
	}
	return constraint
}

// largeFile is what such a Helm says of the first file in a chart that is too large; empty if there is none.
func largeFile(c *chart.Chart, packed bool) string {
	for _, file := range c.Raw {
		if len(file.Data) <= maxFileSize {
			continue
		}
		if packed {
			return fmt.Sprintf("decompressed chart file %q is larger than the maximum file size %d", path.Join(c.Name(), file.Name), maxFileSize)
		}
		return fmt.Sprintf("chart file %q is larger than the maximum file size %d", path.Base(file.Name), maxFileSize)
	}
	for _, dependency := range c.Dependencies() {
		if said := largeFile(dependency, true); said != "" {
			return fmt.Sprintf("error unpacking subchart %s-%s.tgz in %s: %s", dependency.Name(), dependency.Metadata.Version, c.Name(), said)
		}
	}
	return ""
}

func isPacked(source Source) bool {
	return strings.HasSuffix(source.Path, ".tgz") || filepath.Ext(source.Path) == ".gz"
}

// checkSizes refuses a chart as the context's version of Helm does.
func (r *rendering) checkSizes() *Error {
	if r.loaded.largeFile == "" || r.context.HelmVersion == "" {
		return nil
	}
	version, err := semver.NewVersion(r.context.HelmVersion)
	if err != nil || !refusesLargeFiles.Check(version) {
		return nil
	}
	if version.Major() >= 4 && r.loaded.packed {
		return failf(ErrSize, "unable to load chart archive")
	}
	return failf(ErrSize, "%s", r.loaded.largeFile)
}
