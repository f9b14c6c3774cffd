// Package mcp has the tools of servers that speak the Model Context Protocol. The user declares servers in a file of
// their own; a workspace may declare some, which do nothing until the user trusts each with all that it says. Servers
// start when a run first needs their tools, and end with the program. What they say about themselves and what they
// answer is somebody else's text.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/mcp/login"
	"github.com/assent-ls/assent/tools/mcp/tooldef"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/trust"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// Options of New.
type Options struct {
	File      string               // of the user's own servers; empty: none
	Launch    []byte               // servers for this launch, in the form of such a file; nil: none
	Others    func() bool          // whether the files of other programs in the workspace are read; nil: they are not
	Workspace *workspace.Workspace // its servers count if they are trusted; nil: there is none
	Trust     *trust.Store
	Policy    *policy.Policy   // knows what was allowed by answers; nil: nobody does
	State     *userstate.State // keeps which definitions were allowed, and the logs
	Shell     shell.Shell      // keeps the servers' processes
	Network   *network.Network // reaches those that have a url
	Taken     []string         // names that tools of servers never get
	Version   string           // of this program, for the servers
	// Models says that calls may come from runs, whose model can answer servers if the person lets it.
	Models bool
	// Reach makes what reaches a server that has a url, in the place of the network: tests do without one. nil: the
	// network.
	Reach func(url string) sdk.Transport
}

// The files of a workspace that declare servers.
const (
	File       = ".assent/mcp.json"
	fromLaunch = "--mcp-server"
)

// OtherFiles are those in which a workspace declares servers for other programs.
func OtherFiles() []string { return []string{".mcp.json", ".vscode/mcp.json"} }

// Source are the tools of all servers of one workspace. It may be used concurrently.
type Source struct {
	options Options
	pins    *pins
	logins  *login.Store
	times   times

	mu      sync.Mutex
	servers map[string]*server // guarded by mu: those that count, by name
	stopped map[string]bool    // guarded by mu: the names of those that a person stopped
	closed  bool               // guarded by mu

	ending sync.WaitGroup // servers that are declared no more
}

// New makes the source. It reads nothing and starts nothing.
func New(o Options) *Source {
	return &Source{
		options: o, pins: newPins(o.State), logins: login.NewStore(o.State, o.Network), times: usual,
		servers: map[string]*server{}, stopped: map[string]bool{},
	}
}

// Name implements tools.Source.
func (s *Source) Name() string { return "the MCP servers" }

// Tools implements tools.Source. The files are read for each run. It waits for servers that start as long as ctx
// allows; those that take longer are there for a later run.
func (s *Source) Tools(ctx context.Context) ([]tools.Tool, <-chan struct{}, error) {
	outdated := tools.Outdated() // files and lists change unseen
	declared, problems := s.Declared(ctx)
	if os.Getenv(served) != "" {
		declared, problems = nil, nil
	}
	var count []Declaration
	for _, d := range declared {
		switch {
		case d.Disabled:
		case d.Why != "":
			problems = append(problems, errors.New(d.Why))
		default:
			count = append(count, d.Declaration)
		}
	}
	servers, err := s.use(count)
	if err != nil {
		return nil, outdated, err
	}
	list, missing := s.collect(ctx, servers)
	return list, outdated, errors.Join(append(problems, missing...)...)
}

var errClosed = errors.New("they are not used any more")

// use makes servers of the declarations that count and are not stopped, and ends those that are declared no more, or
// otherwise.
func (s *Source) use(count []Declaration) ([]*server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	var list []*server
	now := map[string]*server{}
	for _, d := range count {
		if s.stopped[d.Name] {
			continue
		}
		known := s.servers[d.Name]
		if known == nil || !known.same(d) {
			known = newServer(d, s)
		}
		now[d.Name] = known
		list = append(list, known)
	}
	for name, old := range s.servers {
		if now[name] != old {
			s.ending.Go(old.close)
		}
	}
	s.servers = now
	return list, nil
}

const (
	patience = time.Second            // how much of the time that a run waits is left to put the answer together
	grace    = 200 * time.Millisecond // what a server has to say that its time is over
)

var errNoAnswer = errors.New("does not answer in time: its tools are there for a later message if it does")

// collect asks all servers at once. One that fails hides no other.
func (s *Source) collect(ctx context.Context, servers []*server) (list []tools.Tool, problems []error) {
	if deadline, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-patience))
		defer cancel()
	}
	listings := listings(ctx, servers)
	named := s.names(listings)
	for i, server := range servers {
		for _, problem := range listings[i].problems {
			problems = append(problems, fmt.Errorf("the server %s: %w", server.Name, problem))
		}
		for _, d := range listings[i].tools {
			list = append(list, newTool(d, server, s.pins, named(server, d), s.key()))
		}
	}
	return list, problems
}

// listings are what the servers list. One that answers nothing at all is not waited for longer than ctx lasts, and a
// little.
func listings(ctx context.Context, servers []*server) []listing {
	late := make(chan struct{})
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, func() { close(late) }) })()
	answers := make([]chan listing, len(servers))
	for i, server := range servers {
		answers[i] = make(chan listing, 1)
		go func() {
			_, l, err := server.tools(ctx)
			if err != nil {
				l.problems = append(l.problems, err)
			}
			answers[i] <- l
		}()
	}
	all := make([]listing, len(servers))
	for i := range servers {
		select {
		case all[i] = <-answers[i]:
		case <-late:
			select {
			case all[i] = <-answers[i]:
			default:
				all[i].problems = []error{errNoAnswer}
			}
		}
	}
	return all
}

// names says how each tool is called: as it calls itself, or with its server in front if that name is another's, too.
func (s *Source) names(listings []listing) func(*server, *tooldef.Definition) string {
	count := map[string]int{}
	for _, l := range listings {
		for _, d := range l.tools {
			count[d.Own]++
		}
	}
	return func(of *server, d *tooldef.Definition) string {
		if count[d.Own] == 1 && !slices.Contains(s.options.Taken, d.Own) && !strings.Contains(d.Own, "__") {
			return d.Own
		}
		name := tooldef.NotInNames().ReplaceAllString(of.Name, "_") + "__" + d.Own
		if len(name) > tooldef.MaxName {
			name = tooldef.Shortened(name)
		}
		return name
	}
}

// Close ends all servers.
func (s *Source) Close() error {
	s.mu.Lock()
	s.closed = true
	servers := s.servers
	s.servers = nil
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, server := range servers {
		wg.Go(server.close)
	}
	wg.Wait()
	s.ending.Wait()
	return nil
}

func (s *Source) folder() string {
	if s.options.Workspace == nil {
		return ""
	}
	return s.options.Workspace.Root()
}

func (s *Source) key() string {
	if s.options.Workspace == nil {
		return ""
	}
	return s.options.Workspace.Key()
}

// logPath is the file of the log of a server.
func (s *Source) logPath(name string) string {
	return logPath(s.options.State.Dir(), s.key(), name)
}
