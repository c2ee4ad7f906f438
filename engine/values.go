package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/strvals"
)

// mergeValues follows cli/values.Options.MergeValues step by step and in its words, on Helm's own parsers.
// That function itself cannot be used: it reads stdin and the network, and takes no text instead of a file.
func mergeValues(given Values) (map[string]any, *Error) {
	merged := map[string]any{}
	for _, file := range given.Files {
		raw, err := valuesText(file)
		if err != nil {
			return nil, &Error{Kind: ErrValues, Message: err.Error(), File: file.Path}
		}
		values, err := loader.LoadValues(bytes.NewReader(raw))
		if err != nil {
			failure := failf(ErrValues, "failed to parse %s: %v", file.Path, err)
			failure.File, failure.Line = file.Path, min(yamlErrorLine(err.Error()), strings.Count(string(raw), "\n")+1)
			if bytes.Contains(raw, []byte("\n---")) {
				failure.Line = 0 // counted within one of several documents
			}
			return nil, failure
		}
		merged = loader.MergeMaps(merged, values)
	}
	for _, value := range given.SetJSON {
		if strings.HasPrefix(strings.TrimSpace(value), "{") {
			var object map[string]any
			if err := json.Unmarshal([]byte(value), &object); err != nil {
				return nil, failf(ErrValues, "failed parsing --set-json data: it is not JSON")
			}
			merged = loader.MergeMaps(merged, object)
		} else if err := strvals.ParseJSON(value, merged); err != nil {
			key, _, _ := strings.Cut(value, "=") // what stands behind it may be a secret
			return nil, failf(ErrValues, "failed parsing --set-json data of %s", key)
		}
	}
	readSetFile := func(name []rune) (any, error) {
		raw, err := readValuesFile(string(name))
		return string(raw), err
	}
	for _, option := range []struct {
		flag   string
		values []string
		parse  func(string, map[string]any) error
	}{
		{"--set", given.Set, strvals.ParseInto},
		{"--set-string", given.SetString, strvals.ParseIntoString},
		{"--set-file", given.SetFile, func(s string, into map[string]any) error { return strvals.ParseIntoFile(s, into, readSetFile) }},
		{"--set-literal", given.SetLiteral, strvals.ParseLiteralInto},
	} {
		for _, value := range option.values {
			if err := option.parse(value, merged); err != nil {
				return nil, failf(ErrValues, "failed parsing %s data: %v", option.flag, err)
			}
		}
	}
	overlay, _ := plainNumbers(given.Overlay, asFloat).(map[string]any)
	return loader.MergeMaps(merged, overlay), nil
}

func valuesText(file ValuesFile) ([]byte, error) {
	if file.Text != nil {
		return []byte(*file.Text), nil
	}
	return readValuesFile(file.Path)
}

var looksLikeURL = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+://`)

// readValuesFile reads files alone: no URL, no stdin, nothing that could block.
func readValuesFile(name string) ([]byte, error) {
	if strings.TrimSpace(name) == "-" {
		return nil, errors.New("values cannot be read from stdin here")
	}
	if looksLikeURL.MatchString(name) {
		return nil, fmt.Errorf("%s is a URL, and nothing is fetched from the network; download the file and name it instead", name)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	return os.ReadFile(name)
}

// plainNumbers replaces the decoder's numbers by the type that their reader in Helm gives them.
func plainNumbers(value any, number func(json.Number) any) any {
	switch value := value.(type) {
	case map[string]any:
		for k, v := range value {
			value[k] = plainNumbers(v, number)
		}
	case []any:
		for i, v := range value {
			value[i] = plainNumbers(v, number)
		}
	case json.Number:
		return number(value)
	}
	return value
}

// asFloat is what values files give: every number a float.
func asFloat(n json.Number) any {
	f, _ := n.Float64()
	return f
}

// asInteger is what objects from a cluster give: integers where they can be.
func asInteger(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return i
	}
	return asFloat(n)
}
