package main

import "encoding/json"

// The protocol: JSON lines, requests on stdin, answers on stdout, in order. The Python side is
// src/watchbill/charts/protocol.py; raise protocolVersion when either changes.

const protocolVersion = 6

// Hello is the first line the engine writes.
type Hello struct {
	Protocol int    `json:"protocol"`
	Helm     string `json:"helm"`   // version of Helm's library, as in go.mod: "4.3.1"
	Source   string `json:"source"` // digest of engine/ when this binary was built
}

// Request is one line of input; exactly one of its parts is set.
type Request struct {
	ID     int            `json:"id"`
	Load   *LoadRequest   `json:"load,omitempty"`
	Render *RenderRequest `json:"render,omitempty"`
	Parse  *ParseRequest  `json:"parse,omitempty"`
	Locate *LocateRequest `json:"locate,omitempty"`
}

// Answer is one line of output. The last answer to a request has Done set.
type Answer struct {
	ID       int       `json:"id"`
	Chart    *Chart    `json:"chart,omitempty"`    // load
	Body     *Body     `json:"body,omitempty"`     // render, parse: before the first Rendered that refers to it
	Rendered *Rendered `json:"rendered,omitempty"` // render: one a context; parse: one
	Places   []Place   `json:"places,omitempty"`   // locate: one a field
	Error    *Error    `json:"error,omitempty"`    // the request as a whole failed
	Done     bool      `json:"done,omitempty"`
}

// Source says where a chart is.
type Source struct {
	Path           string `json:"path"` // a directory or a .tgz
	FollowSymlinks bool   `json:"followSymlinks,omitempty"`
}

type LoadRequest struct {
	Source    Source `json:"source"`
	Templates bool   `json:"templates,omitempty"` // answer with the templates' text, too
}

type RenderRequest struct {
	Source   Source    `json:"source"`
	Contexts []Context `json:"contexts"`
	Served   []string  `json:"served,omitempty"` // of contexts that have none of their own
}

// ParseRequest reads YAML that is no template: rendered manifests, or a config file.
type ParseRequest struct {
	Name  string   `json:"name"` // for messages and as Document.Template where no "# Source:" comment names one
	Text  string   `json:"text"`
	Order []string `json:"order,omitempty"`
	Plain bool     `json:"plain,omitempty"` // no manifests: documents as they stand, and no key twice
}

// LocateRequest asks for lines of fields: of a chart rendered in a context, or of a plain text.
type LocateRequest struct {
	Source  *Source  `json:"source,omitempty"`
	Context *Context `json:"context,omitempty"`
	Text    string   `json:"text,omitempty"`
	Fields  []Field  `json:"fields"`
}

// Field is a path in the Index-th document of a template's output (or of the text).
type Field struct {
	Template string `json:"template,omitempty"`
	Index    int    `json:"index"`
	Path     []any  `json:"path"` // keys and list indexes; empty for the document itself
}

// Context is everything besides the chart that decides what a render gives.
type Context struct {
	Release      string           `json:"release"`
	Namespace    string           `json:"namespace"`
	Upgrade      bool             `json:"upgrade,omitempty"`
	Revision     int              `json:"revision"`
	Values       Values           `json:"values"`
	KubeVersion  string           `json:"kubeVersion,omitempty"`  // empty: Helm's default
	APIVersions  []string         `json:"apiVersions,omitempty"`  // added to Helm's default set,
	Served       []string         `json:"served,omitempty"`       // or to this one: what a certain cluster serves
	HelmVersion  string           `json:"helmVersion,omitempty"`  // .Capabilities.HelmVersion.Version; empty: the library's own
	Order        []string         `json:"order,omitempty"`        // kinds in order of installation; empty: the library's own
	ChartVersion string           `json:"chartVersion,omitempty"` // instead of Chart.yaml's
	AppVersion   string           `json:"appVersion,omitempty"`   // instead of Chart.yaml's
	Subcharts    []Subchart       `json:"subcharts,omitempty"`    // with these versions instead of their own
	Cluster      []map[string]any `json:"cluster,omitempty"`      // the objects `lookup` sees
	Edits        []Edit           `json:"edits,omitempty"`        // of template texts
	Seed         int              `json:"seed,omitempty"`         // of clock and randomness; equal seeds render equal
	Lines        bool             `json:"lines,omitempty"`        // tell where each document begins
	Only         []string         `json:"only,omitempty"`         // templates to run, by their paths; empty: all, and crds/
	WantValues   bool             `json:"wantValues,omitempty"`   // answer with the values the templates saw
}

