package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/chatfile"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/workspace"
)

// runner runs tasks with one model in one mode, each in a workspace of its own.
type runner struct {
	backend     model.Backend
	profiles    *model.Profiles
	model, mode string
	limit       time.Duration
	keep        string // folder for transcripts; empty: none are kept
}

// outcome is the result of one run of a task.
type outcome struct {
	before, after map[string]string // path to content
	answer        string            // the model's last text
	calls         []toolcall.Call
	end           agent.Finished
	format        string
	steps         int
	tokens        int // written by the model
	writing, took time.Duration
	chat          string
	err           error // why there was no run
}

// problem says why a task is not solved; nil: it is.
func (o outcome) problem(ctx context.Context, t task) error {
	switch {
	case o.err != nil:
		return o.err
	case o.end.Outcome != agent.Completed:
		return fmt.Errorf("ended without an answer: %s", o.end.Sentence)
	}
	return t.check(ctx, o)
}

func (r runner) run(ctx context.Context, t task) outcome {
	began := time.Now()
	out, err := r.try(ctx, t)
	out.err, out.took = err, time.Since(began)
	if r.keep != "" {
		name := strings.NewReplacer(":", "-", "/", "-").Replace(fmt.Sprintf("%s.%s.%s.chat.md", t.name, r.model, r.mode))
		if err := os.WriteFile(filepath.Join(r.keep, name), []byte(out.chat), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, "eval:", err)
		}
	}
	return out
}

func (r runner) try(ctx context.Context, t task) (outcome, error) {
	out := outcome{before: t.files}
	root, err := os.MkdirTemp("", "workspace-")
	if err != nil {
		return out, err
	}
	defer func() { _ = os.RemoveAll(root) }()
	if err := writeFiles(root, t.files); err != nil {
		return out, err
	}
	states, err := os.MkdirTemp("", "state-")
	if err != nil {
		return out, err
	}
	defer func() { _ = os.RemoveAll(states) }()
	ws, err := workspace.Open(root, workspace.NoBuffers{})
	if err != nil {
		return out, err
	}
	defer func() { _ = ws.Close() }()
	state, err := workspace.OpenState(states)
	if err != nil {
		return out, err
	}
	options := agent.Options{Model: r.model, UserModels: []string{r.model}}
	if r.mode != "default" {
		options.Format = r.mode
	}
	env := session.Environment{
		Agent: agent.New(r.backend, r.profiles), Options: options, Workspace: ws, State: state, Policy: policy.New(state), Config: states,
		Tools: tools.NewSources(tools.Builtin(ws, tools.Options{
			CommandTimeout: func() time.Duration { return 20 * time.Second }, Shell: shell.New(keepWord, lineWord),
		})),
	}
	if err := r.converse(ctx, env, filepath.Join(states, t.name+".chat.md"), t, &out); err != nil {
		return out, err
	}
	out.after, err = readFiles(root)
	return out, err
}

// converse runs the agent on a chat file and approves whatever is harmless.
func (r runner) converse(ctx context.Context, env session.Environment, path string, t task, out *outcome) error {
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	if err := os.WriteFile(path, []byte(transcript.YouHeading+t.request+"\n"), 0o600); err != nil {
		return err
	}
	s := session.New(ctx, chatfile.New(path, env.State.Recovered), env.Now)
	questions := make(chan agent.Question, 64)
	s.Subscribe(&sink{out: out, questions: questions})
	if err := s.Send(ctx); err != nil {
		return err
	}
	for {
		select {
		case <-s.Done():
			return r.ended(ctx, s, path, out)
		case q := <-questions:
			_ = s.Answer(q.ID, answerFor(q)) // the question may be closed by now
		}
	}
}

// ended keeps how the run ended, and its chat.
func (r runner) ended(ctx context.Context, s *session.Session, path string, out *outcome) (err error) {
	if out.end, err = s.Wait(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		out.end.Sentence = fmt.Sprintf("no answer within %v", r.limit)
	}
	text, err := os.ReadFile(path)
	out.chat = string(text)
	return err
}

// unsafe matches commands that could act outside the workspace: no person approves what a small model runs here.
var unsafe = regexp.MustCompile(`(^|[\s=<>"'])[/~]|\.\.|\$|` + "`" + `|\b(sudo|curl|wget|pip3?|npm|apt(-get)?|kill|killall|pkill|ssh|git)\b`)

func answerFor(q agent.Question) agent.Answer {
	if !q.Effect.Confined() && unsafe.MatchString(q.Target) {
		return agent.Answer{Kind: agent.Deny, Text: "Only commands inside the workspace are allowed."}
	}
	return agent.Answer{Kind: agent.Once}
}

// sink keeps what a run does.
type sink struct {
	out       *outcome
	questions chan<- agent.Question
}

// CanAsk implements session.Asker.
func (s *sink) CanAsk(agent.Question) bool { return true }

// Emit implements agent.Sink.
func (s *sink) Emit(e agent.Event) {
	switch e := e.(type) {
	case agent.Started:
		s.out.format = e.Format
	case agent.StepStarted:
		s.out.steps++
		s.out.answer = ""
	case agent.TextDelta:
		s.out.answer += e.Text
	case agent.CallAdded:
		s.out.calls = append(s.out.calls, e.Call)
	case agent.CallWaiting:
		s.questions <- e.Question
	case agent.StepEnded:
		s.out.tokens += e.Done.OutputTokens
		s.out.writing += e.Done.OutputTime
	case agent.Progress, agent.ContextAdded, agent.ThinkingDelta, agent.CallMalformed, agent.CallEnded, agent.Finished:
	}
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

// readFiles reads a workspace back, without the caches of interpreters, which the model did not write.
func readFiles(root string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "__pycache__":
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
