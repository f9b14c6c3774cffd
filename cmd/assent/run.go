package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/chatfile"
	"github.com/assent-ls/assent/cmd/assent/asking"
	"github.com/assent-ls/assent/cmd/assent/chatlist"
	"github.com/assent-ls/assent/cmd/assent/piped"
	"github.com/assent-ls/assent/cmd/assent/printer"
	"github.com/assent-ls/assent/cmd/assent/settingsview"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/workspace"
)

// runFlags are those that run and send share.
type runFlags struct {
	approve []string
	json    bool
	folder  string

	interrupts *interrupts
	less       func() bool // what an interrupt stops; nil: a command that runs, then the program
	goesOn     bool        // more of the chat follows
}

func (f *runFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(
		&f.approve, "approve", nil,
		"Tools whose calls are approved without asking, if the model makes them in this run: TOOL,…",
	)
	cmd.Flags().BoolVar(&f.json, "json", false, "Print the events, one JSON object per line.")
	usage.AddFolder(cmd.Flags(), &f.folder)
}

func newRun(i *interrupts) *cobra.Command {
	flags := runFlags{interrupts: i}
	cmd := &cobra.Command{
		Use:   "run [PROMPT | -]",
		Short: "Ask the model, with tools, from a terminal: once, or in a conversation",
		Long: "Ask the model, with tools, from a terminal: once, or without a prompt in a conversation. " +
			"The conversation is kept as a chat file, whose path is printed.\n" +
			"What is piped in is sent with the prompt, labelled as piped input; with - it is the prompt itself.\n" +
			"A call that needs an answer is asked about on a terminal; without one the run ends with status 3 and\n" +
			"`assent send FILE` takes it up again.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, err := usage.Folder(flags.folder)
			if err != nil {
				return err
			}
			prompt := strings.Join(args, "")
			switch initial, err := piped.Initial(cmd.Flags()); {
			case err != nil:
				return usage.Error(err.Error())
			case initial != "" && prompt != "":
				return usage.Error("--" + piped.Flag + " is the prompt: give no other one")
			case initial != "":
				prompt = initial
			}
			if len(args) == 0 && prompt == "" && flags.atTerminal(cmd) {
				return hold(cmd, flags, root)
			}
			return withEnvironment(cmd, flags, root, func(p *parts, env session.Environment) error {
				text, err := question(cmd, prompt)
				if err != nil {
					return err
				}
				path, err := session.NewChat(root, time.Now(), text)
				if err != nil {
					return err
				}
				end, err := converse(cmd.Context(), cmd, flags, p.session(cmd, env, path))
				if dropped, failed := session.DropNew(path, text); dropped && failed == nil {
					path = ""
				} else {
					p.saved(cmd, root, path)
				}
				return finish(cmd, path, end, err)
			})
		},
	}
	flags.add(cmd)
	piped.AddFlag(cmd.Flags(), "Ask this, as if it were the prompt.")
	return cmd
}

func newSend(i *interrupts) *cobra.Command {
	flags := runFlags{interrupts: i}
	cmd := &cobra.Command{
		Use:   "send FILE.chat.md",
		Short: "Send a chat, or take up its calls that were not run",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := chatlist.Path(args[0])
			if err != nil {
				return err
			}
			root, err := usage.Folder(flags.folder)
			if err != nil {
				return err
			}
			return withSession(cmd, flags, root, path, func(p *parts, s *session.Session) error {
				end, err := converse(cmd.Context(), cmd, flags, s)
				p.saved(cmd, root, path)
				return finish(cmd, path, end, err)
			})
		},
	}
	flags.add(cmd)
	return cmd
}

// converse runs one chat: the reply is appended to it as it streams.
func converse(
	ctx context.Context, cmd *cobra.Command, flags runFlags, s *session.Session,
) (event.Finished, error) {
	if !flags.goesOn { // else all of it was written here
		odd, err := s.Check()
		if err != nil {
			return event.Finished{}, err
		}
		for _, sentence := range odd {
			tell(cmd.ErrOrStderr(), sentence)
		}
	}
	return runSession(ctx, cmd, flags, s)
}

