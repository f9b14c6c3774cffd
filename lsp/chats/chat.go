// Package chats shows the sessions of open chat documents in an editor: it writes replies into the documents, and lists
// their actions, diagnostics, outline and hovers. It knows no wire types; lsp converts to LSP.
package chats

import (
	"context"
	"sync"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools/ledger"
)

// Host is what chats need of the editor. Its methods may be called from any goroutine.
type Host interface {
	// Refresh publishes the diagnostics of a document again.
	Refresh(uri string)
	// StateChanged says that a chat works, waits or stands still in another way than before.
	StateChanged()
	// FilesChanged says that other changes of files may wait for a decision now; the ledger may be nil.
	FilesChanged(l *ledger.Ledger)
	// ShowMessage shows one sentence.
	ShowMessage(level Level, sentence string)
	// Progress shows that some work takes long; cancel is called when the user cancels it.
	Progress(title string, cancel func()) Progress
	// Percent is Progress for work that can say how far it is.
	Percent(title, sentence string, cancel func()) Progress
	// Show opens a document at a line, from zero; where the client cannot, a message names the place.
	Show(ctx context.Context, uri string, line int)
	// ShowText shows read-only text (a diff) under a name, in a document of its own.
	ShowText(ctx context.Context, name, text string)
	// ShowPage shows a page in Markdown under a name, in a document of its own.
	ShowPage(ctx context.Context, name, markdown string) error
	// ShowTable shows rows in CSV under a name, in a document of its own.
	ShowTable(ctx context.Context, name, csv string) error
	// UpdateText replaces a text that ShowText showed, without showing it again.
	UpdateText(name, text string)
	// ShowOutput shows what a running call has printed so far, in a document of its own.
	ShowOutput(ctx context.Context, o ext.Output)
	// UpdateOutput replaces what ShowOutput showed for a call, without showing it again.
	UpdateOutput(o ext.Output)
	// ShowBeside shows a file without taking the focus; where the client cannot, nothing is shown.
	ShowBeside(ctx context.Context, path string)
	// Confinement says in a sentence whether the commands of a chat are confined; empty: there is no sandbox. It tries
	// none.
	Confinement(path string) string
}

// Progress is one shown progress.
type Progress interface {
	Report(sentence string)
	// ReportPercent is Report for one that Percent began.
	ReportPercent(sentence string, percent int)
	End(sentence string)
}

// Level is the severity of a message, as LSP counts it.
type Level int

// The levels.
const (
	Error Level = iota + 1
	Warning
	Info
)

// Chat is one open chat document.
type Chat struct {
	Chats *Chats
	uri   string
	path  string
	open  bool // guarded by chats.mu

	Session  *session.Session
	recovery recovery
	hand     handCalls
	shown    shownCalls

	mu    sync.Mutex
	state RunState     // guarded by mu, but for ByHand
	reply *replyWriter // guarded by mu: where the reply of the current or last run goes; nil: there was none
	// guarded by mu: takes back the question that is sent when the run has ended; nil if there is none
	takeBack func()
	chosen   string       // guarded by mu: the model that was chosen last because none is named
	asked    askedCommand // guarded by mu: the command that servers were asked for last
	warmed   bool         // guarded by mu: the model was loaded before the first Send
	looked   int          // guarded by mu: the runs that had begun when the workspace was last looked at

	seen map[string]bool // guarded by mu, by call ID: it was in the document, in this run

	parsing sync.Mutex       // held while the document is parsed; no keystroke waits for it
	parsed  *transcript.Chat // guarded by parsing; nil: not parsed yet
	text    documents.Text   // guarded by parsing: what parsed was made of
}

// Idle reports whether no run goes on and the last reply is completely written.
func (c *Chat) Idle() bool {
	select {
	case <-c.Session.Done():
		return true
	default:
		return false
	}
}

// environment is what the chat's workspace gives it now.
func (c *Chat) environment() (session.Environment, error) {
	env, err := c.Chats.Environment(c.path)
	env.Warn = func(sentence string) { c.say(Warning, sentence) }
	env.Inform = func(sentence string) { c.say(Info, sentence) }
	return env, err
}

// say shows one sentence to the user.
func (c *Chat) say(level Level, sentence string) { c.Chats.Host.ShowMessage(level, sentence) }

// URI names the chat's document, as the editor spells it.
func (c *Chat) URI() string { return c.uri }

// Changed is called when the document changed. A pending call that a person edited is asked about again. The first edit
// of an idle chat loads the model, since somebody is writing a question; the first one after a run looks at the
// workspace's files. It reports whether a question waits: the change may concern it, so its diagnostic is published at
// once.
func (c *Chat) Changed() (asks bool) {
	if running := c.Session.Running(); running || c.HandRuns() {
		if asks = len(Questions(c)) > 0; asks && running {
			c.Chats.tasks.Go(c.Sync)
		}
		return asks
	}
	c.mu.Lock()
	first, next := !c.warmed && c.reply == nil, c.looked < c.state.Runs
	c.warmed, c.looked = true, c.state.Runs
	c.mu.Unlock()
	switch {
	case first:
		c.Chats.tasks.Go(func() { warm(c) })
	case next:
		c.Chats.tasks.Go(c.Session.Look)
	}
	return false
}

// warm loads the model that a Send would use. Its errors are only logged: Send reports them.
func warm(c *Chat) {
	if err := c.Session.Warm(); err != nil {
		c.Chats.Log.Info("the model was not loaded ahead", "error", err)
	}
}

// View parses the document as it is now.
func (c *Chat) View() parsed.View {
	snapshot, ok := c.Chats.Store.Get(c.uri)
	if !ok {
		return parsed.View{Chat: &transcript.Chat{}}
	}
	view := parsed.View{Snapshot: snapshot, Text: snapshot.Text, Chat: c.parse(snapshot)}
	view.Asking = c.hand.asking(view)
	return view
}

// parse parses a state of the document.
func (c *Chat) parse(snapshot documents.Snapshot) *transcript.Chat {
	c.parsing.Lock()
	defer c.parsing.Unlock()
	if c.parsed == nil || c.text != snapshot.Text {
		then, now := snapshot.Text.Since(c.text)
		c.parsed = transcript.Update(
			c.parsed, snapshot.Text, transcript.Change{Start: now.Start, OldEnd: then.End, NewEnd: now.End},
		)
	}
	c.text = snapshot.Text
	return c.parsed
}
