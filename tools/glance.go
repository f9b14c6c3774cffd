package tools

import (
	"context"
	"slices"
)

// Quiet is a source that may be asked at any time: that starts nothing and reaches nothing.
type Quiet interface {
	Source
	// Quiet says why asking is harmless, for the log.
	Quiet()
}

// Glance describes the tools that are known without starting anything: those that were listed last, and those that
// quiet sources list now. What cannot be listed is left out.
func (s *Sources) Glance(ctx context.Context) []Spec {
	specs := s.Known().Specs()
	for _, l := range s.sources {
		quiet, ok := l.Source.(Quiet)
		if !ok {
			continue
		}
		list, _, _ := quiet.Tools(ctx)
		for _, t := range list {
			spec := t.Spec()
			known := func(s Spec) bool { return s.Own() == spec.Own() && s.Origin == spec.Origin }
			if !slices.ContainsFunc(specs, known) {
				specs = append(specs, spec)
			}
		}
	}
	return specs
}

// Look returns the tools as the settings choose them now, without starting anything: those that quiet sources list now,
// and of the others those that they listed last. Runs do not notice it.
func (s *Sources) Look(ctx context.Context) *Registry {
	now := make([][]Tool, len(s.sources))
	for i, l := range s.sources {
		if quiet, ok := l.Source.(Quiet); ok {
			now[i], _, _ = quiet.Tools(ctx) // the next run tells what cannot be listed
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	looked := make([]*listing, len(s.sources))
	for i, l := range s.sources {
		looked[i] = &listing{Source: l.Source, answer: l.answer, asked: l.asked}
		if _, ok := l.Source.(Quiet); ok {
			looked[i].list = now[i]
		}
	}
	r, _ := s.combine(looked)
	return r
}
