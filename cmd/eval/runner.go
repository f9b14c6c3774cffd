package main

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/guidance/relevant"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/mcp/mcptest"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// runner runs tasks with one model in one mode, each in a workspace of its own.
type runner struct {
	backend     model.Backend
	profiles    *model.Profiles
	model, mode string
	limit       time.Duration
	keep        string // folder for transcripts; empty: none are kept
	context     int    // tokens of the context; 0: chosen
	databases   *databases
	without     []string // families of rules that are left out
}

// outcome is the result of one run of a task.
type outcome struct {
	before, after map[string]string // path to content, as the user sees it
	answer        string            // the model's last text
	calls         []toolcall.Call
	went          map[string]bool // calls that went well, by their tools
	served        []mcptest.Call  // what servers were asked
	turns         []answered      // one for each message whose run is over
	end           event.Finished
	format        string
	steps         int
	tokens        int // written by the model
	writing, took time.Duration
	chat          string
	err           error // why there was no run
}

// answered is what was when the run of one message was over.
type answered struct {
	answer string
	calls  []toolcall.Call
	after  map[string]string
}

// problem says why a task is not solved; nil: it is.
func (o outcome) problem(ctx context.Context, t task) error {
	switch wrong := o.wrongFiles(t); {
	case o.err != nil:
		return o.err
	case o.end.Outcome != event.Completed:
		return fmt.Errorf("ended without an answer: %s", o.end.Sentence)
	case len(wrong) > 0:
		return fmt.Errorf("touched %s", strings.Join(wrong, ", "))
	}
	return t.check(ctx, o)
}

// wrongFiles are those that changed, appeared or are gone though the task does not say so, at the end or after any
// message.
func (o outcome) wrongFiles(t task) []string {
	if t.kind == "" || o.after == nil {
		return nil
	}
	wrong := map[string]bool{}
	for _, after := range append(afters(o.turns), o.after) {
		for _, name := range differing(o.before, after) {
			if !slices.Contains(t.touches, name) {
				wrong[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(wrong))
}

func afters(turns []answered) []map[string]string {
	var out []map[string]string
	for _, t := range turns {
		out = append(out, t.after)
	}
	return out
}

func (r runner) run(ctx context.Context, t task) outcome {
	began := time.Now()
	out, err := r.try(ctx, t)
	out.err, out.took = err, time.Since(began)
	if r.keep != "" {
		name := strings.NewReplacer(":", "-", "/", "-").Replace(
			fmt.Sprintf("%s.%s.%s.chat.md", t.name, r.model, r.mode),
		)
		if err := os.WriteFile(filepath.Join(r.keep, name), []byte(out.chat), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, "eval:", err)
		}
	}
	return out
}

func (r runner) try(ctx context.Context, t task) (outcome, error) {
	shown, err := t.shown()
	out := outcome{before: shown}
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
	if err := writeFiles(root, t.files); err != nil {
		return out, err
	}
	states, err := os.MkdirTemp("", "state-")
	if err != nil {
		return out, err
	}
	defer func() { _ = os.RemoveAll(states) }()
	open := newBuffers(root, t.files, shown)
	ws, err := workspace.Open(root, open)
	if err != nil {
		return out, err
	}
	defer func() { _ = ws.Close() }()
	state, err := userstate.OpenState(states)
	if err != nil {
		return out, err
	}
	options := engine.Options{Model: r.model, UserModels: []string{r.model}, ContextSize: r.context, Without: r.without}
	if r.mode != "default" {
		options.Format = r.mode
	}
	var sources []tools.Source
	calls := ""
	if t.servers {
		var source tools.Source
		if source, calls, err = served(ws, state, states); err != nil {
			return out, err
		}
		sources = append(sources, source)
	}
	if t.database != "" {
		source, err := r.databases.source(ctx, t, ws, state, states)
		if err != nil {
			return out, err
		}
		sources = append(sources, source)
	}
	parts := session.Parts{
		Settings: &settings.Store{}, State: state, Policy: policy.New(state), Config: states,
		Shell: shell.New(keepWord, lineWord),
	}
	now := settings.Settings{CommandTimeout: settings.Duration(20 * time.Second)}
	env := parts.Environment(ws, now, parts.Tooling(ws, func() settings.Settings { return now }, nil, sources...), nil)
	env.Agent, env.Options, env.Words = agent.New(r.backend, r.profiles), options, &relevant.Words{}
	defer env.Tools.Close()
	limit := r.limit * time.Duration(len(t.messages()))
	c := &conversation{
		task: t, limit: limit, path: filepath.Join(states, t.name+".chat.md"),
		out: &out, files: func() (map[string]string, error) {
			onDisk, err := readFiles(root)
			return open.over(onDisk, t.files), err
		},
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := c.hold(ctx, env); err != nil || calls == "" {
		return out, err
	}
	out.served, err = mcptest.Calls(calls)
	return out, err
}

// unsafe matches commands that could act outside the workspace: no person approves what a small model runs here.
var unsafe = regexp.MustCompile(
	`(^|[\s=<>"'])[/~]|\.\.|\$|` + "`" + `|\b(sudo|curl|wget|pip3?|npm|apt(-get)?|kill|killall|pkill|ssh|git)\b`,
)

func answerFor(q event.Question) event.Answer {
	if !q.Effect.Confined() && unsafe.MatchString(q.Target) {
		return event.Answer{Kind: event.Deny, Text: "Only commands inside the workspace are allowed."}
	}
	return event.Answer{Kind: event.Once}
}

// sink keeps what a run does.
type sink struct {
	out       *outcome
	questions chan<- event.Question
}

// CanAsk implements session.Asker.
func (s *sink) CanAsk(q event.Question) bool { return q.From == "" }

// Emit implements agent.Sink.
func (s *sink) Emit(e event.Event) {
	switch e := e.(type) {
	case event.Started:
		s.out.format = e.Format
	case event.StepStarted:
		s.out.steps++
		s.out.answer = ""
	case event.TextDelta:
		s.out.answer += e.Text
	case event.CallAdded:
		s.out.calls = append(s.out.calls, e.Call)
	case event.CallWaiting:
		s.questions <- e.Question
	case event.StepEnded:
		s.out.tokens += e.Done.OutputTokens
		s.out.writing += e.Done.OutputTime
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
	if s.out.went == nil {
		s.out.went = map[string]bool{}
	}
	s.out.went[e.Name] = true
}

func writeFiles(root string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		mode := fs.FileMode(0o600)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o700
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			return err
		}
	}
	return nil
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
