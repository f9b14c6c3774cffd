package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/settings"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/workspace"
	"github.com/assent-ls/assent/visible"
)

// runFlags are those that run and send share.
type runFlags struct {
	approve []string
	json    bool
	folder  string
}

func (f *runFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.approve, "approve", nil, "Tools whose calls are approved without asking, if the model makes them in this run: TOOL,…")
	cmd.Flags().BoolVar(&f.json, "json", false, "Print the events, one JSON object per line.")
	cmd.Flags().StringVar(&f.folder, "folder", "", "The workspace folder. Empty: the current folder.")
}

func newRun() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run PROMPT",
		Short: "Ask the model once, with tools, from a terminal",
		Long: "Ask the model once, with tools, from a terminal. The conversation is kept as a chat file, whose path is printed.\n" +
			"A call that needs an answer is asked about on a terminal; without one the run ends with status 3 and\n" +
			"`assent send FILE` takes it up again.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, err := flags.root()
			if err != nil {
				return err
			}
			if strings.TrimSpace(args[0]) == "" {
				return &exitError{exitUsage, "the prompt is empty"}
			}
			return converse(cmd, flags, root, func() (string, error) {
				return session.NewChat(root, time.Now(), "## You\n\n"+strings.TrimSpace(args[0])+"\n")
			})
		},
	}
	flags.add(cmd)
	return cmd
}

func newSend() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "send FILE.chat.md",
		Short: "Send a chat file to the model, or take up its calls that were not run",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			if !transcript.IsChat(path) {
				return &exitError{exitUsage, args[0] + " is no chat: the name of a chat ends in .chat.md"}
			}
			root, err := flags.root()
			if err != nil {
				return err
			}
			return converse(cmd, flags, root, func() (string, error) { return path, nil })
		},
	}
	flags.add(cmd)
	return cmd
}

func (f runFlags) root() (string, error) {
	if f.folder != "" {
		return filepath.Abs(f.folder)
	}
	return os.Getwd()
}

// converse runs one chat file: what streams is appended to it as it comes. Nothing is written, and the file is not even
// made, before all that the user said is found good and the chat is locked.
func converse(cmd *cobra.Command, flags runFlags, root string, named func() (string, error)) error {
	p, err := wire(cmd)
	if err != nil {
		return err
	}
	env, now, err := openEnvironment(p, flags, root)
	if err != nil {
		return err
	}
	defer env.Workspace.Close() //nolint:errcheck // nothing was written through it
	a, err := newAgent(now)
	if err != nil {
		return err
	}
	path, err := named()
	if err != nil {
		return err
	}
	unlock, owner, err := p.state.LockChat(path)
	if errors.Is(err, workspace.ErrLocked) {
		return fmt.Errorf("%s is being written by %s: close it there first", path, owner)
	} else if err != nil {
		return err
	}
	defer unlock()
	file, err := openChat(path, p.state.Recovered)
	if err != nil {
		return err
	}
	defer file.close()
	job, err := newJob(cmd.Context(), p, env, now, file)
	if err != nil {
		return err
	}
	end := conduct(cmd, a, flags, job, file)
	if file.err != nil {
		return file.err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), visible.Line(path))
	return exitOf(end, path)
}

// openEnvironment opens the folder, and checks what the flags say of it.
func openEnvironment(p *parts, flags runFlags, root string) (session.Environment, settings.Settings, error) {
	ws, err := workspace.Open(root, workspace.NoBuffers{})
	if err != nil {
		return session.Environment{}, settings.Settings{}, err
	}
	now := p.in(root)
	env := session.Environment{
		Workspace: ws, State: p.state, Policy: p.policy, Config: p.config,
		Tools: tools.Options{CommandTimeout: time.Duration(now.CommandTimeout), Shell: shell.New(keepWord)},
	}
	specs := env.Dispatcher().Registry().Specs()
	for _, tool := range flags.approve {
		if !slices.ContainsFunc(specs, func(s tools.Spec) bool { return s.Name == tool }) {
			_ = ws.Close()
			return env, now, &exitError{exitUsage, "--approve: there is no tool " + tool}
		}
	}
	return env, now, nil
}

// newJob fills a job from the chat file: a new question is sent, else calls that were not run are taken up.
func newJob(ctx context.Context, p *parts, env session.Environment, now settings.Settings, file *chatFile) (agent.Job, error) {
	job := agent.Job{Chat: file.path, Document: file.chat, Options: session.RunOptions(now, p.settings)}
	last := file.chat.LastYou()
	for _, problem := range file.chat.Problems {
		if last >= 0 && problem.Span.Start < file.chat.Turns[0].Heading.Start {
			return job, &exitError{exitUsage, file.path + ": " + problem.Message}
		}
	}
	switch {
	case last >= 0 && last == len(file.chat.Turns)-1 && !file.chat.Turns[last].Empty():
	case len(agent.OpenCalls(file.chat, nil)) > 0:
		job.Resume = true
	default:
		return job, &exitError{exitUsage, file.path + " has nothing to send: write a question under a new `## You` at its end"}
	}
	if err := env.Configure(ctx, &job, tools.NewReadSet()); err != nil {
		p.tell(err.Error())
	}
	return job, nil
}

