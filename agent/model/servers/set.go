package servers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools/diskfile"
)

// Set is all model servers as one backend. A model is named SERVER/MODEL; a name without a server means the first
// server that has it. While Ollama is the only server, its models have their own names alone. It is safe for concurrent
// use.
type Set struct {
	options Options
	finder  *finder

	mu       sync.Mutex
	watch    *diskfile.Watch // guarded by mu
	declared []*server       // guarded by mu: in the order of the file, then Ollama, unless the file declares one
	problems []Problem       // guarded by mu
	// guarded by mu: which server a name without a server meant last
	meant map[string]*server
}

// Set implements what any of its servers may be able to do.
var (
	_ model.Backend    = (*Set)(nil)
	_ model.Inspector  = (*Set)(nil)
	_ model.Embedder   = (*Set)(nil)
	_ model.Inserter   = (*Set)(nil)
	_ model.Puller     = (*Set)(nil)
	_ model.Counter    = (*Set)(nil)
	_ model.Prober     = (*Set)(nil)
	_ model.Discoverer = (*Set)(nil)
	_ model.Placed     = (*Set)(nil)
	_ model.Limiter    = (*Set)(nil)
	_ model.Listed     = (*Set)(nil)
)

// Options are what a Set is made of.
type Options struct {
	File  string          // the path of servers.json; it is read again when it has changed
	Usual *ollama.Backend // Ollama where OLLAMA_HOST says
	// what the user approved before; nil: nothing is remembered, and nothing is looked for
	Approved Approvals
	Ports    []string              // of this machine, where servers are looked for; empty: nowhere
	Network  *network.Network      // reaches all servers but the usual one, and starts programs that print keys
	Dial     Dial                  // over TCP in place of Network; nil: Network is the way
	Tell     func(sentence string) // tells the user what is wrong in the file; nil: nobody is told
}

// New makes a Set. It asks nobody.
func New(o Options) *Set {
	return &Set{
		options: o, finder: newFinder(o.Approved, o.Ports, way{o.Network, o.Dial}), watch: diskfile.NewWatch(o.File),
		meant: map[string]*server{},
	}
}

// servers are those that are declared now.
func (s *Set) servers() []*server {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watch.Changed() {
		s.read()
	}
	return s.declared
}

// read reads the file; mu is held. A server that is declared as before stays as it is, and a file that is no JSON
// changes nothing.
func (s *Set) read() {
	data, err := diskfile.ReadSmall(s.options.File, jsonc.MaxSize)
	before, told := s.declared, s.problems
	var list []Declaration
	switch {
	case s.options.File == "":
	case err != nil:
		s.problems = []Problem{{Error: jsonc.Error{Reason: "the file cannot be read: " + err.Error()}}}
	case len(data) > 0:
		list, s.problems = Parse(data)
	default:
		s.problems = nil
	}
	if !slices.Equal(told, s.problems) {
		s.tell()
	}
	if len(list) == 0 && hasError(s.problems) && before != nil {
		return
	}
	s.declared = nil
	usual := s.options.Usual != nil
	for _, d := range list {
		usual = usual && d.Kind != Ollama && d.Name != string(Ollama)
		s.add(before, newServer(d, way{s.options.Network, s.options.Dial}))
	}
	if usual {
		s.add(before, newUsual(s.options.Usual))
	}
	clear(s.meant)
	s.finder.declare(list)
}

func (s *Set) add(before []*server, made *server) {
	same := func(old *server) bool { return reflect.DeepEqual(old.Declaration, made.Declaration) }
	if i := slices.IndexFunc(before, same); i >= 0 {
		made = before[i]
	}
	s.declared = append(s.declared, made)
}

func (s *Set) tell() {
	for _, p := range s.problems {
		if s.options.Tell != nil {
			s.options.Tell(fmt.Sprintf("%s: %s.", s.options.File, p.Reason))
		}
	}
}

