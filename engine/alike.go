package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"sync"
)

// maxKept is how many bytes of output a chart keeps of runs that may be asked for again.
const maxKept = 2 << 20

// executions are the runs of a chart's templates. Contexts that templates cannot tell apart share one: those that
// differ in what is asked of the output, in the order in which documents are sorted, in Helm's version, for which
// hardly any template asks, and in the operation, for which few do.
type executions struct {
	lock     sync.Mutex
	known    map[string]*execution // by what templates see
	kept     int
	believed map[belief]func() bool
}

// belief is that nobody asks for something: for Helm's version in installs or in upgrades, or for the operation.
type belief struct{ upgrade, operation bool }

type execution struct {
	context *Context
	run     func() (*rendering, *Error)
	counted bool // among what is kept
}

func newExecutions() *executions {
	return &executions{known: map[string]*execution{}, believed: map[belief]func() bool{}}
}

// execute runs the templates in a context, or takes over a run that is as good.
func (l *loadedChart) execute(context *Context) (*rendering, *Error) {
	key := seenByTemplates(*context, l.namesOperation)
	if key == "" || l.namesHelmVersion {
		return l.executeContext(context)
	}
	run := func() (*rendering, *Error) { return l.executeContext(context) }
	known := l.executions.find(key, context, run)
	if !l.servesOperation(known, context) { // under the other Helm it is the same operation again
		key = seenByTemplates(*context, true)
		known = l.executions.find(key, context, run)
	}
	if context.WantValues && !known.context.WantValues || !l.serves(known, context) {
		return l.executeContext(context)
	}
	rendering, err := known.run()
	l.executions.keep(key, known, rendering)
	if err != nil {
		return nil, err
	}
	copied := *rendering
	copied.context = context
	if !context.WantValues {
		copied.values = nil
	}
	return &copied, nil
}

// serves tells whether a run under one version of Helm is as good under another. That nobody asks for it is
// believed when it was seen once: the other version gives the same.
func (l *loadedChart) serves(known *execution, context *Context) bool {
	return known.context.HelmVersion == context.HelmVersion || l.believes(belief{upgrade: context.Upgrade}, known, context)
}

// servesOperation tells the same of another operation or revision. Chance goes by the revision: what asks for it is
// another thing each time.
func (l *loadedChart) servesOperation(known *execution, context *Context) bool {
	if known.context.Upgrade == context.Upgrade && known.context.Revision == context.Revision && known.context.Seed == context.Seed {
		return true
	}
	if run, err := known.run(); err != nil || len(run.volatile) > 0 {
		return false
	}
	return l.believes(belief{operation: true}, known, context)
}

func (l *loadedChart) believes(what belief, known *execution, context *Context) bool {
	l.executions.lock.Lock()
	believed := l.executions.believed[what]
	if believed == nil {
		believed = sync.OnceValue(func() bool {
			return sameOutputs(known.run, func() (*rendering, *Error) { return l.executeContext(context) })
		})
		l.executions.believed[what] = believed
	}
	l.executions.lock.Unlock()
	return believed()
}

func (l *loadedChart) executeContext(context *Context) (*rendering, *Error) {
	rendering, err := newRendering(l, context)
	if err == nil {
		err = rendering.executeSafely()
	}
	return rendering, err
}

func (e *executions) find(key string, context *Context, run func() (*rendering, *Error)) *execution {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.known[key] == nil {
		e.known[key] = &execution{context: context, run: sync.OnceValues(run)}
	}
	return e.known[key]
}

// keep forgets a run that takes too much room.
func (e *executions) keep(key string, known *execution, run *rendering) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if run == nil || known.counted {
		return
	}
	known.counted = true
	if e.kept+run.size > maxKept {
		delete(e.known, key)
	} else {
		e.kept += run.size
	}
}

// seenByTemplates is all of a context that decides what templates give; empty where that cannot be said, because
// files decide it too or Helm's version is named.
func seenByTemplates(context Context, operation bool) string {
	context.Order, context.HelmVersion = nil, ""
	if given, err := json.Marshal([]any{context.Values, context.Edits}); !operation && err == nil && !namesOperation(given) {
		context.Upgrade, context.Revision, context.Seed = false, 0, 0
	}
	context.Lines, context.WantValues = false, false
	text, err := json.Marshal(context)
	if err != nil || len(context.Values.SetFile) > 0 || namesHelmVersion(text) {
		return ""
	}
	for _, file := range context.Values.Files {
		if file.Text == nil {
			return ""
		}
	}
	return string(text)
}

func sameOutputs(one, other func() (*rendering, *Error)) bool {
	a, failed := one()
	b, failedToo := other()
	if failed != nil || failedToo != nil {
		return failed != nil && failedToo != nil && failed.Message == failedToo.Message
	}
	return a.notes == b.notes && maps.Equal(a.outputs, b.outputs)
}

// namesHelmVersion tells whether a template, or a value that is taken for one, could ask for Helm's version.
func namesHelmVersion(text []byte) bool {
	return bytes.Contains(bytes.ToLower(text), []byte("helmversion"))
}

// namesOperation tells whether a template, or a value that is taken for one, could ask whether this is an install or an
// upgrade, or which revision: by its name, or with the release as a whole.
func namesOperation(text []byte) bool {
	text = bytes.ReplaceAll(bytes.ToLower(text), []byte("revisionhistorylimit"), nil) // a field of Deployments
	for _, name := range []string{"revision", "isinstall", "isupgrade"} {
		if bytes.Contains(text, []byte(name)) {
			return true
		}
	}
	for _, behind := range bytes.Split(text, []byte(".release"))[1:] {
		if !fieldOfRelease.Match(behind) {
			return true
		}
	}
	return false
}

// What of a release is the same in all operations.
var fieldOfRelease = regexp.MustCompile(`^\.(name|namespace|service)\b`)
