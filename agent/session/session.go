package session

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/workspace"
)

// Why a chat takes no new question now.
var (
	ErrBusy    = errors.New("a reply is being written here already: Stop it first")
	ErrWaiting = errors.New("a call here waits for your answer: give it, or Stop first")
	ErrEnded   = errors.New("the program is being stopped")
	ErrIdle    = errors.New("nothing is running in this chat")
)

// Session is one conversation in one workspace. Any number of front ends may use it at the same time; its methods are
// safe for concurrent use.
type Session struct {
	ctx         context.Context //nolint:containedctx // the life of all runs
	document    Document
	environment func() (Environment, error)
	reads       *tools.ReadSet // which files this chat has read

	// held while the run gets a new state of the document, so that an older state never overtakes a newer one
	syncing sync.Mutex

	titles sync.WaitGroup // of titles that are asked for or written, once a run is over

	mu    sync.Mutex
	sinks []*event.Sink         // guarded by mu; replaced, never changed
	held  bool                  // guarded by mu: a run is being started, or the document is changed for one
	ended bool                  // guarded by mu: nothing new is started
	last  *run                  // guarded by mu: the current or last run; nil: none
	edits map[string]tools.Undo // guarded by mu, by call: what can be taken back
	shown map[string]bool       // guarded by mu: calls of this run that were in the document

	warned string // guarded by mu: what could not be used when the last run began
}

// run is a run with its reply.
type run struct {
	*agent.Run
	env    Environment
	at     int         // the index of the last turn of the document that was sent
	turn   ledger.Turn // under which the changes of files are kept
	reply  Reply
	trace  event.Sink
	asked  string // the model of the last request
	cancel context.CancelFunc
	over   chan struct{} // closed when the reply is kept and the chat is unlocked
	err    error         // of the reply; valid once over is closed, and before that the run's own
}

// New returns the session of a conversation; ctx ends its runs. The environment is asked for whenever something begins.
func New(ctx context.Context, document Document, environment func() (Environment, error)) *Session {
	return &Session{
		ctx: ctx, document: document, environment: environment, reads: tools.NewReadSet(),
		edits: map[string]tools.Undo{}, shown: map[string]bool{},
	}
}

// Send starts a run with the question at the end of the document. It returns as soon as the run is started. Nothing is
// written if it returns an error, which is a sentence for the user.
func (s *Session) Send(ctx context.Context) error { return s.begin(ctx, toSend, s.expand) }

// Resume takes up the calls that were not run, asking afresh, or goes on where a run ended before the model answered
// the results.
func (s *Session) Resume(ctx context.Context) error { return s.begin(ctx, toResume, nil) }

// Continue sends a new question, or else takes up the calls that were not run.
func (s *Session) Continue(ctx context.Context) error { return s.begin(ctx, toContinue, s.expand) }

// Hold makes sure that one thing at a time starts a run or changes the document for one, and waits until the last words
// of the reply before are written.
func (s *Session) Hold(ctx context.Context) (release func(), err error) {
	s.mu.Lock()
	before, running := s.last, s.running()
	if s.held || running != nil {
		s.mu.Unlock()
		if running != nil && len(running.Questions()) > 0 {
			return nil, ErrWaiting
		}
		return nil, ErrBusy
	}
	s.held = true
	s.mu.Unlock()
	release = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held = false
	}
	if before == nil {
		return release, nil
	}
	before.cancel() // nobody waits for a title
	select {
	case <-before.over:
		s.titles.Wait() // it was ended
		return release, nil
	case <-ctx.Done():
		release()
		return nil, ctx.Err()
	}
}

// currentRun is running for who does not hold mu.
func currentRun(s *Session) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running()
}

// readNow is what a Send would begin with.
func readNow(s *Session) (env Environment, snapshot Snapshot, err error) {
	if env, err = s.environment(); err == nil {
		snapshot, err = s.document.Read()
	}
	return env, snapshot, err
}

// running returns the run that goes on, or nil; mu is held.
func (s *Session) running() *run {
	if s.last == nil {
		return nil
	}
	select {
	case <-s.last.Done():
		return nil
	default:
		return s.last
	}
}

// chooser finds what of a chat is to be sent.
type chooser func(*transcript.Chat, opencalls.Begins) (turn int, resumed bool, err error)