// finish says where a conversation is kept, and how it ended as an exit status; path is empty if nothing was kept.
func finish(cmd *cobra.Command, path string, end event.Finished, err error) error {
	if invalid, ok := errors.AsType[*session.InvalidError](err); ok && path == "" {
		return usage.Error(invalid.Sentence)
	}
	if err != nil {
		return err
	}
	if path != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), visible.Line(terminal.Path(path)))
	}
	return exitOf(end, path)
}

// withSession does something with the session of a chat file.
func withSession(cmd *cobra.Command, flags runFlags, root, path string, do func(*parts, *session.Session) error) error {
	return withEnvironment(cmd, flags, root, func(p *parts, env session.Environment) error {
		err := do(p, p.session(cmd, env, path))
		if invalid, ok := errors.AsType[*session.InvalidError](err); ok {
			return usage.Error(path + ": " + invalid.Sentence)
		}
		return err
	})
}

// session is that of a chat file.
func (p *parts) session(cmd *cobra.Command, env session.Environment, path string) *session.Session {
	return session.New(cmd.Context(), chatfile.New(path, p.state.Recovered), env.Now)
}

// withEnvironment does something with all that a conversation in a folder has, and ends what it started.
func withEnvironment(
	cmd *cobra.Command, flags runFlags, root string, do func(*parts, session.Environment) error,
) error {
	p, err := wire(cmd)
	if err != nil {
		return err
	}
	env, err := openEnvironment(cmd.Context(), p, flags, root)
	if err != nil {
		return err
	}
	defer p.history.Close() //nolint:errcheck // all that was written is kept by then
	defer env.Close()
	defer func() {
		for _, line := range env.Background.Running() {
			p.tell("ended, since no command runs on after this program: " + line)
		}
	}()
	defer p.policy.Flush()
	return do(p, env)
}

// openEnvironment opens the folder, and checks what the flags say about it.
func openEnvironment(ctx context.Context, p *parts, flags runFlags, root string) (session.Environment, error) {
	now := p.settingsIn(root)
	if err := checkFormat(now); err != nil {
		return session.Environment{}, err
	}
	traces, err := p.traces()
	if err != nil {
		return session.Environment{}, err
	}
	ws, err := workspace.Open(root, workspace.NoBuffers{})
	if err != nil {
		return session.Environment{}, err
	}
	a, err := p.newAgent(now)
	if err != nil {
		_ = ws.Close() // nothing was written through it
		return session.Environment{}, err
	}
	parts := p.parts(ctx, now, traces)
	tooling := parts.Tooling(
		ws, func() settings.Settings { return now }, session.Meaning(now, p.settings, a, p.state, p.tell),
	)
	env := parts.Environment(ws, now, tooling, ledger.Open(p.state, ws))
	env.Agent, env.Warn = a, p.tell
	if err := flags.check(ctx, env, now); err != nil {
		env.Close()
		return env, err
	}
	return env, nil
}

// check refuses --approve and --tools of a tool that does not exist.
func (f runFlags) check(ctx context.Context, env session.Environment, now settings.Settings) error {
	if len(f.approve) == 0 && now.Tools == nil {
		return nil
	}
	registry, err := env.Tools.Now(ctx)
	if now.Tools != nil {
		if problem := registry.Lacks(now.Tools.All()); problem != "" {
			return usage.Error("--tools: " + problem)
		}
	}
	if err != nil {
		env.Warn(err.Error())
	}
	specs := registry.Specs()
	for _, tool := range f.approve {
		if !slices.ContainsFunc(specs, func(s tools.Spec) bool { return s.Name == tool }) {
			return usage.Error("--approve: there is no tool " + tool + usage.Meant(tool, toolNames(specs)))
		}
	}
	return nil
}

