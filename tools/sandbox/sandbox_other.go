//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
)

type (
	kind   struct{}
	walked struct{}
)

func (s *Sandbox) examine(context.Context) (State, kind) {
	if s.options.Off {
		return State{Sentence: sentenceOff}, kind{}
	}
	return State{Sentence: "Commands are not confined: there is no sandbox for this system yet, so each one is asked about."}, kind{}
}

func (s *Sandbox) wrap(kind, []string, []string, string) (Wrapped, error) {
	return Wrapped{}, ErrUnproven
}

// Help is for Linux alone.
func Help([]string) error { return errors.New("there is no sandbox on this system") }
