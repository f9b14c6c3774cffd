package servers

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/agent/model/openai"
	"github.com/assent-ls/assent/agent/model/transport"
)

// server is one server, which is spoken with from the first question on. It is safe for concurrent use.
type server struct {
	Declaration

	keys  *keys
	way   way
	usual bool   // it is Ollama where OLLAMA_HOST says
	place string // one name for all ways to write its address, for the queue
	found *found // nil: it was declared, or is the usual one

	opening chan struct{} // has one while somebody asks the server what it is

	mu     sync.Mutex    // never held while anything is asked
	spoken model.Backend // guarded by mu; nil: nothing was asked yet
	slots  int           // guarded by mu; 0: not known
	listed []model.Info  // guarded by mu: what Models said last
}

func newServer(d Declaration, w way) *server {
	return &server{
		Declaration: d, keys: newKeys(d, w.network), way: w, place: d.queue(), opening: make(chan struct{}, 1),
	}
}

// usualDeclaration names Ollama where OLLAMA_HOST says. It has no address: that is in the backend.
var usualDeclaration = Declaration{Name: string(Ollama), Kind: Ollama}

// newUsual is Ollama where OLLAMA_HOST says, which is asked as if no other server were known.
func newUsual(b *ollama.Backend) *server {
	return &server{Declaration: usualDeclaration, usual: true, place: b.Place(), spoken: b}
}

// backend is how the server is spoken with. The first time it may ask the server what it is.
func (s *server) backend(ctx context.Context) (model.Backend, error) {
	if known := s.known(); known != nil {
		return known, nil
	}
	select {
	case s.opening <- struct{}{}:
		defer func() { <-s.opening }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if known := s.known(); known != nil {
		return known, nil
	}
	spoken, err := s.open(ctx)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoken = spoken
	return spoken, nil
}

// known is how the server is spoken with; nil: nothing was asked yet.
func (s *server) known() model.Backend {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spoken
}

// reach is how the server is reached, and what each request carries.
func (s *server) reach() (client *http.Client, headers http.Header, err error) {
	if client, err = s.client(s.way); err != nil {
		return nil, nil, err
	}
	headers, err = s.headers()
	return client, headers, err
}

// puller is how the server is asked to fetch a model; nil: it cannot, or did not say yet that it can. Nothing is asked.
func (s *server) puller() model.Puller {
	if s.Kind == Ollama && s.known() == nil {
		if client, headers, err := s.reach(); err == nil { // else the next request says what is wrong
			if spoken, err := s.openOllama(client, headers); err == nil {
				s.mu.Lock()
				s.spoken = cmp.Or(s.spoken, spoken)
				s.mu.Unlock()
			}
		}
	}
	able, _ := s.known().(model.Puller)
	return able
}

func (s *server) open(ctx context.Context) (model.Backend, error) {
	client, headers, err := s.reach()
	if err != nil {
		return nil, err
	}
	if s.Kind == Ollama {
		return s.openOllama(client, headers)
	}
	spoken, err := openai.New(openai.Config{
		Name: s.Name, URL: s.base(), Kind: string(s.Kind), Client: client, Key: s.key,
		Headers: headers, Context: s.Context, Slots: s.Slots,
	})
	if err != nil || s.Kind != Auto {
		return spoken, err
	}
	if _, err = spoken.Kind(ctx); err == nil {
		return spoken, nil
	}
	// Ollama's own protocol can do what the one of OpenAI cannot, such as the context size, thinking and loading.
	own, wrong := s.openOllama(client, headers)
	if wrong == nil {
		if _, wrong = own.Version(ctx); wrong == nil {
			return own, nil
		}
	}
	return nil, err
}

// base is the URL of the server. That of a Unix socket has a host that is never looked up.
func (s *server) base() string {
	if s.Socket != "" {
		return "http://localhost"
	}
	return strings.TrimSuffix(s.URL, "/")
}

func (s *server) openOllama(client *http.Client, headers http.Header) (model.Backend, error) {
	base, err := url.Parse(strings.TrimSuffix(s.base(), "/v1"))
	if err != nil {
		return nil, err
	}
	return ollama.NewAuthorized(base, transport.NewAuthorized(client.Transport, headers, s.key)), nil
}

// failure is an error as every backend gives it. What is wrong with a key or a certificate is said as it is.
func (s *server) failure(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	err = s.certain(err)
	if known, ok := errors.AsType[*model.Error](err); ok {
		return known
	}
	return &model.Error{Kind: model.Refused, Sentence: transport.Sentence(err), Cause: err}
}

// key is the key of the server, for the clients that send it.
func (s *server) key(ctx context.Context) (string, error) {
	key, err := s.keys.get(ctx)
	if err != nil && ctx.Err() == nil {
		err = (&saidError{model.Refused, transport.Sentence(err), err}).failure()
	}
	return key, err
}

// certain says what is wrong with a key or a certificate, if that is what an error is about; any other error stays as
// it is.
func (s *server) certain(err error) error {
	if wrong, ok := errors.AsType[*saidError](err); ok {
		return wrong.failure()
	}
	return err
}

// slotted is a backend that knows how many requests its server answers at once.
type slotted interface{ Slots(ctx context.Context) int }

// models lists what the server has, and remembers that.
func (s *server) models(ctx context.Context) ([]model.Info, error) {
	b, err := s.backend(ctx)
	if err != nil {
		return nil, err
	}
	list, err := b.Models(ctx)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	s.mu.Lock()
	s.listed = slices.Clone(list)
	s.mu.Unlock()
	return list, nil
}

// describe says what is known of a model, and learns how many requests the server answers at once.
func (s *server) describe(ctx context.Context, name string) (model.Info, error) {
	b, err := s.backend(ctx)
	if err != nil {
		return model.Info{}, err
	}
	info, err := b.Describe(ctx, name)
	if err != nil {
		return info, s.failure(ctx, err)
	}
	if wide, ok := b.(slotted); ok && s.width() == 0 && s.unapproved() == nil {
		n := wide.Slots(ctx)
		s.mu.Lock()
		s.slots = n
		s.mu.Unlock()
	}
	return info, nil
}

// width is how many requests the server answers at once; 0: not known.
func (s *server) width() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.Slots, s.slots)
}

// before is what the server listed last.
func (s *server) before() []model.Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.listed)
}

// elsewhere is the machine of a server that is not this one; empty: it is.
func (s *server) elsewhere() string {
	if s.usual || s.isLocal() {
		return ""
	}
	return s.host()
}
