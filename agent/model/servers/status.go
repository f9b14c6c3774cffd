package servers

import (
	"context"
	"slices"

	"github.com/sourcegraph/conc"

	"github.com/assent-ls/assent/agent/model"
)

// Status is how a server is now, for people.
type Status struct {
	Name    string
	Place   string
	Usual   bool            // it is Ollama where OLLAMA_HOST says
	Kind    Kind            // what it is, as far as it told
	Host    string          // the machine, if it is not this one
	Found   *model.Listener // set if nobody declared or approved it
	Version string          // empty: not known
	Slots   int             // 0: not known
	Models  []model.Info    // as [Set.Models] names them
	Err     error           // why it cannot be used now
}

// Look asks all servers how they are, and the ports of this machine where nobody declared one. It is for people who
// want to know that.
func (s *Set) Look(ctx context.Context) []Status {
	found := s.finder.look(ctx)
	servers := s.all()
	for _, of := range found {
		if !slices.Contains(servers, of) {
			servers = append(servers, of)
		}
	}
	out := make([]Status, len(servers))
	var beside conc.WaitGroup
	for i, of := range servers {
		beside.Go(func() { out[i] = s.look(ctx, of) })
	}
	beside.Wait()
	return out
}

func (s *Set) look(ctx context.Context, of *server) Status {
	now := Status{
		Name: of.Name, Place: of.at(), Usual: of.usual, Kind: of.Kind, Host: of.elsewhere(),
		Found: of.unapproved(),
	}
	b, err := of.backend(ctx)
	if err != nil {
		now.Err = err
		return now
	}
	if now.Version, now.Err = b.Version(ctx); now.Err != nil {
		now.Err = of.failure(ctx, now.Err)
		return now
	}
	now.Kind = kindOf(ctx, b, now.Kind)
	list, err := of.models(ctx)
	now.Err = err
	for _, listed := range list {
		info, err := s.info(of, listed)
		if err != nil {
			now.Err = err
			return now
		}
		now.Models = append(now.Models, info)
	}
	if wide, ok := b.(slotted); ok && now.Found == nil {
		now.Slots = wide.Slots(ctx)
	}
	return now
}

// kindOf is what a server says that it is; declared, if it does not say.
func kindOf(ctx context.Context, b model.Backend, declared Kind) Kind {
	if _, ok := b.(model.Puller); ok {
		return Ollama
	}
	if tells, ok := b.(interface {
		Kind(ctx context.Context) (string, error)
	}); ok {
		if kind, err := tells.Kind(ctx); err == nil {
			return Kind(kind)
		}
	}
	return declared
}
