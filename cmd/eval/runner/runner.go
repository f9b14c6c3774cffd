// Package runner runs tasks with one model in one mode, each in a workspace of its own.
package runner

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/guidance/relevant"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/cmd/eval/tasks"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/mcp/mcptest"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// Runner runs tasks with one model in one mode.
type Runner struct {
	Backend     model.Backend
	Profiles    *model.Profiles
	Model, Mode string
	Limit       time.Duration // for one message
	Keep        string        // folder for transcripts; empty: none are kept
	Context     int           // tokens of the context; 0: chosen
	Databases   *Databases
	Without     []string // families of rules that are left out
	Commands    string   // the setting commands: with try, commands run in the sandbox; empty: ask, without one
	Programs    Programs
}

// Outcome is the result of one run of a task.
type Outcome struct {
	tasks.Outcome

	Format        string
	Steps         int
	Tokens        int // written by the model
	Writing, Took time.Duration
	Chat          string
}

// Run runs a task. Where it could not be run, the outcome has the reason.
func (r Runner) Run(ctx context.Context, t tasks.Task) Outcome {
	began := time.Now()
	out, err := r.try(ctx, t)
	out.Err, out.Took = err, time.Since(began)
	if r.Keep != "" {
		name := strings.NewReplacer(":", "-", "/", "-").Replace(
			fmt.Sprintf("%s.%s.%s.chat.md", t.Name(), r.Model, r.Mode),
		)
		if err := os.WriteFile(filepath.Join(r.Keep, name), []byte(out.Chat), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, "eval:", err)
		}
	}
	return out
}

func (r Runner) try(ctx context.Context, t tasks.Task) (Outcome, error) {
	shown, err := t.Shown()
	out := Outcome{Outcome: tasks.Outcome{Before: shown}}
	if err != nil {
		return out, err
	}
	root, err := os.MkdirTemp("", "workspace-")
	if err != nil {
		return out, err
	}
	defer func() { _ = os.RemoveAll(root) }()
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return out, err
	}
	if err := tasks.WriteFiles(root, t.Files()); err != nil {
		return out, err
	}
	states, err := os.MkdirTemp("", "state-")
	if err != nil {
		return out, err
	}
	defer func() { _ = os.RemoveAll(states) }()
	open := newBuffers(root, t.Files(), shown)
	ws, err := workspace.Open(root, open)
	if err != nil {
		return out, err
	}
	defer func() { _ = ws.Close() }()
	state, err := userstate.OpenState(states)
	if err != nil {
		return out, err
	}
	place := Place{Workspace: ws, State: state, Dir: states, Programs: r.Programs}
	var sources []tools.Source
	calls := ""
	if t.Servers() {
		var source tools.Source
		if source, calls, err = Served(place); err != nil {
			return out, err
		}
		sources = append(sources, source)
	}
	if t.Database() != "" {
		source, err := r.Databases.Source(ctx, t.Database(), place)
		if err != nil {
			return out, err
		}
		sources = append(sources, source)
	}
	env := r.environment(ws, state, states, sources)
	defer env.Tools.Close()
	limit := r.Limit * time.Duration(len(t.Messages()))
	c := &conversation{
		task: t, limit: limit, path: filepath.Join(states, t.Name()+".chat.md"),
		out: &out, files: func() (map[string]string, error) {
			onDisk, err := readFiles(root)
			return open.over(onDisk, t.Files()), err
		},
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := c.hold(ctx, env); err != nil || calls == "" {
		return out, err
	}
	out.Served, err = mcptest.Calls(calls)
	return out, err
}

// environment is what a run works with: the tools of a workspace, and the model. Whoever made it closes its tools.
func (r Runner) environment(
	ws *workspace.Workspace, state *userstate.State, config string, sources []tools.Source,
) session.Environment {
	options := engine.Options{Model: r.Model, UserModels: []string{r.Model}, ContextSize: r.Context, Without: r.Without}
	writes := r.Mode == "code" || r.Mode == "python"
	switch r.Mode {
	case "default", "code":
	case "python":
		options.Primary = r.Mode
	default:
		options.Format = r.Mode
	}
	options.Programs = writes
	parts := session.Parts{
		Settings: &settings.Store{}, State: state, Policy: policy.New(state), Config: config,
		Shell: r.Programs.Shell, Network: network.New(false, nil), Python: r.Programs.Python,
	}
	if r.Commands == "try" {
		parts.Sandbox = func(ws *workspace.Workspace) runcommand.Sandbox {
			return sandbox.New(sandbox.Options{
				Helper: []string{r.Programs.Confine}, Root: ws.Root(), Cache: filepath.Join(config, "sandbox"),
			})
		}
	}
	now := settings.Settings{
		Commands: r.Commands, CommandTimeout: settings.Duration(20 * time.Second), Python: writes, PythonCalls: true,
	}
	env := parts.Environment(ws, now, parts.Tooling(ws, func() settings.Settings { return now }, nil, sources...), nil)
	env.Agent, env.Options, env.Words = agent.New(r.Backend, r.Profiles), options, &relevant.Words{}
	return env
}

func answerFor(q event.Question) event.Answer {
	if len(q.Like) == 0 && !q.Effect.Confined() && tasks.MayReachOut(q.Target) {
		return event.Answer{Kind: event.Deny, Text: "Only commands inside the workspace are allowed."}
	}
	return event.Answer{Kind: event.Once}
}

// sink keeps what a run does.
type sink struct {
	out       *Outcome
	questions chan<- event.Question
}

// CanAsk implements session.Asker. What a tried command changed is approved as its edits would be.
func (s *sink) CanAsk(q event.Question) bool { return q.From == "" || len(q.Like) > 0 }

// Emit implements agent.Sink.
func (s *sink) Emit(e event.Event) {
	switch e := e.(type) {
	case event.Started:
		s.out.Format = e.Format
	case event.StepStarted:
		s.out.Steps++
		s.out.Answer = ""
	case event.TextDelta:
		s.out.Answer += e.Text
	case event.CallAdded:
		s.out.Calls = append(s.out.Calls, e.Call)
	case event.CallWaiting:
		s.questions <- e.Question
	case event.StepEnded:
		s.out.Tokens += e.Done.OutputTokens
		s.out.Writing += e.Done.OutputTime
	case event.CallEnded:
		s.ended(e)
	case event.Progress, event.ContextAdded, event.ThinkingDelta, event.CallMalformed, event.Finished:
	}
}

// ended keeps which tools were called and gave something.
func (s *sink) ended(e event.CallEnded) {
	if e.Result.Failed || e.NotRun {
		return
	}
	if s.out.Went == nil {
		s.out.Went = map[string]bool{}
	}
	s.out.Went[e.Name] = true
}

// readFiles reads a workspace back, without the caches of interpreters and compilers, which the model did not write.
func readFiles(root string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"__pycache__", ".pytest_cache", "target"}, d.Name()):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	return files, err
}