// conduct runs the job and answers its questions.
func conduct(cmd *cobra.Command, a *agent.Agent, flags runFlags, job agent.Job, file *chatFile) agent.Finished {
	var shown agent.Sink = &printer{out: cmd.OutOrStdout(), notes: cmd.ErrOrStderr()}
	if flags.json {
		shown = &jsonPrinter{enc: json.NewEncoder(terminal.JSON(cmd.OutOrStdout()))}
	}
	answers := &answerer{approve: flags.approve}
	if person, ok := someone(cmd.InOrStdin(), flags); ok {
		defer person.terminal.Close()
		answers.person = person
	}
	job.CanAsk = answers.can
	waits := make(chan struct{}, 1)
	screen := &quiet{shown: shown}
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	job.Sink = &consoleSink{
		shown: screen, notes: cmd.ErrOrStderr(), file: file, recorder: agent.NewRecorder(file.before(), job.Resume), stop: stop,
		waits: waits, can: answers.can,
	}
	run := a.Start(ctx, job)
	for {
		select {
		case <-run.Done():
			return run.Wait()
		case <-waits:
			screen.hold()
			err := answers.settle(run)
			screen.release()
			if err != nil {
				fmt.Fprintln(cmd.ErrOrStderr(), "assent: "+visible.Line(err.Error()))
			}
		}
	}
}

// settle answers the question that a run waits for, until it takes an answer or is over. The error says why it took none.
func (a *answerer) settle(run *agent.Run) error {
	var refused error
	for {
		open := run.Questions()
		if len(open) == 0 {
			return refused
		}
		answered := make(chan agent.Answer, 1)
		go func() { answered <- a.answer(open[0], refused) }() // may read from a person for ever: the run's end does not wait for it
		select {
		case <-run.Done():
			return nil
		case answer := <-answered:
			if refused = run.Answer(open[0].ID, answer); refused == nil {
				return nil
			}
		}
	}
}

// someone is there to be asked if input comes from a terminal, and the program has one to show a question on.
func someone(in io.Reader, flags runFlags) (*asker, bool) {
	f, isFile := in.(*os.File)
	if flags.json || !isFile || !term.IsTerminal(int(f.Fd())) {
		return nil, false
	}
	t, err := terminal.Open()
	return &asker{terminal: t}, err == nil
}

// answerer answers questions: by --approve if the call is one that the model made in this run, else by a person, if there
// is one.
type answerer struct {
	approve []string
	person  *asker // nil: nobody is there
}

func (a *answerer) approved(q agent.Question) bool {
	return q.Model == "" && slices.Contains(a.approve, q.Tool) && !q.Resumed && q.Protected == "" && q.Waits == ""
}

func (a *answerer) can(q agent.Question) bool { return a.person != nil || a.approved(q) }

// answer gives the answer to a question; refused says why the last one was not taken, or is nil.
func (a *answerer) answer(q agent.Question, refused error) agent.Answer {
	switch {
	case a.approved(q):
		return agent.Answer{Kind: agent.Once}
	case a.person == nil:
		return agent.Answer{Kind: agent.Deny}
	default:
		return a.person.ask(q, refused)
	}
}

// consoleSink shows events, and appends to the chat file.
type consoleSink struct {
	shown    agent.Sink
	notes    io.Writer
	file     *chatFile
	recorder *agent.Recorder
	begun    bool            // the run was not refused
	stop     func()          // ends the run
	waits    chan<- struct{} // the run waits for the answer to its first question
	can      func(agent.Question) bool
}

// Emit implements agent.Sink. What cannot be recorded does not happen: the run is stopped before it goes on.
func (s *consoleSink) Emit(e agent.Event) {
	s.record(e)
	if s.file.err != nil {
		s.stop()
	}
	s.shown.Emit(e)
	switch e := e.(type) {
	case agent.Progress:
		if e.Stage == agent.Waiting && s.file.err == nil {
			s.waits <- struct{}{}
		}
	case agent.CallWaiting:
		if q := e.Question; q.Resumed && !s.can(q) {
			line := q.Tool + " " + q.Target + ": this call stands in the file, so only a person at a terminal or in an editor can approve it"
			fmt.Fprintln(s.notes, "assent: "+visible.Line(line))
		}
	}
}

// record writes an event into the file. A run that is refused before it begins changes nothing.
func (s *consoleSink) record(e agent.Event) {
	if started, ok := e.(agent.Started); ok {
		s.begun = true
		if started.Why != "" {
			s.file.name(started.Model)
		}
	}
	if !s.begun {
		return
	}
	s.file.append(s.recorder.Piece(e))
	switch e := e.(type) {
	case agent.Finished:
		s.file.end(s.recorder.You())
	case agent.Progress:
		if e.Stage == agent.Executing {
			s.file.sync() // the call that is about to run is on disk
		}
	}
}

// exitOf says how a run ended as an exit status.
func exitOf(end agent.Finished, path string) error {
	switch end.Outcome {
	case agent.Completed:
		return nil
	case agent.Unanswered:
		return &exitError{exitUnanswered, "a call was not run; `assent send " + path + "` takes it up"}
	case agent.Stopped:
		return &exitError{status: exitStopped}
	case agent.Broken, agent.Exhausted:
	}
	return &exitError{status: 1}
}
