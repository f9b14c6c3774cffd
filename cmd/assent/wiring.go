package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/probe"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/history"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/agent/trace"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/tools/egress"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/python"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/trust"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// parts are what the subcommands share.
type parts struct {
	settings *settings.Store
	state    *userstate.State
	policy   *policy.Policy
	trust    *trust.Store
	history  *history.History
	network  *network.Network
	config   string // the user's configuration folder of Assent
	launched []byte // the servers of --mcp-server; nil: none
	log      *slog.Logger
	python   func() (python.Interpreter, error)
	stderr   io.Writer
}

// wire reads the user's settings and state. It starts nothing and writes nothing.
func wire(cmd *cobra.Command) (*parts, error) {
	p := &parts{settings: &settings.Store{}, python: python.Installed(pythonWord), stderr: cmd.ErrOrStderr()}
	p.settings.SetEnvironment(os.Getenv)
	path, err := settings.UserPath()
	if err != nil {
		return nil, err
	}
	p.config = filepath.Dir(path)
	raw, err := settings.Read(path)
	if err != nil {
		return nil, err
	}
	for _, problem := range p.settings.Set(settings.UserFile, raw) {
		p.tell(problem.String())
	}
	p.settings.SetFlags(cmd.Flags())
	if p.state, err = userstate.OpenState(""); err != nil {
		return nil, err
	}
	p.state.OnProblem(p.tell)
	p.network = network.New(p.settings.Get().Offline, egress.New(p.state).Add)
	p.policy = policy.New(p.state)
	p.trust = trust.New(p.state)
	p.policy.UseFiles(filepath.Join(p.config, "permissions.json"), p.trust.Trusted)
	p.history = history.New(p.state, p.policy)
	if p.launched, err = launchedServers(cmd.Flags()); err != nil {
		return nil, err
	}
	p.log, err = newLog(cmd.ErrOrStderr(), p.settings.Get())
	return p, err
}

// wired is how a command runs that needs the parts.
func wired(
	run func(cmd *cobra.Command, p *parts, args []string) error,
) func(cmd *cobra.Command, args []string) error {
	return func(cmd *cobra.Command, args []string) error {
		p, err := wire(cmd)
		if err != nil {
			return err
		}
		return run(cmd, p, args)
	}
}

// tell prints a sentence for the user.
func (p *parts) tell(sentence string) { tell(p.stderr, sentence) }

// settingsIn returns the settings in a workspace folder, and tells the user what of its settings file is not used.
func (p *parts) settingsIn(folder string) settings.Settings {
	raw, err := settings.Read(settings.WorkspacePath(folder))
	if err != nil {
		p.tell(settings.Problem{Source: settings.Workspace, Reason: err.Error()}.String())
	}
	for _, problem := range p.settings.SetWorkspace(folder, raw) {
		p.tell(problem.String())
	}
	return p.settings.In(folder)
}

func newLog(stderr io.Writer, s settings.Settings) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.LogLevel)); err != nil {
		return nil, err
	}
	out := stderr
	if s.LogFile != "" {
		file, err := os.OpenFile(s.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, fmt.Errorf("the log file cannot be written: %w", err)
		}
		out = file // open until the process ends
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})), nil
}

// checkFormat refuses a format of tool calls that does not exist, before anything is sent.
func checkFormat(s settings.Settings) error {
	var declared []model.DeclaredFormat
	choice := session.FormatChoice(s)
	if formats.With(nil).Check(choice) != nil { // reading the profiles takes a while
		known, err := profiles()
		if err != nil {
			return err
		}
		declared = known.Declared()
	}
	find := formats.With(declared)
	for _, c := range []struct {
		name, flag string
		choice     formats.Choice
	}{
		{"legacyToolCallFormat", "legacy-tool-call-format", formats.Choice{Only: s.CallFormat}},
		{"toolCallPrimary", "tool-call-primary", formats.Choice{Primary: s.Primary}},
		{"toolCallEnabled", "tool-call-enabled", choice},
	} {
		if err := find.Check(c.choice); err != nil {
			return usage.Error(fmt.Sprintf("--%s, or %s in your settings: %v", c.flag, c.name, err))
		}
	}
	if problem := session.FormatProblem(s); problem != "" {
		return usage.Error("--tool-call-primary, or toolCallPrimary in your settings: " + problem)
	}
	return nil
}

// traces sends traces of runs to the collector that the user named; nil: they named none.
func (p *parts) traces() (*trace.Exporter, error) {
	traces, err := session.Traces(p.settings.Get(), version(), p.network)
	if err != nil {
		return nil, usage.Error(err.Error())
	}
	return traces, nil
}

// profiles are the built-in ones with the user's own over them.
func profiles() (*model.Profiles, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return model.LoadProfiles()
	}
	return probe.Profiles(filepath.Join(dir, "assent", "profiles"))
}

// byName finds a format, one that the user's profiles declare, too.
func byName(name string) (toolcall.Format, error) {
	f, err := formats.ByName(name)
	if err == nil {
		return f, nil
	}
	known, profilesErr := profiles()
	if profilesErr != nil {
		return nil, profilesErr
	}
	return formats.With(known.Declared()).ByName(name)
}

// shell runs programs; offline they have no network.
func (p *parts) shell() shell.Shell {
	sh := shell.New(keepWord, lineWord)
	if p.network.Offline() {
		sh = sh.StartedBy(p.network.Start)
	}
	return sh
}

// newAgent makes an agent for the settings in force, which keeps what it learns of models.
func (p *parts) newAgent(s settings.Settings) (*agent.Agent, error) {
	b, err := p.backend(s)
	if err != nil {
		return nil, err
	}
	known, err := profiles()
	if err != nil {
		return nil, err
	}
	a := agent.New(b, known)
	a.Remember(session.Models(p.state))
	if s.ModelQueue {
		a.UseQueues(p.queue)
	}
	return a, nil
}

// queue is the queue for a model server, which answers so many requests at once, with the requests of all processes.
func (p *parts) queue(server string, width int) engine.Queue {
	return session.Queue(p.state, server, width, func(err error) {
		p.log.Warn("Requests to the model do not wait for those of other windows and editors.", "why", err)
	})
}

// parts are what the tools and the environment of every workspace are made from. Commands are confined as settings say.
func (p *parts) parts(ctx context.Context, now settings.Settings, traces *trace.Exporter) session.Parts {
	return session.Parts{
		Settings: p.settings, State: p.state, Policy: p.policy, Trust: p.trust,
		Shell: p.shell(), Network: p.network, Config: p.config, Traces: traces, History: p.history,
		Sandbox: func(ws *workspace.Workspace) runcommand.Sandbox { return confined(ctx, now, ws) },
		Servers: p.servers, Databases: p.databases, Python: p.python,
	}
}
