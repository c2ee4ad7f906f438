package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// limitProcess leaves counting to the kernel. The address space is no measure, because Go reserves more
// than a gigabyte of it at start; RLIMIT_DATA counts what is really asked for.
func limitProcess(memory int64, cpu uint64) error {
	if memory > 0 {
		if err := limit(syscall.RLIMIT_DATA, uint64(memory)); err != nil {
			return fmt.Errorf("cannot limit memory: %w", err)
		}
	}
	if cpu > 0 {
		// Go ignores the kernel's signal unless someone listens.
		exceeded := make(chan os.Signal, 1)
		signal.Notify(exceeded, syscall.SIGXCPU)
		go func() {
			<-exceeded
			fmt.Fprintln(os.Stderr, "engine: cpu limit")
			os.Exit(3)
		}()
		if err := limit(syscall.RLIMIT_CPU, cpu); err != nil {
			return fmt.Errorf("cannot limit processor time: %w", err)
		}
	}
	return nil
}

// limit lowers the soft limit alone: the kernel kills without a word at the hard one.
func limit(resource int, value uint64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return err
	}
	now.Cur = min(value, now.Max)
	return syscall.Setrlimit(resource, &now)
}
