package session

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/assent-ls/assent/agent/session/history"
	"github.com/assent-ls/assent/agent/session/meaning"
	"github.com/assent-ls/assent/agent/session/recall"
	"github.com/assent-ls/assent/agent/trace"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/background"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/egress/proxy"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/python"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/sql"
	"github.com/assent-ls/assent/tools/trust"
	"github.com/assent-ls/assent/tools/userdefined"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// Parts are what the tools and the environment of every workspace are made from. A program fills them once.
type Parts struct {
	Settings *settings.Store
	State    *userstate.State
	Policy   *policy.Policy
	Trust    *trust.Store // which files of a workspace count that need it; nil: there are no tools of the user's own
	Shell    shell.Shell  // runs commands
	Network  *network.Network
	Config   string // the user's configuration folder; empty: the default
	// Sandbox makes what confines the commands in a workspace; nil: there is none.
	Sandbox func(*workspace.Workspace) runcommand.Sandbox
	// Servers makes the source of the tools of MCP servers in a workspace, or without one; nil: there are none.
	Servers func(ws *workspace.Workspace, now func() settings.Settings) *mcp.Source
	// Databases makes the source of the tools for the user's databases in a workspace, or without one; nil: there are
	// none.
	Databases func(ws *workspace.Workspace, now func() settings.Settings) *sql.Source
	// Python gives the interpreter for programs of models; nil: models write none.
	Python  func() (python.Interpreter, error)
	History *history.History // finds the user's chats; nil: models cannot
	Traces  *trace.Exporter  // sends traces of runs; nil: there are none
}

// Tooling is what the conversations in one workspace can call, and what confines it. Its Tools are closed before the
// workspace.
type Tooling struct {
	Tools   *tools.Sources
	Servers *mcp.Source        // one of the sources of Tools; nil: there are none
	Sandbox runcommand.Sandbox // of commands; nil: there is none
	// the commands that go on running while chats do something else, one of the sources of Tools; nil: there are none
	Background *background.Source
}

// ConfigFolder is the user's configuration folder of Assent.
func (p Parts) ConfigFolder() (string, error) { return configFolder(p.Config) }

// configFolder is the user's configuration folder; given is empty for the default.
func configFolder(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	path, err := settings.UserPath()
	return filepath.Dir(path), err
}

// Tooling makes the tools of a workspace, or those that need none (nil). now are the settings in force whenever they are
// asked for; ranks is what calls search through, nil: by words alone. Tools of more come before those of MCP servers.
func (p Parts) Tooling(
	ws *workspace.Workspace, now func() settings.Settings, ranks *meaning.Ranking, more ...tools.Source,
) Tooling {
	var t Tooling
	timeout := func() time.Duration { return time.Duration(now().CommandTimeout) }
	if p.Sandbox != nil && ws != nil {
		t.Sandbox = p.Sandbox(ws)
	}
	all := []tools.Source{Web(now, p.Network)}
	if config, err := p.ConfigFolder(); err == nil && ws != nil && p.Trust != nil {
		all = append(all, userdefined.New(userdefined.Options{
			Folder:    filepath.Join(config, "tools"),
			Workspace: ws, Trust: p.Trust, Shell: p.Shell, Sandbox: t.Sandbox, Timeout: timeout,
		}))
	}
	if p.Databases != nil {
		all = append(all, p.Databases(ws, now))
	}
	tries := func() bool { return now().Commands == "try" }
	if ws != nil {
		t.Background = p.background(ws, t.Sandbox, tries, now)
		all = append(all, t.Background)
	}
	if p.Python != nil {
		all = append(all, p.programs(ws, t.Sandbox, timeout, tries, now))
	}
	if p.History != nil {
		all = append(all, recall.New(p.History, ws))
	}
	all = append(all, more...)
	if p.Servers != nil {
		t.Servers = p.Servers(ws, now)
		all = append(all, t.Servers)
	}
	own := builtin.Tools(ws, builtin.Options{
		CommandTimeout: timeout, Shell: p.Shell, Sandbox: t.Sandbox,
		Tries: tries,
		Out:   &proxy.Out{Network: p.Network, Private: func() []string { return now().PrivateHosts.All() }},
	})
	t.Tools = tools.NewSources(own, all...).Choose(func() tools.Choice { return ToolChoice(now()) })
	if ranks != nil {
		t.Tools.RankBy(ranks)
	}
	return t
}

// programs makes the tool by which models write programs.
func (p Parts) programs(
	ws *workspace.Workspace, s runcommand.Sandbox, timeout func() time.Duration, tries func() bool,
	now func() settings.Settings,
) *python.Source {
	o := python.Options{
		Workspace: ws, Interpreter: p.Python, Files: builtin.Files,
		On: func() bool { return now().Python }, CallsTools: func() bool { return now().PythonCalls },
	}
	if s != nil {
		o.Commands = func(ctx context.Context, draft *workspace.Workspace) tools.Tool {
			if !s.State(ctx).Proven {
				return nil
			}
			return runcommand.New(
				draft, runcommand.Options{Shell: p.Shell, Sandbox: s, Timeout: timeout, Tries: tries},
			)
		}
	}
	return python.New(o)
}

// background makes the commands that go on running.
func (p Parts) background(
	ws *workspace.Workspace, s runcommand.Sandbox, tries func() bool, now func() settings.Settings,
) *background.Source {
	run := runcommand.New(ws, runcommand.Options{Shell: p.Shell, Sandbox: s, Tries: tries, Background: true})
	o := background.Options{
		Run: run, Key: ws.Key(),
		Off: func() bool { return slices.Contains(ToolChoice(now()).Off, run.Spec().Name) },
	}
	if p.Policy != nil {
		o.Decide = p.Policy.Decide
	}
	return background.New(o)
}

// Environment is what conversations share in a workspace, nil where there is none, with the settings in force there.
func (p Parts) Environment(ws *workspace.Workspace, now settings.Settings, t Tooling, l *ledger.Ledger) Environment {
	options := RunOptions(now, p.Settings)
	if ws != nil {
		options.Folder = ws.Root()
	}
	return Environment{
		Options: options, Workspace: ws, State: p.State, Policy: p.Policy, Config: p.Config,
		Prompts: Prompts(now, p.Settings), Launch: LaunchChanges(now, p.Settings), Flags: LaunchFlags(p.Settings),
		Tools: t.Tools, Servers: t.Servers, Background: t.Background, Ledger: l, Pages: Pages(now, p.Network),
		Traces: p.Traces,
	}
}

// Close ends what the environment started: tools before the workspace that they work in, traces last.
func (e Environment) Close() {
	if e.Tools != nil {
		e.Tools.Close()
	}
	if e.Workspace != nil {
		_ = e.Workspace.Close() // nothing is written through it that is not done
	}
	e.Traces.Close()
}
