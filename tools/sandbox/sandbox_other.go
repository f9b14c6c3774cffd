//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"errors"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/sandbox/layers"
)

type (
	kind   struct{}
	finder struct{}
)

func (s *Sandbox) examine(context.Context) (State, kind) {
	if s.options.Off {
		return State{Sentence: sentenceOff}, kind{}
	}
	return State{
		Sentence: "Commands are not confined: there is no sandbox for this system yet, so each one is asked about.",
	}, kind{}
}

func (s *Sandbox) wrap(kind, Command) (Wrapped, error) {
	return Wrapped{}, ErrUnproven
}

// Readable is for Linux alone.
func (s *Sandbox) Readable(context.Context) (Readable, error) { return Readable{}, ErrUnproven }

// LeaveBuilt is for Linux alone.
func (s *Sandbox) LeaveBuilt(Chat) (*layers.Chat, *changes.Layer, error) {
	return nil, nil, changes.ErrUnsupported
}

// Foreign is for Linux alone.
func (s *Sandbox) Foreign(int) []string { return nil }

// Inside is for Linux alone.
func Inside([]string) (int, <-chan int, func() error, error) { return 0, nil, nil, nil }

// Help is for Linux alone.
func Help([]string) error { return errors.New("there is no sandbox on this system") }
