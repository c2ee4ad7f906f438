package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"sync"
)

// alike runs the templates of contexts. Those that differ in nothing but the order in which documents are sorted
// and in Helm's version, for which hardly any template asks, are run once.
type alike struct {
	loaded   *loadedChart
	contexts []Context
	first    []int // for each context the first one like it, which may be itself

	lock     sync.Mutex
	running  map[int]*shared      // by first
	believed map[bool]func() bool // of installs and of upgrades: that nobody asks for Helm's version
}

// shared is a run for several contexts, kept until the last of them has it.
type shared struct {
	run  func() (*rendering, *Error)
	left int
}

func findAlike(loaded *loadedChart, contexts []Context) *alike {
	a := &alike{
		loaded: loaded, contexts: contexts, first: firstAlike(loaded, contexts),
		running: map[int]*shared{}, believed: map[bool]func() bool{},
	}
	for i, first := range a.first {
		if first == i {
			continue
		}
		if a.running[first] == nil {
			run := sync.OnceValues(func() (*rendering, *Error) { return executeContext(loaded, &contexts[first]) })
			a.running[first] = &shared{run, 1}
		}
		a.running[first].left++
		if upgrade := contexts[i].Upgrade; a.believed[upgrade] == nil {
			// Believed when it has been seen once: the other version gives the same.
			run := a.running[first].run
			a.believed[upgrade] = sync.OnceValue(func() bool {
				return sameOutputs(run, func() (*rendering, *Error) { return executeContext(loaded, &contexts[i]) })
			})
		}
	}
	return a
}

func (a *alike) execute(i int) (*rendering, *Error) {
	context := &a.contexts[i]
	run := a.take(a.first[i])
	if run == nil || a.first[i] != i && !a.believed[context.Upgrade]() {
		return executeContext(a.loaded, context)
	}
	rendering, err := run()
	if err != nil {
		return nil, err
	}
	copied := *rendering
	copied.context = context
	return &copied, nil
}

// take gives the run that begins with this context, nil if it is one of its own.
func (a *alike) take(first int) func() (*rendering, *Error) {
	a.lock.Lock()
	defer a.lock.Unlock()
	shared := a.running[first]
	if shared == nil {
		return nil
	}
	if shared.left--; shared.left == 0 {
		delete(a.running, first)
	}
	return shared.run
}

func executeContext(loaded *loadedChart, context *Context) (*rendering, *Error) {
	rendering, err := newRendering(loaded, context)
	if err == nil {
		err = rendering.executeSafely()
	}
	return rendering, err
}

func firstAlike(loaded *loadedChart, contexts []Context) []int {
	first, known := make([]int, len(contexts)), map[string]int{}
	for i, context := range contexts {
		first[i] = i
		context.Order, context.HelmVersion = nil, ""
		text, err := json.Marshal(context)
		if err != nil || loaded.namesHelmVersion || namesHelmVersion(text) {
			continue
		}
		if j, seen := known[string(text)]; seen {
			first[i] = j
		} else {
			known[string(text)] = i
		}
	}
	return first
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
