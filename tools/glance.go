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
	s.mu.Lock()
	sources := slices.Clone(s.sources)
	s.mu.Unlock()
	for _, l := range sources {
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
	s.mu.Lock()
	sources := slices.Clone(s.sources)
	s.mu.Unlock()
	now := map[*listing][]Tool{}
	for _, l := range sources {
		if quiet, ok := l.Source.(Quiet); ok {
			now[l], _, _ = quiet.Tools(ctx) // the next run tells what cannot be listed
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var looked []*listing
	for _, l := range sources {
		copied := &listing{Source: l.Source, answer: l.answer, asked: l.asked}
		if list, ok := now[l]; ok {
			copied.list = list
		}
		looked = append(looked, copied)
	}
	r, _ := s.combine(looked)
	return r
}
