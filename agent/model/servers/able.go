package servers

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/internal/network"
)

// refused says why a server is not asked for something.
func (s *server) refused(why string) error {
	return &model.Error{Kind: model.Refused, Sentence: "The server " + s.Name + " " + why + "."}
}

// can is a backend that is able to do something, or says what it does not do.
func can[T any](of *server, b model.Backend, not string) (T, error) {
	able, ok := b.(T)
	if !ok {
		return able, of.refused(not)
	}
	return able, nil
}

// askHere is ask for what only servers on this machine get.
func (s *Set) askHere(ctx context.Context, name string) (of *server, b model.Backend, own string, err error) {
	of, b, own, err = s.ask(ctx, name)
	if err == nil && of.elsewhere() != "" {
		err = of.refused("is not on this machine, so nothing was sent")
	}
	return of, b, own, err
}

// Embed implements [model.Embedder].
func (s *Set) Embed(ctx context.Context, req model.Embedding) ([][]float32, error) {
	of, b, own, err := s.askHere(ctx, req.Model)
	if err != nil {
		return nil, err
	}
	able, err := can[model.Embedder](of, b, "gives no vectors of texts")
	if err != nil {
		return nil, err
	}
	req.Model = own
	return able.Embed(ctx, req)
}

// Insert implements [model.Inserter].
func (s *Set) Insert(ctx context.Context, req model.Insertion) (string, error) {
	of, b, own, err := s.askHere(ctx, req.Model)
	if err != nil {
		return "", err
	}
	able, err := can[model.Inserter](of, b, "completes no code")
	if err != nil {
		return "", err
	}
	req.Model = own
	return able.Insert(ctx, req)
}

// Count implements [model.Counter].
func (s *Set) Count(ctx context.Context, req model.Request) (int, error) {
	_, b, req, err := s.askAs(ctx, req)
	if err != nil {
		return 0, err
	}
	able, ok := b.(model.Counter)
	if !ok {
		return 0, nil
	}
	return able.Count(ctx, req)
}

// Probe implements [model.Prober]. Of a server that does what it accepts nothing is tried.
func (s *Set) Probe(ctx context.Context, name string) (model.Abilities, error) {
	of, b, own, err := s.ask(ctx, name)
	if err != nil {
		return model.Abilities{}, err
	}
	able, ok := b.(model.Prober)
	if !ok {
		return model.Abilities{}, nil
	}
	a, err := able.Probe(ctx, own)
	if err == nil {
		a.Model = s.full(of, own)
	}
	return a, err
}

// Abilities implements [model.Prober].
func (s *Set) Abilities(name string) (model.Abilities, bool) {
	of, able, own := s.prober(name)
	if able == nil {
		return model.Abilities{}, true
	}
	a, ok := able.Abilities(own)
	a.Model = s.full(of, own)
	return a, ok
}

// Recall implements [model.Prober].
func (s *Set) Recall(a model.Abilities) {
	if _, able, own := s.prober(a.Model); able != nil {
		a.Model = own
		able.Recall(a)
	}
}

// prober is the backend of a model that was described, if it has to be tried.
func (s *Set) prober(name string) (of *server, able model.Prober, own string) {
	of, own, ok := s.remembered(name)
	if !ok {
		return nil, nil, own
	}
	able, _ = of.known().(model.Prober)
	return of, able, own
}

// puller is the server that fetches a model: the one that its name says, else the first that is Ollama, in the order in
// which models are looked up, whether or not it answers now. One whose kind is auto counts once it said what it is,
// which it was asked when the model was looked up.
func (s *Set) puller(name string) (of *server, p model.Puller, own string) {
	servers := s.servers()
	of, own, ok := s.named(name)
	if s.options.Network.Offline() { // a server would fetch it from elsewhere
		return nil, nil, own
	}
	if ok {
		servers = []*server{of}
	}
	for _, of := range servers {
		if able := of.puller(); able != nil && of.unapproved() == nil {
			return of, able, own
		}
	}
	return nil, nil, own
}

// Source implements [model.Puller].
func (s *Set) Source(name string) model.Source {
	of, p, own := s.puller(name)
	if p == nil {
		return model.Source{}
	}
	from := p.Source(own)
	if from.Host != "" && s.single() == nil {
		from.Name, from.Server = s.full(of, own), of.called()
	}
	return from
}

// Pull implements [model.Puller].
func (s *Set) Pull(ctx context.Context, name string, each func(model.Pulled)) error {
	_, p, own := s.puller(name)
	if p == nil && s.options.Network.Offline() {
		return &model.Error{Kind: model.Refused, Cause: network.ErrOffline, Sentence: fmt.Sprintf(
			"%s was not fetched: %v.", name, network.ErrOffline,
		)}
	}
	if p == nil {
		return &model.Error{Kind: model.NotInstalled, Sentence: "No model server can fetch " + name + "."}
	}
	return p.Pull(ctx, own, each)
}

// inspector is the backend of a model, if it can show requests. Nothing is sent.
func (s *Set) inspector(ctx context.Context, name string) (model.Inspector, string, error) {
	of, b, own, err := s.ask(ctx, name)
	if err != nil {
		return nil, own, err
	}
	able, err := can[model.Inspector](of, b, showsNone)
	return able, own, err
}

const showsNone = "does not show requests"

// Body implements [model.Inspector].
func (s *Set) Body(ctx context.Context, req model.Request) ([]byte, error) {
	able, own, err := s.inspector(ctx, req.Model)
	if err != nil {
		return nil, err
	}
	req.Model = own
	return able.Body(ctx, req)
}

// PreloadBody implements [model.Inspector].
func (s *Set) PreloadBody(
	ctx context.Context, name string, contextSize int, keepAlive time.Duration,
) ([]byte, error) {
	able, own, err := s.inspector(ctx, name)
	if err != nil {
		return nil, err
	}
	return able.PreloadBody(ctx, own, contextSize, keepAlive)
}

// RenderOnly implements [model.Inspector].
func (s *Set) RenderOnly(ctx context.Context, req model.Request) (string, error) {
	of, b, req, err := s.askAs(ctx, req)
	if err != nil {
		return "", err
	}
	able, err := can[model.Inspector](of, b, showsNone)
	if err != nil {
		return "", err
	}
	return able.RenderOnly(ctx, req)
}