// runSession sends what the chat has to send, shows the events and answers the questions.
func runSession(
	ctx context.Context, cmd *cobra.Command, flags runFlags, s *session.Session,
) (event.Finished, error) {
	line := terminal.NewLine(cmd.OutOrStdout(), cmd.ErrOrStderr())
	defer line.Clear()
	var shown event.Sink = &printer.Printer{Out: cmd.OutOrStdout(), Notes: cmd.ErrOrStderr(), Line: line}
	if flags.json {
		shown = &printer.JSON{
			Encoder: json.NewEncoder(terminal.JSON(cmd.OutOrStdout())), First: settingsview.Launched(cmd.Flags()),
		}
	}
	answers := &asking.Answerer{Approve: flags.approve}
	person, nobody := openAsker(cmd, flags)
	if person != nil {
		defer person.Terminal.Close()
		answers.Person = person
	}
	screen := &printer.Paused{Shown: shown}
	sink := &consoleSink{Paused: screen, Answerer: answers, notes: cmd.ErrOrStderr(), waits: make(chan struct{}, 1)}
	defer s.Subscribe(sink)()
	if flags.less == nil {
		flags.less = s.Halt
	}
	if person != nil {
		defer flags.interrupts.first(flags.less)()
	}
	if err := s.Continue(ctx); err != nil {
		return event.Finished{}, err
	}
	for {
		select {
		case <-s.Done():
			if !flags.goesOn {
				s.Entitled()
			}
			end, err := s.Wait()
			if end.Outcome == event.Unanswered && nobody != "" {
				tell(cmd.ErrOrStderr(), "nobody was asked: "+nobody)
			}
			return end, err
		case <-sink.waits:
			screen.Hold()
			err := answerQuestion(answers, s)
			screen.Release()
			if err != nil {
				tell(cmd.ErrOrStderr(), err.Error())
			}
		}
	}
}

// answerQuestion answers the question that a run waits for, again until an answer is accepted or the run is over. The
// error says why none was accepted.
func answerQuestion(a *asking.Answerer, s *session.Session) error {
	var refused error
	for {
		open := s.Questions()
		if len(open) == 0 {
			return refused
		}
		answered := make(chan event.Answer, 1)
		// a person may never answer: the end of the run does not wait for them
		go func() { answered <- a.Answer(open[0], refused) }()
		select {
		case <-s.Done():
			if a.Person != nil && a.Person.Terminal.Interrupt() {
				<-answered // what is typed now is for others
			}
			return nil
		case answer := <-answered:
			if refused = s.Answer(open[0].ID, answer); refused == nil && !inquired(s.Questions()) {
				return nil
			}
		}
	}
}

// inquired reports whether a running call waits for an answer.
func inquired(open []event.Question) bool {
	return slices.ContainsFunc(open, func(q event.Question) bool { return q.From != "" })
}

// atTerminal reports whether a person sits where this program reads and writes.
func (f runFlags) atTerminal(cmd *cobra.Command) bool {
	out, isWriter := cmd.OutOrStdout().(*terminal.Writer)
	return isWriter && !f.json && terminal.Is(cmd.InOrStdin()) && out.IsTerminal()
}

// openAsker returns how to ask a person, or why nobody can be asked: what a question is shown on must be seen, and only
// a terminal is.
func openAsker(cmd *cobra.Command, flags runFlags) (person *asking.Asker, nobody string) {
	switch {
	case flags.json:
		return nil, "--json asks nobody"
	case !terminal.Is(cmd.InOrStdin()):
		return nil, "standard input is no terminal"
	}
	t, err := terminal.Open(colorOf(cmd))
	if err != nil {
		return nil, "this program has no terminal of its own"
	}
	return &asking.Asker{Terminal: t}, ""
}

// consoleSink shows events, and signals when the run waits for an answer.
type consoleSink struct {
	*printer.Paused
	*asking.Answerer
	notes io.Writer
	waits chan struct{} // gets a value when the run waits for the answer to its first question
}

// Emit implements agent.Sink.
func (s *consoleSink) Emit(e event.Event) {
	s.Paused.Emit(e)
	switch e := e.(type) {
	case event.Progress:
		if e.Stage == event.Waiting {
			select {
			case s.waits <- struct{}{}:
			default: // whoever takes the one before finds this question, too
			}
		}
	case event.CallWaiting:
		if q := e.Question; q.Resumed && !s.CanAsk(q) {
			tell(s.notes, q.Named()+
				": this call stands in the file, so only a person at a terminal or in an editor can approve it")
		}
	}
}

// exitOf says how a run ended as an exit status.
func exitOf(end event.Finished, path string) error {
	switch end.Outcome {
	case event.Completed:
		return nil
	case event.Unanswered:
		return &exitError{exitUnanswered, "a call was not run; `assent send " + terminal.Path(path) + "` takes it up"}
	case event.Stopped:
		return &exitError{status: exitStopped}
	case event.Broken, event.Exhausted:
	}
	return &exitError{status: 1}
}
