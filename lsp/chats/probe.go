package chats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/probe"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools/diskfile"
)

// StartPercent shows a progress with percentages; cancel is called when the user cancels it.
type StartPercent func(title, sentence string, cancel func()) Progress

// Probing is a probe of a model that runs, or has ended.
type Probing struct {
	model  string // guarded by the mu of Chats; empty until it is known
	cancel context.CancelFunc
	done   chan struct{}
	err    error // valid once done is closed
}

// Wait returns when it is over, with the reason why it ended early if it did. The end of ctx ends it, and nothing is
// written then.
func (p *Probing) Wait(ctx context.Context) error {
	defer context.AfterFunc(ctx, p.cancel)()
	<-p.done
	return p.err
}

// ChatFor is the chat that a command with this URI acts on: the chat at the URI, or else the only open one. nil: no
// chat is open.
func (cs *Chats) ChatFor(uri string) (*Chat, error) {
	if chat, ok := cs.Get(uri); ok {
		return chat, nil
	}
	if len(cs.All()) == 0 {
		return nil, nil
	}
	return cs.Only()
}

// Probe finds out how a model calls tools best and uses that from then on. Without a name it is the model of the chat,
// and without a chat (nil) the one that would be chosen. It returns when the probe has started.
func (cs *Chats) Probe(ctx context.Context, chat *Chat, name string, show StartPercent) (*Probing, error) {
	own, cancel := context.WithCancel(cs.ctx)
	p := &Probing{cancel: cancel, done: make(chan struct{})}
	if err := cs.reserve(p); err != nil {
		cancel()
		return nil, err
	}
	job, err := cs.prepareProbe(ctx, chat, name, p)
	if err == nil && !cs.tasks.Go(func() { cs.runProbe(own, p, job, show) }) {
		err = session.ErrEnded
	}
	if err != nil {
		cancel()
		cs.release(p)
		return nil, err
	}
	return p, nil
}

// StopProbe stops the running probe.
func (cs *Chats) StopProbe() error {
	cs.mu.Lock()
	p := cs.probe
	cs.mu.Unlock()
	if p == nil {
		return errors.New("no model is being asked how it calls tools")
	}
	p.cancel() // nothing is written
	return nil
}

// reserve makes p the only running probe: two would only wait for each other.
func (cs *Chats) reserve(p *Probing) error {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.probe == nil {
		cs.probe = p
		return nil
	}
	return fmt.Errorf(
		"%s is being asked already how it calls tools: wait for the end, or stop it",
		cmp.Or(cs.probe.model, "a model"),
	)
}

func (cs *Chats) release(p *Probing) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.probe == p {
		cs.probe = nil
	}
}

// probeJob is a probe of one model, ready to start.
type probeJob struct {
	probe.Job
	agent *agent.Agent
	info  model.Info
}

// prepareProbe finds the model and makes sure that no chat uses it.
func (cs *Chats) prepareProbe(ctx context.Context, chat *Chat, name string, p *Probing) (out probeJob, err error) {
	path, document := "", &transcript.Chat{}
	if chat != nil {
		path, document = chat.path, chat.View().Chat
	}
	env, err := cs.Environment(path)
	if err != nil {
		return out, err
	}
	out.agent = env.Agent
	if name == "" {
		if name, err = out.agent.ModelOf(ctx, document, env.Options); err != nil {
			return out, err
		}
	}
	backend := out.agent.Backend()
	if out.info, err = backend.Describe(ctx, name); err != nil {
		return out, err
	}
	if err := out.agent.Permit(path, env.Options, out.info); err != nil {
		return out, err
	}
	if path, busy := cs.writes(out.info.Name); busy {
		return out, fmt.Errorf(
			"%s is writing in %s: wait for the end of the reply or Stop it, then try again", out.info.Name,
			filepath.Base(path),
		)
	}
	cs.mu.Lock()
	p.model = out.info.Name
	cs.mu.Unlock()
	out.Job = probe.Job{
		Backend: backend, Folder: cs.Profiles, Format: env.Options.Format, Lock: cs.State.LockChat,
		Options: probe.Options{
			ContextSize: out.agent.ContextSize(env.Options, out.info), KeepAlive: env.Options.KeepAlive,
			Turn: func(ctx context.Context) (give func(), err error) { return out.agent.Turn(ctx, out.info.Name) },
		},
	}
	return out, nil
}

