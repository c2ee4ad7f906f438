package main

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"sync"
)

// maxKept is how many bytes of output a chart keeps of runs that may be asked for again.
const maxKept = 32 << 20

// executions are the runs of a chart's templates. A run serves every context in which the templates would have done
// the same. They note what they ask for: the version of Helm, the operation, chance, objects of the cluster. Hardly any
// template asks for the first, few for the others.
type executions struct {
	lock     sync.Mutex
	known    map[executionKey][]*execution
	kept     []*execution // of those that are known, the oldest first
	size     int          // of their outputs
	believed map[sight]func() bool
}

// executionKey is all of a context that decides what templates give, and that nobody notes if they ask for it.
type executionKey [sha256.Size]byte

type execution struct {
	key     executionKey
	context *Context
	run     func() (*rendering, *Error)
	size    int
}

func newExecutions() *executions {
	return &executions{known: map[executionKey][]*execution{}, believed: map[sight]func() bool{}}
}

// execute runs the templates in a context, or takes over a run that is as good.
func (l *loadedChart) execute(context *Context) (*rendering, *Error) {
	for _, object := range context.Cluster {
		plainNumbers(object, asInteger)
	}
	key, ok := keyOf(*context)
	if !ok || l.largeFile != "" { // which some versions of Helm refuse

		return l.executeContext(context)
	}
	own := &execution{key: key, context: context}
	own.run = sync.OnceValues(func() (*rendering, *Error) { return l.executeContext(context) })
	var unfit []*execution
	for known := l.executions.another(own, unfit); known != nil; known = l.executions.another(own, unfit) {
		if l.serves(known, context) {
			return taken(known, context)
		}
		unfit = append(unfit, known)
	}
	rendering, err := taken(own, context)
	l.executions.keep(own, rendering)
	return rendering, err
}

// taken is a run as the context's own.
func taken(known *execution, context *Context) (*rendering, *Error) {
	rendering, err := known.run()
	if err != nil {
		return rendering, err
	}
	copied := *rendering
	copied.context = context
	if !context.WantValues {
		copied.values = nil
	}
	return &copied, nil
}

// serves tells whether the templates would do in a context what they did in a run.
func (l *loadedChart) serves(known *execution, context *Context) bool {
	if context.WantValues && !known.context.WantValues {
		return false
	}
	run, _ := known.run()
	if run == nil {
		return false
	}
	if len(run.volatile) > 0 && known.context.Seed != context.Seed {
		return false
	}
	for _, lookup := range run.lookups {
		before, _ := cluster(known.context.Cluster).find(lookup)
		now, _ := cluster(context.Cluster).find(lookup)
		if !reflect.DeepEqual(before, now) {
			return false
		}
	}
	for _, what := range allSights {
		if !what.same(known.context, context) && (run.sees[what] || !l.believes(what, known)) {
			return false
		}
	}
	return true
}

// believes tells whether nobody asks for something, as far as was noted. What is printed with all else that templates
// are given is not noted: so that is tried once.
func (l *loadedChart) believes(what sight, known *execution) bool {
	l.executions.lock.Lock()
	believed := l.executions.believed[what]
	if believed == nil {
		own := *known.context
		own.Only = nil // who asks may be any of the templates
		other := what.changed(own)
		believed = sync.OnceValue(func() bool {
			run := known.run
			if len(known.context.Only) > 0 {
				run = func() (*rendering, *Error) { return l.executeContext(&own) }
			}
			return sameOutputs(run, func() (*rendering, *Error) { return l.executeContext(&other) })
		})
		l.executions.believed[what] = believed
	}
	l.executions.lock.Unlock()
	return believed()
}

// seen is what of the operation the templates may ask for. Where only some of a chart's templates ran, that is not said.
func (l *loadedChart) seen(run *rendering) []sight {
	own := &execution{context: run.context, run: func() (*rendering, *Error) { return run, nil }}
	var seen []sight
	for _, what := range []sight{sightOfOperation, sightOfRevision} {
		if run.sees[what] || len(run.context.Only) > 0 || !l.believes(what, own) {
			seen = append(seen, what)
		}
	}
	return seen
}

func (l *loadedChart) executeContext(context *Context) (*rendering, *Error) {
	rendering, err := newRendering(l, context)
	if err == nil {
		err = rendering.executeSafely()
	}
	return rendering, err
}

// another gives a run under the same key that is none of the unfit ones. Where there is none, the own one is known from
// now on: who asks next waits for it, and mostly takes it over.
func (e *executions) another(own *execution, unfit []*execution) *execution {
	e.lock.Lock()
	defer e.lock.Unlock()
	for _, known := range e.known[own.key] {
		if !slices.Contains(unfit, known) {
			return known
		}
	}
	e.known[own.key] = append(e.known[own.key], own)
	return nil
}

// keep counts a run among those that are kept, and forgets the oldest ones where they take too much room.
func (e *executions) keep(own *execution, run *rendering) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if run != nil {
		own.size = run.size
	}
	e.kept = append(e.kept, own)
	e.size += own.size
	for len(e.kept) > 1 && e.size > maxKept {
		oldest := e.kept[0]
		e.kept, e.size = e.kept[1:], e.size-oldest.size
		rest := slices.DeleteFunc(e.known[oldest.key], func(one *execution) bool { return one == oldest })
		if e.known[oldest.key] = rest; len(rest) == 0 {
			delete(e.known, oldest.key)
		}
	}
}

// keyOf gives the key of a context, unless files decide what the templates give.
func keyOf(context Context) (executionKey, bool) {
	context.Order, context.HelmVersion, context.Cluster = nil, "", nil
	context.Upgrade, context.Revision, context.Seed = false, 0, 0
	context.Lines, context.WantValues = false, false
	files := slices.Clone(context.Values.Files)
	for i, file := range files {
		raw, err := valuesText(file)
		if err != nil {
			return executionKey{}, false
		}
		text := string(raw)
		files[i].Text = &text
	}
	context.Values.Files = files
	text, err := json.Marshal(context)
	return sha256.Sum256(text), err == nil && len(context.Values.SetFile) == 0
}

func sameOutputs(one, other func() (*rendering, *Error)) bool {
	a, failed := one()
	b, failedToo := other()
	if failed != nil || failedToo != nil {
		return failed != nil && failedToo != nil && failed.Message == failedToo.Message
	}
	return a.notes == b.notes && maps.Equal(a.outputs, b.outputs)
}
