package main

import (
	"iter"
	"runtime"
	"runtime/debug"
)

// executeAhead runs the templates of the contexts on all processors, a few ahead of the one it yields, in
// their order.
func executeAhead(loaded *loadedChart, contexts []Context) iter.Seq2[*rendering, *Error] {
	type executed struct {
		rendering *rendering
		err       *Error
	}
	return func(yield func(*rendering, *Error) bool) {
		waiting := make(chan chan executed, runtime.GOMAXPROCS(0)-1) // bounds how many are under way
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			defer close(waiting)
			for i := range contexts {
				result := make(chan executed, 1)
				select {
				case waiting <- result:
				case <-stop:
					return
				}
				go func() {
					rendering, err := loaded.execute(&contexts[i])
					result <- executed{rendering, err}
				}()
			}
		}()
		for result := range waiting {
			if next := <-result; !yield(next.rendering, next.err) {
				return
			}
		}
	}
}

// executeSafely is for goroutines, whose panics nobody else catches.
func (r *rendering) executeSafely() (err *Error) {
	defer func() {
		if p := recover(); p != nil {
			err = failf(ErrRequest, "the engine failed on this context: %v\n%s", p, debug.Stack())
		}
	}()
	return r.executeTemplates()
}