// begin locks the chat, does what comes before a run, if anything does, and starts the run.
func (s *Session) begin(ctx context.Context, choose chooser, before func(context.Context, *Environment) error) error {
	release, err := s.Hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	env, err := s.environment()
	if err != nil {
		return err
	}
	unlock, owner, err := env.State.LockChat(s.document.Path())
	if errors.Is(err, workspace.ErrLocked) {
		return fmt.Errorf("this chat is being written by %s: close it there first", owner)
	} else if err != nil {
		return err
	}
	started := false
	defer func() {
		if !started { // also after a panic
			unlock()
		}
	}()
	if before != nil {
		if err := before(ctx, &env); err != nil {
			return err
		}
	}
	err = s.start(ctx, env, choose, unlock)
	started = err == nil
	return err
}

// start checks all that a run needs and starts it.
func (s *Session) start(ctx context.Context, env Environment, choose chooser, unlock func()) error {
	snapshot, err := s.document.Read()
	if err != nil {
		return err
	}
	chat := snapshot.Chat()
	if err := checkHead(chat); err != nil {
		return err
	}
	turn, resumed, err := choose(chat, env.Begun(s.document.Path()))
	if err != nil {
		return err
	}
	document := *chat
	document.Turns = document.Turns[:turn+1]
	if env.Workspace == nil {
		tell(env.Inform, "This chat is in no workspace folder, so there are no file tools here.")
	}
	job := agent.Job{Chat: s.document.Path(), Document: &document, Options: env.Options, Resume: resumed}
	err = env.Configure(ctx, &job, s.reads)
	// what could not be read because the request was cancelled is no mistake of a file
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	s.warn(env, err)
	reply, err := snapshot.Reply(placeBelow(snapshot, turn, resumed))
	if err != nil {
		return err
	}
	return s.launch(ctx, env, job, reply, unlock)
}

// warn says what of the user's files cannot be used: again only when it is something else.
func (s *Session) warn(env Environment, err error) {
	sentence := ""
	if err != nil {
		sentence = err.Error()
	}
	s.mu.Lock()
	same := sentence == s.warned
	s.warned = sentence
	s.mu.Unlock()
	if !same && sentence != "" {
		tell(env.Warn, sentence)
	}
}

// checkHead refuses a chat whose front matter cannot be used: it says which model answers and which tools there are.
func checkHead(chat *transcript.Chat) error {
	for _, problem := range chat.Problems {
		if !problem.Hint && len(chat.Turns) > 0 && problem.Span.Start < chat.Turns[0].Heading.Start {
			return invalid("%s", problem.Message)
		}
	}
	return nil
}

// launch starts the run, unless asked was cancelled, and ends it when it is over.
func (s *Session) launch(asked context.Context, env Environment, job agent.Job, reply Reply, unlock func()) error {
	ctx, cancel := context.WithCancel(s.ctx)
	r := &run{
		env: env, at: len(job.Document.Turns) - 1, turn: env.turn(job.Chat, job.Document, job.Resume),
		reply: reply, trace: env.Traces.Run(job.Chat, env.Warn), cancel: cancel, over: make(chan struct{}),
	}
	job.Sink, job.CanAsk = emitter{s, r}, func(q event.Question) bool { return s.canAsk(r, q) }
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		cancel()
		return errors.Join(ErrEnded, reply.Close())
	}
	if err := asked.Err(); err != nil { // who cancels it and then finds no run relies on there being none later
		s.mu.Unlock()
		cancel()
		return errors.Join(err, reply.Close())
	}
	defer s.mu.Unlock()
	s.last, s.shown = r, map[string]bool{}
	r.Run = env.Agent.Start(ctx, job)
	go func() {
		<-r.Done()
		if err := reply.Close(); r.err == nil {
			r.err = err
		}
		entitles := job.Options.Titles && r.err == nil
		if entitles {
			s.titles.Add(1) // before anybody can see that the run is over
			defer s.titles.Done()
		} else {
			cancel()
		}
		unlock()
		close(r.over)
		if entitles { // the chat is free meanwhile
			s.entitle(ctx, r)
			cancel()
		}
	}()
	return nil
}

// Stop ends the run: nothing more is done, and nothing more is written but what closes the reply.
func (s *Session) Stop() error {
	r := currentRun(s)
	if r == nil {
		return ErrIdle
	}
	r.Stop()
	return nil
}

// Halt stops the command that runs if its changes can still be asked about, and ends the run once that is done; see
// [agent.Run.Halt].
func (s *Session) Halt() bool {
	r := currentRun(s)
	return r != nil && r.Halt()
}