// Problems are what is wrong in the file.
func (s *Set) Problems() []Problem {
	s.servers()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// all are the servers that may be asked: also those found before, if the user approved them.
func (s *Set) all() []*server { return slices.Concat(s.servers(), s.finder.approved()) }

// single is the only server; nil: there are several.
func (s *Set) single() *server {
	if all := s.all(); len(all) == 1 && all[0].usual {
		return all[0]
	}
	return nil
}

// named finds the server that a name begins with, and what the server calls the model. ok is false where the name
// begins with none.
func (s *Set) named(name string) (of *server, own string, ok bool) {
	before, after, cut := strings.Cut(name, "/")
	if !cut || after == "" {
		return nil, name, false
	}
	for _, one := range slices.Concat(s.servers(), s.finder.known()) {
		if strings.EqualFold(one.Name, before) {
			return one, after, true
		}
	}
	return nil, name, false
}

// full is the name of a model as all others use it.
func (s *Set) full(of *server, own string) string {
	if s.single() != nil && of.usual {
		return own
	}
	return of.Name + "/" + own
}

// info is what a server says about a model, as all others are told it.
func (s *Set) info(of *server, i model.Info) (model.Info, error) {
	i.Name = s.full(of, i.Name)
	if of.Socket != "" { // its URL has a host that is never looked up
		i.Endpoint.Address, i.Endpoint.Port = of.Socket, 0
	}
	if s.single() != nil && of.usual {
		return i, nil
	}
	i.Server = of.called()
	i.Found = of.unapproved()
	if host := of.elsewhere(); host != "" {
		i.RemoteHost = cmp.Or(i.RemoteHost, host)
		var err error
		if i.Send, err = of.sending(); err != nil {
			return i, &model.Error{Kind: model.Refused, Sentence: err.Error() + ".", Cause: err}
		}
	}
	return i, nil
}

// called is what people call a server, and where it is.
func (s *server) called() string { return s.Name + " at " + s.at() }

// at says to people where a server is.
func (s *server) at() string {
	if s.usual {
		return strings.TrimPrefix(s.known().Name(), "Ollama at ")
	}
	return s.Place()
}

// Name implements [model.Backend].
func (s *Set) Name() string {
	if servers := s.servers(); len(servers) == 1 {
		if spoken := servers[0].known(); spoken != nil {
			return spoken.Name()
		}
		return servers[0].Name
	}
	return "your model servers"
}

// Way says how Ollama is reached where OLLAMA_HOST says, in words that fit after "reached".
func (s *Set) Way() string {
	if s.options.Usual == nil {
		return ""
	}
	return s.options.Usual.Way()
}

// Memory implements [model.Backend]: of this machine, where any server is here.
func (s *Set) Memory() int64 {
	for _, of := range s.servers() {
		if spoken := of.known(); spoken != nil && spoken.Memory() > 0 {
			return spoken.Memory()
		}
	}
	return 0
}

// Version implements [model.Backend]: of the first server that answers.
func (s *Set) Version(ctx context.Context) (string, error) {
	var first error
	for _, of := range s.all() {
		b, err := of.backend(ctx)
		if err == nil {
			var version string
			if version, err = b.Version(ctx); err == nil {
				return version, nil
			}
		}
		first = cmp.Or(first, err)
	}
	return "", first
}

// Models implements [model.Backend]: of all servers, in their order. A server that does not answer has none, unless
// none of them does.
func (s *Set) Models(ctx context.Context) ([]model.Info, error) {
	return s.list(func(of *server) ([]model.Info, error) { return of.models(ctx) })
}

// Listed implements [model.Listed].
func (s *Set) Listed(ctx context.Context) ([]model.Info, error) {
	return s.list(func(of *server) ([]model.Info, error) {
		if len(of.KeyCommand) > 0 {
			return of.before(), nil
		}
		return of.models(ctx)
	})
}

func (s *Set) list(of func(*server) ([]model.Info, error)) (all []model.Info, err error) {
	servers := s.all()
	lists, errs := make([][]model.Info, len(servers)), make([]error, len(servers))
	var beside conc.WaitGroup
	for i, one := range servers {
		beside.Go(func() { lists[i], errs[i] = of(one) })
	}
	beside.Wait()
	answered := false
	for i, one := range servers {
		if errs[i] != nil {
			err = cmp.Or(err, errs[i])
			continue
		}
		answered = true
		for _, listed := range lists[i] {
			info, wrong := s.info(one, listed)
			if wrong != nil {
				return nil, wrong
			}
			if s.stays(info) == nil {
				all = append(all, info)
			}
		}
	}
	if answered {
		err = nil
	}
	return all, err
}

// Describe implements [model.Backend]. Of a name without a server it asks one server after the other.
func (s *Set) Describe(ctx context.Context, name string) (model.Info, error) {
	if of, own, ok := s.named(name); ok {
		return s.described(ctx, of, own)
	}
	if only := s.single(); only != nil {
		return s.described(ctx, only, name)
	}
	var down []string
	var missing error
	for _, of := range s.all() {
		info, err := s.described(ctx, of, name)
		if err == nil {
			s.mu.Lock()
			s.meant[name] = of
			s.mu.Unlock()
			return info, nil
		}
		known, _ := errors.AsType[*model.Error](err)
		switch {
		case ctx.Err() != nil || known == nil:
			return info, err
		case known.Kind == model.NotInstalled:
			missing = cmp.Or(missing, err)
		default:
			down = append(down, known.Sentence)
		}
	}
	return model.Info{}, s.nowhere(name, missing, down)
}

func (s *Set) described(ctx context.Context, of *server, own string) (model.Info, error) {
	info, err := of.describe(ctx, own)
	if err != nil {
		return info, err
	}
	if info, err = s.info(of, info); err == nil {
		err = s.stays(info)
	}
	return info, err
}

// stays says why a model is not asked offline: its server is on this machine, and has it answer elsewhere; nil: it is.
func (s *Set) stays(info model.Info) error {
	host := info.Elsewhere()
	if host == "" || !s.options.Network.Offline() {
		return nil
	}
	return &model.Error{Kind: model.Refused, Cause: network.ErrOffline, Sentence: fmt.Sprintf(
		"%s answers at %s, and %v: choose a model of this machine.", info.Name, host, network.ErrOffline,
	)}
}

// nowhere says that no server has a model.
func (s *Set) nowhere(name string, missing error, down []string) error {
	if missing == nil && len(down) == 1 {
		return &model.Error{Kind: model.Unreachable, Sentence: down[0]}
	}
	sentence := fmt.Sprintf("No model server has a model %q: `assent models` lists what there is.", name)
	if before, _, cut := strings.Cut(name, "/"); cut {
		sentence = fmt.Sprintf(
			"No model server has a model %q, and none is called %q: `assent models` lists what there is.", name, before,
		)
	}
	return &model.Error{
		Kind: model.NotInstalled, Sentence: strings.Join(append([]string{sentence}, down...), " "), Cause: missing,
	}
}

// of finds the server for a request, and how that calls the model. It asks nobody, but for a name that nobody
// described.
func (s *Set) of(ctx context.Context, name string) (of *server, own string, err error) {
	if of, own, ok := s.remembered(name); ok {
		return of, own, nil
	}
	info, err := s.Describe(ctx, name)
	if err != nil {
		return nil, name, err
	}
	of, own, _ = s.named(info.Name)
	return of, own, nil
}

// remembered is of, for names that need no question.
func (s *Set) remembered(name string) (of *server, own string, ok bool) {
	if of, own, ok = s.named(name); ok {
		return of, own, ok
	}
	if only := s.single(); only != nil {
		return only, name, true
	}
	all := s.all()
	s.mu.Lock()
	defer s.mu.Unlock()
	of = s.meant[name]
	if !slices.Contains(all, of) { // it was described while the file changed
		return nil, name, false
	}
	return of, name, true
}

// ask gives the backend for a request that has something of the user in it.
func (s *Set) ask(ctx context.Context, name string) (of *server, b model.Backend, own string, err error) {
	if of, own, err = s.of(ctx, name); err != nil {
		return nil, nil, name, err
	}
	if at := of.unapproved(); at != nil {
		return nil, nil, own, &model.Error{Kind: model.Refused, Sentence: fmt.Sprintf(
			"Nothing was sent to %s: nobody declared or approved the server there.", at.Address)}
	}
	if b, err = of.backend(ctx); err == nil && s.options.Network.Offline() {
		_, err = s.described(ctx, of, own) // it may have become a model elsewhere
	}
	return of, b, own, err
}

// askAs is ask for a request that was decided on by what was told of its model: it goes to no server on another machine
// but that one, whatever the file says by now.
func (s *Set) askAs(
	ctx context.Context, req model.Request,
) (of *server, b model.Backend, own model.Request, err error) {
	of, b, req.Model, err = s.ask(ctx, req.Model)
	if err == nil && of.elsewhere() != "" && req.Server != of.called() {
		err = of.refused("is at " + of.at() + " by now, which nobody was asked about, so nothing was sent: send again")
	}
	return of, b, req, err
}

// Chat implements [model.Backend].
func (s *Set) Chat(ctx context.Context, req model.Request, each func(model.Chunk) error) error {
	of, b, req, err := s.askAs(ctx, req)
	if err != nil {
		return err
	}
	host := of.elsewhere()
	if host != "" {
		next := each
		each = func(c model.Chunk) error {
			c.RemoteHost = cmp.Or(c.RemoteHost, host)
			return next(c)
		}
	}
	return of.certain(b.Chat(ctx, req, each))
}

// Unload implements [model.Backend].
func (s *Set) Unload(ctx context.Context, name string) error {
	_, b, own, err := s.ask(ctx, name)
	if err != nil {
		return err
	}
	return b.Unload(ctx, own)
}

// Preload implements [model.Backend].
func (s *Set) Preload(ctx context.Context, name string, contextSize int, keepAlive time.Duration) error {
	_, b, own, err := s.ask(ctx, name)
	if err != nil {
		return err
	}
	return b.Preload(ctx, own, contextSize, keepAlive)
}

// Sending implements [model.Limiter]. Of a model whose server is no longer declared nothing is allowed unasked.
func (s *Set) Sending(name string) (model.Sending, error) {
	of, _, ok := s.remembered(name)
	if !ok {
		return model.Sending{}, nil
	}
	return of.sending()
}

// Place implements [model.Placed].
func (s *Set) Place(name string) (place string, slots int) {
	of, _, ok := s.remembered(name)
	if servers := s.servers(); !ok && len(servers) > 0 {
		of = servers[0]
	}
	if of == nil {
		return "", 1
	}
	return of.place, max(of.width(), 1)
}