// Values are Helm's value options; later kinds win over earlier, as in Helm, and Overlay over all.
type Values struct {
	Files      []ValuesFile   `json:"files,omitempty"`
	SetJSON    []string       `json:"setJson,omitempty"`
	Set        []string       `json:"set,omitempty"`
	SetString  []string       `json:"setString,omitempty"`
	SetFile    []string       `json:"setFile,omitempty"`
	SetLiteral []string       `json:"setLiteral,omitempty"`
	Overlay    map[string]any `json:"overlay,omitempty"`
}

// ValuesFile is read from Path, or is Text where the caller already has it (stdin).
type ValuesFile struct {
	Path string  `json:"path"`
	Text *string `json:"text,omitempty"`
}

// Edit replaces bytes of one template's text before it is rendered.
type Edit struct {
	Template string `json:"template"` // as Document.Template
	Start    int    `json:"start"`    // byte offsets
	End      int    `json:"end"`
	Text     string `json:"text"`
}

// Chart is what load answers.
type Chart struct {
	Name         string          `json:"name"`
	Version      string          `json:"version"`
	AppVersion   string          `json:"appVersion,omitempty"`
	Type         string          `json:"type,omitempty"`
	KubeVersion  string          `json:"kubeVersion,omitempty"`
	Dependencies []Dependency    `json:"dependencies,omitempty"`
	Subcharts    []Subchart      `json:"subcharts,omitempty"` // all below the chart but libraries, as if every dependency were on
	Values       json.RawMessage `json:"values,omitempty"`    // values.yaml of the chart itself
	HasSchema    bool            `json:"hasSchema,omitempty"` // the chart, or one it depends on, has a values.schema.json
	Templates    []Template      `json:"templates,omitempty"`
}

// Subchart is a chart that another one brings along, and its versions.
type Subchart struct {
	Path       string `json:"path"` // names from the top, aliases applied: database/metrics
	Version    string `json:"version"`
	AppVersion string `json:"appVersion,omitempty"`
}

// Dependency is one entry of Chart.yaml's dependencies.
type Dependency struct {
	Name       string   `json:"name"`
	Alias      string   `json:"alias,omitempty"`
	Version    string   `json:"version,omitempty"`
	Repository string   `json:"repository,omitempty"`
	Condition  string   `json:"condition,omitempty"`
	Tags       []string `json:"tags,omitempty"`
}

// Template is one template's text, of the chart or of a subchart, partials included.
type Template struct {
	Path string `json:"path"` // as Document.Template
	Text string `json:"text"`
}

// Body is a document's text and what Helm's YAML reader makes of it. Each distinct one is sent once a request.
type Body struct {
	Digest string          `json:"digest"`
	Text   string          `json:"text"`
	Object json.RawMessage `json:"object"` // null where the document is only comments
}

// Rendered is one context's answer: documents, or an error.
type Rendered struct {
	Index     int             `json:"index"` // of the context in the request
	Documents []Document      `json:"documents,omitempty"`
	Notes     string          `json:"notes,omitempty"`
	Volatile  []Volatile      `json:"volatile,omitempty"`
	Lookups   []Lookup        `json:"lookups,omitempty"`
	Sees      []sight         `json:"sees,omitempty"` // what templates may ask for, and so give another thing in other contexts
	Values    json.RawMessage `json:"values,omitempty"`
	Error     *Error          `json:"error,omitempty"`
}