// writes reports in which chat a model writes now. A run that waits for a person does not write; a run that has not
// chosen its model yet may choose any.
func (cs *Chats) writes(name string) (path string, busy bool) {
	for _, c := range cs.All() {
		if !c.Session.Running() || len(Questions(c)) > 0 {
			continue
		}
		if by := c.Session.Model(); by == "" || by == name {
			return c.path, true
		}
	}
	return "", false
}

// runProbe asks the questions and shows the outcome; then p is done.
func (cs *Chats) runProbe(ctx context.Context, p *Probing, job probeJob, show StartPercent) {
	name := job.info.Name
	var counter Progress
	word := "done"
	defer func() {
		if v := recover(); v != nil {
			cs.Log.Error("a probe panicked", "panic", v, "stack", string(debug.Stack()))
			word = "Assent stopped this probe because of a bug in it; nothing was written."
			p.err = errors.New(word)
			cs.Host.ShowMessage(Error, word)
		}
		if counter != nil {
			counter.End(word)
		}
		p.cancel()
		cs.release(p)
		close(p.done)
	}()
	job.Progress = func(done, total int, probe string) {
		sentence, percent := fmt.Sprintf("%d of %d: %s", min(done+1, total), total, probe), 100*done/max(total, 1)
		if counter == nil { // so that its first message is never replaced before it was shown
			counter = show("Finding out how "+name+" calls tools", sentence, p.cancel)
			return
		}
		counter.ReportPercent(sentence, percent)
	}
	job.Found = func(f probe.Finding) {
		cs.Log.Info("a probe", "model", name, "way", f.Way, "probe", f.Probe, "took", f.Took, "result", f.Verdict())
	}
	outcome, err := job.Do(ctx, job.info)
	if ctx.Err() != nil && outcome.Path == "" {
		word, p.err = "Stopped: nothing was written.", context.Canceled
		return
	}
	if outcome.Profiles != nil {
		job.agent.UseProfiles(outcome.Profiles)
	}
	level, sentence := Info, outcome.Headline()+" "+outcome.Changed()
	switch {
	case err != nil:
		p.err = err
		word = err.Error()
		level, sentence = Error, "Finding out how "+name+" calls tools ended early, and nothing was written: "+
			err.Error()
		cs.Log.Warn("a probe broke", "error", err)
	case outcome.Path == "":
		level = Warning
	}
	cs.showOutcome(ctx, level, sentence, outcome, err)
}

// showOutcome shows the outcome of a probe, and writes the page with all results.
func (cs *Chats) showOutcome(ctx context.Context, level Level, sentence string, outcome probe.Outcome, trouble error) {
	if len(outcome.Report.Findings) == 0 {
		cs.Host.ShowMessage(level, sentence)
		return
	}
	page := filepath.Join(cs.State.Dir(), "probes", probe.PageName(outcome.Info.Name)+".md")
	if err := diskfile.WriteRegular(page, []byte(outcome.Page(trouble))); err != nil {
		cs.Log.Warn("the page of a probe cannot be written", "error", err)
		cs.Host.ShowMessage(level, sentence)
		return
	}
	cs.Host.ShowMessage(level, sentence+" All results are in "+page+".")
	cs.Host.ShowBeside(ctx, page)
}

// Probed is the model that is being probed now; empty: its name is not known yet, or none is.
func (cs *Chats) Probed() (model string, running bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.probe == nil {
		return "", false
	}
	return cs.probe.model, true
}
