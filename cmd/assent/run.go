package main

import (
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
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/lsp"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/settings"
	"github.com/assent-ls/assent/tools"
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
			path, err := newChatFile(root, args[0])
			if err != nil {
				return err
			}
			return converse(cmd, flags, root, path)
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
			return converse(cmd, flags, root, path)
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

// newChatFile begins a chat with one question.
func newChatFile(root, prompt string) (string, error) {
	if strings.TrimSpace(prompt) == "" {
		return "", &exitError{exitUsage, "the prompt is empty"}
	}
	return chats.NewFile(root, time.Now(), "## You\n\n"+strings.TrimSpace(prompt)+"\n")
}

// converse runs one chat file: what streams is appended to it as it comes.
func converse(cmd *cobra.Command, flags runFlags, root, path string) error {
	p, err := wire(cmd)
	if err != nil {
		return err
	}
	file, err := openChat(path)
	if err != nil {
		return err
	}
	defer file.close()
	unlock, owner, err := p.state.LockChat(path)
	if errors.Is(err, workspace.ErrLocked) {
		return fmt.Errorf("%s is being written by %s: close it there first", path, owner)
	} else if err != nil {
		return err
	}
	defer unlock()
	job, closeJob, err := newJob(p, flags, root, file)
	if err != nil {
		return err
	}
	defer closeJob()
	end, err := conduct(cmd, p.settings.Get(), flags, job, file)
	if err != nil {
		return err
	}
	if file.err != nil {
		return fmt.Errorf("the chat file could not be written to its end: %w", file.err)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), visible.Line(path))
	return exitOf(end, path)
}

// newJob fills a job from the chat file: a new question is sent, else calls that were not run are taken up.
func newJob(p *parts, flags runFlags, root string, file *chatFile) (agent.Job, func(), error) {
	ws, err := workspace.Open(root, workspace.NoBuffers{}, workspace.Options{})
	if err != nil {
		return agent.Job{}, nil, err
	}
	now := p.in(root)
	job := agent.Job{Chat: file.path, Document: file.chat, Options: lsp.RunOptions(now)}
	last := file.chat.LastYou()
	switch {
	case last >= 0 && last == len(file.chat.Turns)-1 && !file.chat.Turns[last].Empty():
	case len(agent.OpenCalls(file.chat, nil)) > 0:
		job.Resume = true
	default:
		_ = ws.Close()
		return job, nil, &exitError{exitUsage, file.path + " has nothing to send: write a question under a new `## You` at its end"}
	}
	bench := agent.Workbench{
		Workspace: ws, State: p.state, Policy: p.policy, Config: p.config,
		Tools: tools.Options{CommandTimeout: time.Duration(now.CommandTimeout)},
	}
	if err := bench.Equip(&job, tools.NewReadSet()); err != nil {
		p.tell(err.Error())
	}
	for _, tool := range flags.approve {
		if !slices.ContainsFunc(job.Tools.Registry().Specs(), func(s tools.Spec) bool { return s.Name == tool }) {
			_ = ws.Close()
			return job, nil, &exitError{exitUsage, "--approve: there is no tool " + tool}
		}
	}
	return job, func() { _ = ws.Close() }, nil
}

// conduct runs the job and answers its questions.
func conduct(cmd *cobra.Command, s settings.Settings, flags runFlags, job agent.Job, file *chatFile) (agent.Finished, error) {
	a, err := newAgent(s)
	if err != nil {
		return agent.Finished{}, err
	}
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
	job.Sink = &consoleSink{shown: screen, notes: cmd.ErrOrStderr(), file: file, recorder: agent.NewRecorder(file.before, job.Resume), waits: waits, can: answers.can}
	run := a.Start(cmd.Context(), job)
	for {
		select {
		case <-run.Done():
			return run.Wait(), nil
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
	return slices.Contains(a.approve, q.Tool) && !q.Resumed && q.Protected == "" && q.Waits == ""
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
	waits    chan<- struct{} // the run waits for the answer to its first question
	can      func(agent.Question) bool
}

// Emit implements agent.Sink.
func (s *consoleSink) Emit(e agent.Event) {
	if started, ok := e.(agent.Started); ok && started.Why != "" {
		s.file.name(started.Model)
	}
	s.file.append(s.recorder.Piece(e))
	if _, over := e.(agent.Finished); over {
		s.file.append(s.recorder.You())
	}
	s.shown.Emit(e)
	switch e := e.(type) {
	case agent.Progress:
		if e.Stage == agent.Waiting {
			s.waits <- struct{}{}
		}
	case agent.CallWaiting:
		if q := e.Question; q.Resumed && !s.can(q) {
			line := q.Tool + " " + q.Target + ": this call stands in the file, so only a person at a terminal or in an editor can approve it"
			fmt.Fprintln(s.notes, "assent: "+visible.Line(line))
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