// Role is what Helm makes of a document.
type Role string

const (
	RoleCRD      Role = "crd"      // of crds/: installed first, never upgraded
	RoleManifest Role = "manifest" // part of the release
	RoleHook     Role = "hook"     // created at its events
	RoleDropped  Role = "dropped"  // names an unknown hook event: Helm leaves it out and says nothing
)

// Document is one YAML document: first CRDs, then manifests, then hooks, each in Helm's order, dropped ones last.
type Document struct {
	Digest   string `json:"digest"`
	Template string `json:"template"`           // "chart/templates/job.yaml"
	Subchart string `json:"subchart,omitempty"` // "database", nested "a/b"; empty: the chart itself
	Index    int    `json:"index"`              // among the documents of that template's output
	Line     int    `json:"line,omitempty"`     // where it begins in the template's source; 0: not asked or not known
	Role     Role   `json:"role"`
	Hook     *Hook  `json:"hook,omitempty"`    // roles hook and dropped
	Unknown  string `json:"unknown,omitempty"` // role dropped: the event Helm does not know
}

type Hook struct {
	Events            []string `json:"events"`
	Weight            int      `json:"weight"`
	DeletePolicies    []string `json:"deletePolicies"`
	OutputLogPolicies []string `json:"outputLogPolicies"`
}

// Volatile is a use of the clock or of randomness: the next render gives something else.
type Volatile struct {
	Template string `json:"template"` // empty where it could not be told
	Function string `json:"function"`
}

// Lookup is one question a template asked the cluster.
type Lookup struct {
	Template   string `json:"template"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"` // empty: a list
	Found      bool   `json:"found"`
}

// Place is where a field stands: in the document's own template first, then, for text that came through
// include, in each define down to the one that holds it. Nil steps: there is no such document.
type Place struct {
	Steps []Position `json:"steps"`
	Exact bool       `json:"exact"` // false: the document's first line, because the field's own is not known
}

type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"`
}

// ErrorKind tells callers what went wrong; the words are in Message.
type ErrorKind string

const (
	ErrChart       ErrorKind = "chart"        // not a chart, unreadable, too large, no such file
	ErrSize        ErrorKind = "size"         // a file that the context's version of Helm refuses
	ErrSymlink     ErrorKind = "symlink"      // a link out of the chart (or a loop)
	ErrDependency  ErrorKind = "dependency"   // declared but not there
	ErrValues      ErrorKind = "values"       // a values file or --set that does not parse
	ErrSchema      ErrorKind = "schema"       // values against values.schema.json
	ErrKubeVersion ErrorKind = "kube-version" // chart's kubeVersion against the context's, or not a version
	ErrTemplate    ErrorKind = "template"     // template syntax or execution
	ErrRequired    ErrorKind = "required"     // `required`
	ErrFail        ErrorKind = "fail"         // `fail`
	ErrYAML        ErrorKind = "yaml"         // a document is not YAML
	ErrLimit       ErrorKind = "limit"        // larger than the engine answers
	ErrRequest     ErrorKind = "request"      // a request this engine does not understand
)

// Error is structured; Message keeps Helm's own words.
type Error struct {
	Kind       ErrorKind   `json:"kind"`
	Message    string      `json:"message"`
	File       string      `json:"file,omitempty"`
	Line       int         `json:"line,omitempty"`
	Column     int         `json:"column,omitempty"`
	Missing    []string    `json:"missing,omitempty"`    // dependency
	Violations []Violation `json:"violations,omitempty"` // schema
	Rendered   string      `json:"rendered,omitempty"`   // yaml: the line of output that is not YAML
}

type Violation struct {
	Chart     string `json:"chart"`
	Path      string `json:"path"` // "image.tag"
	Message   string `json:"message"`
	BadSchema bool   `json:"badSchema,omitempty"` // the schema itself is wrong, not the values
}
