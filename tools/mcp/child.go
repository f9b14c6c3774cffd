package mcp

import (
	"context"
	"encoding/json"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/userstate"
)

// Child is a server that other code of this program calls: no model sees its tools, and nobody is asked about its
// calls. It starts at the first call, starts again after it ended, and ends with Close. It may be used concurrently.
type Child struct{ server *server }

// ChildOptions of NewChild.
type ChildOptions struct {
	Name    string                // names its log among those of servers
	Start   func() (Start, error) // what is started; the error is a sentence without its end
	State   *userstate.State      // keeps the log
	Shell   shell.Shell           // keeps the process
	Version string                // of this program, for the server
}

// Start is the program of a child. It gets the usual few variables of this program's environment besides Env.
type Start struct {
	Argv    []string // the program by its absolute path, and its arguments
	Env     map[string]string
	Dir     string
	Secrets []string // what no log and no error shows
}

// NewChild makes a child and starts nothing.
func NewChild(o ChildOptions) *Child {
	life, end := context.WithCancel(context.Background())
	return &Child{&server{
		Declaration: Declaration{Name: o.Name, Ours: true, Kind: Stdio},
		options:     Options{Version: o.Version, Shell: o.Shell}, times: usual, life: life, end: end,
		log: &serverLog{path: logPath(o.State.Dir(), "child", o.Name)}, allowed: func() string { return "" },
		resolve: func() (launch, error) {
			s, err := o.Start()
			return launch{
				argv: s.Argv, env: environment(s.Env), dir: s.Dir, secrets: resolver{secrets: s.Secrets},
			}, err
		},
	}}
}

// Serves is the name and the version that the child reports.
func (c *Child) Serves(ctx context.Context) (name, version string, err error) {
	live, err := c.server.connected(ctx)
	if err != nil {
		return "", "", err
	}
	if said := live.session.InitializeResult(); said != nil && said.ServerInfo != nil {
		return said.ServerInfo.Name, said.ServerInfo.Version, nil
	}
	return "", "", nil
}

// Call calls a tool. It gives the texts of the answer; failed says that they are an error of the tool's. The error is a
// sentence without its end, or that of ctx.
func (c *Child) Call(ctx context.Context, tool string, arguments any) (texts []string, failed bool, err error) {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, false, err
	}
	live, err := c.server.connected(ctx)
	if err != nil {
		return nil, false, err
	}
	answer, err := live.call(ctx, tool, tool, raw, nil, nil)
	if err != nil {
		return nil, false, err
	}
	c.server.worked()
	for _, part := range answer.Content {
		text, ok := part.(*sdk.TextContent)
		if !ok {
			return nil, false, errors.New("it answered with something else than text")
		}
		texts = append(texts, live.hide(text.Text))
	}
	return texts, answer.IsError, nil
}

// Stop ends the process, whatever it is doing. The next call starts it again.
func (c *Child) Stop() { c.server.stop() }

// Said is the end of what the process said on its standard error, and what became of it.
func (c *Child) Said() string {
	l := c.server.log
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// Close ends the child for good.
func (c *Child) Close() { c.server.close() }