// CanSteer reports whether a state of the chat has a question below the reply that is being written.
func (s *Session) CanSteer(chat *transcript.Chat) bool {
	r := currentRun(s)
	last, _, err := toSend(chat, nil)
	return r != nil && err == nil && last > r.at && len(r.Questions()) == 0
}

// Steer has the run end after its current step, so that the question below the reply can be sent next. It is ErrBusy if
// there is none.
func (s *Session) Steer() error {
	snapshot, err := s.document.Read()
	if err != nil {
		return err
	}
	if !s.CanSteer(snapshot.Chat()) {
		return ErrBusy
	}
	r := currentRun(s)
	if r == nil {
		return ErrIdle
	}
	r.Yield()
	return nil
}

// Done is closed when no run goes on and the reply of the last one is kept.
func (s *Session) Done() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		none := make(chan struct{})
		close(none)
		return none
	}
	return s.last.over
}

// Wait returns when the last run is over and its reply is kept, and says how it ended. The error says why the reply is
// not, or not only, in the document.
func (s *Session) Wait() (event.Finished, error) {
	s.mu.Lock()
	r := s.last
	s.mu.Unlock()
	if r == nil {
		return event.Finished{}, ErrIdle
	}
	<-r.over
	return r.Wait(), r.err
}

// Quit makes sure that nothing new is started and stops what goes on, without waiting for it. Who ends several sessions
// calls it for all of them first: a run that waits for the model would begin when the one before it stops.
func (s *Session) Quit() {
	s.mu.Lock()
	s.ended = true
	r := s.running()
	if s.last != nil && r == nil {
		s.last.cancel()
	}
	s.mu.Unlock()
	if r != nil {
		r.Stop()
	}
}

// End makes sure that nothing new is started, stops what goes on and returns when it has stopped, or ctx ends. Done
// tells when the reply is kept, too.
func (s *Session) End(ctx context.Context) {
	s.Quit()
	r := currentRun(s)
	if r == nil {
		return
	}
	select {
	case <-r.Done():
	case <-ctx.Done():
	}
}

// Running reports whether a run goes on.
func (s *Session) Running() bool { return currentRun(s) != nil }

// Model names the model that answers in the current run; empty until it is chosen, and while no run is active.
func (s *Session) Model() string {
	if r := currentRun(s); r != nil {
		return r.Model()
	}
	return ""
}

// Models lists the installed models that can answer.
func (s *Session) Models(ctx context.Context) ([]model.Info, error) {
	env, err := s.environment()
	if err != nil {
		return nil, err
	}
	return env.Agent.Models(ctx)
}

// Listed is Models for a completion: nothing is done that the user would notice.
func (s *Session) Listed(ctx context.Context) ([]model.Info, error) {
	env, err := s.environment()
	if err != nil {
		return nil, err
	}
	return env.Agent.Listed(ctx)
}

// Unload takes the model that a Send would use out of memory, and names it.
func (s *Session) Unload(ctx context.Context) (name string, err error) {
	env, snapshot, err := readNow(s)
	if err != nil {
		return "", err
	}
	return env.Agent.Unload(ctx, snapshot.Chat(), env.Options)
}

// Warm loads the model that a Send would use, and looks at the files that it would look at.
func (s *Session) Warm() error {
	env, snapshot, err := readNow(s)
	if err != nil {
		return err
	}
	var group errgroup.Group
	group.Go(func() error {
		env.look(s.ctx, snapshot.Chat())
		return nil
	})
	group.Go(func() error { return env.Agent.Warm(s.ctx, snapshot.Chat(), env.Options) })
	return group.Wait()
}

// Look looks at the files that a Send would look at, so that it need not. What goes wrong, a Send reports.
func (s *Session) Look() {
	if env, snapshot, err := readNow(s); err == nil {
		env.look(s.ctx, snapshot.Chat())
	}
}

// look goes over the files of the workspace before a Send, since that takes long when many are new.
func (e Environment) look(ctx context.Context, chat *transcript.Chat) {
	if e.Workspace == nil {
		return
	}
	if e.Words != nil && e.Agent.Guided(chat, e.Options) {
		e.Words.Learn(ctx, e.Workspace)
		return
	}
	if root, err := e.Workspace.Resolve("."); err == nil {
		// only a help: a Send walks, too
		_ = e.Workspace.Walk(ctx, root, func(workspace.Path) error { return ctx.Err() })
	}
}
