package main

import "runtime/debug"

// maxStack ends endless recursion long before it has used the memory; Helm's own limit, 1000 nested
// includes of one name, needs far less.
const maxStack = 64 << 20

// limitSelf bounds what hostile templates can use up. Template code cannot be interrupted, so beyond the
// limits the process dies and says why on stderr; the caller starts another.
func limitSelf(memory int64, cpu uint64) error {
	debug.SetMaxStack(maxStack)
	debug.SetGCPercent(400) // a short life; the limit below still holds
	if memory > 0 {
		debug.SetMemoryLimit(memory / 8 * 7) // collect harder before giving up
	}
	return limitProcess(memory, cpu)
}
