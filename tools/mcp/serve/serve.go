// Package serve offers the tools of a workspace to other programs: it is a server of the Model Context Protocol. Each
// call goes through the dispatcher and policy like those of a model, and what policy asks about is asked through the
// program that calls.
package serve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

// Options of New.
type Options struct {
	Version string // of this program
	// Tools runs the tools that there are now. After an error, which has a sentence for each tool that cannot be used,
	// it runs the others.
	Tools     func(context.Context) (*tools.Dispatcher, error)
	Mode      func() policy.Mode                            // how much runs without a question; nil: policy.ModeAsk
	Workspace *workspace.Workspace                          // whose files are offered as resources; nil: none
	Prompts   []Prompt                                      // that are offered
	Changed   func(tool string, changes []tools.FileChange) // gets what a call did to files; nil: nobody wants to know
	Left      func(reads *tools.ReadSet)                    // a caller with such a set is gone; nil: nobody listens
	// tells the person who started the server that something is not used
	Warn func(sentence string)
	Log  *slog.Logger  // never on standard output
	Poll time.Duration // how often a change of the list of tools is looked for; 0: five seconds
	Wait time.Duration // how long an answer to a question is waited for; 0: ten minutes
}

// Server serves the tools of one workspace to any number of sessions.
type Server struct {
	options   Options
	mcp       *mcp.Server
	closing   chan struct{} // closed by Close
	starting  sync.Once
	close     sync.Once
	questions *questions

	refreshing sync.Mutex // one refresh at a time; taken before mu

	mu       sync.Mutex
	tools    *tools.Dispatcher               // guarded by mu; nil: nobody asked for the tools yet
	served   map[string]tools.Spec           // guarded by mu: by name
	sessions map[*mcp.ServerSession]*session // guarded by mu
	named    map[string]*session             // guarded by mu: of clients without sessions, by what they call themselves
}

// session is what is remembered of one client.
type session struct {
	client any // equal for all requests of one client alone
	reads  *tools.ReadSet
	used   time.Time // last
}

// pageSize is how many entries a page of a list has.
const pageSize = 100

// New makes a server. It starts nothing; Close ends what its sessions start.
func New(o Options) *Server {
	o.Poll, o.Wait = cmp.Or(o.Poll, 5*time.Second), cmp.Or(o.Wait, 10*time.Minute)
	s := &Server{
		options: o, closing: make(chan struct{}), questions: &questions{wait: o.Wait, open: map[string]*pending{}},
		served: map[string]tools.Spec{}, sessions: map[*mcp.ServerSession]*session{}, named: map[string]*session{},
	}
	has := &mcp.ServerCapabilities{
		Logging: &mcp.LoggingCapabilities{}, Tools: &mcp.ToolCapabilities{ListChanged: true},
	}
	if o.Workspace != nil { // nobody is told when a file comes or goes
		has.Resources = &mcp.ResourceCapabilities{}
	}
	if len(o.Prompts) > 0 {
		has.Prompts = &mcp.PromptCapabilities{}
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "assent", Title: "Assent", Version: o.Version}, &mcp.ServerOptions{
		PageSize: pageSize, Logger: quiet(o.Log),
		// all of it is of one user's folder
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
		Instructions: "The tools of one folder. Calls that change something are asked about: " +
			"of the person at your side if you can ask them, else nothing is done.",
		Capabilities: has,
	})
	s.mcp.AddReceivingMiddleware(s.current)
	if o.Workspace != nil {
		s.mcp.AddResourceTemplate(
			&mcp.ResourceTemplate{Name: "file", Title: "A file of the folder", URITemplate: fileTemplate}, s.readFile,
		)
	}
	for _, p := range o.Prompts {
		s.addPrompt(p)
	}
	return s
}

// closeTime is how long the end of a session is waited for.
const closeTime = 5 * time.Second

// Run serves one client on a transport, until the client or ctx ends it.
func (s *Server) Run(ctx context.Context, t mcp.Transport) error {
	if err := s.start(ctx); err != nil {
		return err
	}
	session, err := s.mcp.Connect(ctx, t, nil)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err = session.Wait()
	}()
	select {
	case <-ended:
		if err != nil {
			return fmt.Errorf("the client sent what cannot be read, so its session ended: %w", err)
		}
		return nil
	case <-ctx.Done():
		s.Close()
		go func() { _ = session.Close() }() // it waits for the calls, which Close has stopped
		select {
		case <-ended:
		case <-time.After(closeTime): // a client that reads nothing holds it up
		}
		return nil
	}
}

// start lists the tools before the first client comes, so that it is not told of a change, and watches them as long as
// ctx lives, which is as long as the program serves.
func (s *Server) start(ctx context.Context) (err error) {
	s.starting.Do(func() {
		err = s.refresh(ctx)
		go s.watch(ctx)
	})
	return err
}

// Close stops all calls that run or wait for an answer.
func (s *Server) Close() {
	s.close.Do(func() {
		close(s.closing)
		s.questions.end()
	})
}

// untilClosed is a context of a request that also ends with the server.
func (s *Server) untilClosed(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-s.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// maxNamed is how many clients without sessions are remembered.
const maxNamed = 64

// sessionOf is what is remembered of the client of a request. Over HTTP a client of the protocol without sessions is
// known by its name alone.
func (s *Server) sessionOf(r *mcp.CallToolRequest) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Extra != nil && r.Extra.Header != nil && r.Session.ID() == "" {
		name := clientName(r.ClientInfo())
		if s.named[name] == nil {
			if len(s.named) >= maxNamed {
				s.forgetOldest()
			}
			s.named[name] = &session{client: name, reads: tools.NewReadSet()}
		}
		s.named[name].used = time.Now()
		return s.named[name]
	}
	if s.sessions[r.Session] == nil {
		s.sessions[r.Session] = &session{client: r.Session, reads: tools.NewReadSet()}
		go func() {
			_ = r.Session.Wait() // whatever ended it
			s.mu.Lock()
			defer s.mu.Unlock()
			s.left(s.sessions[r.Session])
			delete(s.sessions, r.Session)
		}()
	}
	return s.sessions[r.Session]
}

// forgetOldest forgets the client without a session that called longest ago, which has to read its files again; mu is
// held.
func (s *Server) forgetOldest() {
	names := slices.Collect(maps.Keys(s.named))
	oldest := slices.MinFunc(names, func(a, b string) int { return s.named[a].used.Compare(s.named[b].used) })
	s.left(s.named[oldest])
	delete(s.named, oldest)
}

// left tells that a client is gone.
func (s *Server) left(gone *session) {
	if s.options.Left != nil {
		s.options.Left(gone.reads)
	}
}

// maxName is how many characters of a client's name are shown.
const maxName = 60

// clientName is how a client calls itself, made harmless for questions and logs. It is a claim.
func clientName(info *mcp.Implementation) string {
	if info == nil || visible.Line(info.Name) == "" {
		return "a program without a name"
	}
	return visible.Shorten(visible.Line(info.Name), maxName)
}

// Stdio is the transport of a client that started this program: a message per line. Nothing else may be written to out.
func Stdio(in io.ReadCloser, out io.WriteCloser) mcp.Transport {
	return &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: maxMessage}
}

// maxMessage is how many bytes a message of a client may have.
const maxMessage = 16 << 20
