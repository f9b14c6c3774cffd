package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
)

// interrupts are what a person at a terminal stops this program with. The first one may stop less.
type interrupts struct {
	mu   sync.Mutex
	less func() bool // stops less than the program; false: there is nothing to stop so. nil: as well
}

// end ends a context when a signal comes that stops the program.
func (i *interrupts) end(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, stopSignals()...)
	go func() {
		defer cancel()
		for {
			select {
			case s := <-signals:
				if s != os.Interrupt || !i.stopLess() {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel()
	}
}

func (i *interrupts) stopLess() bool {
	i.mu.Lock()
	less := i.less
	i.mu.Unlock()
	return less != nil && less()
}

// first has an interrupt stop less than the program, until release is called. Nil interrupts stop everything.
func (i *interrupts) first(less func() bool) (release func()) {
	if i == nil {
		return func() {}
	}
	set := func(less func() bool) (before func() bool) {
		i.mu.Lock()
		defer i.mu.Unlock()
		before, i.less = i.less, less
		return before
	}
	before := set(less)
	return func() { set(before) }
}
