// Package chats joins an open chat document to the agent: it sends, shows what streams, holds what waits for a person,
// and says which actions and diagnostics the document has. It knows no wire types; lsp gives them their LSP form.
package chats

import (
	"context"
	"sync"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/journal"
)

// Host is the editor, as far as chats need it. Its methods may be called from any goroutine.
type Host interface {
	// Refresh makes the editor see the diagnostics of a document anew.
	Refresh(uri string)
	// Tell shows one sentence.
	Tell(level Level, sentence string)
	// Progress shows that something long goes on; cancel is called when the user cancels it there.
	Progress(title string, cancel func()) Progress
	// Show opens a document at a place (line, zero-based); a client that cannot is told the place in a message.
	Show(ctx context.Context, uri string, line int)
	// ShowText shows read-only text (a diff) under a name, in a document of its own.
	ShowText(ctx context.Context, name, text string)
	// UpdateText puts another text under a name that was shown, without showing it again.
	UpdateText(name, text string)
	// Offer shows a file beside what the user does and takes no focus; a client that cannot shows nothing.
	Offer(ctx context.Context, path string)
}

// Progress is one shown progress.
type Progress interface {
	Report(sentence string)
	End(sentence string)
}

// Level is how grave a sentence is.
type Level int

// The levels.
const (
	Info Level = iota + 1
	Warning
	Error
)

// Chat is one open chat document.
type Chat struct {
	chats *Chats
	uri   string
	path  string
	open  bool // guarded by chats.mu

	session *session.Session

	mu          sync.Mutex
	reply       *replyWriter     // guarded by mu: where the reply of the current or last run goes; nil: there was none
	warmed      bool             // guarded by mu: the model was loaded ahead
	journal     *journal.Journal // guarded by mu; nil until something was streamed
	unconfirmed bool             // guarded by mu: the end of what the journal holds may be missing from the document
	taken       bool             // guarded by mu: a person took something out of the middle of the reply while it streamed

	previews map[string]preview  // guarded by mu, by question ID: those that were shown and not marked yet
	live     map[string]liveCall // guarded by mu, by call ID: calls that run, and answered ones whose question was shown

	parsing sync.Mutex       // held while the document is read, which a keystroke does not wait for
	parsed  *transcript.Chat // guarded by parsing; nil: not parsed yet
	text    documents.Text   // guarded by parsing: what parsed was made of
}

// idle reports whether no run goes on and the last words of the last one are in the document.
func (c *Chat) idle() bool {
	select {
	case <-c.session.Done():
		return true
	default:
		return false
	}
}

// environment is what the chat's workspace gives it now.
func (c *Chat) environment() (session.Environment, error) {
	env, err := c.chats.Environment(c.path)
	env.Warn = func(sentence string) { c.chats.Host.Tell(Warning, sentence) }
	env.Inform = func(sentence string) { c.chats.Host.Tell(Info, sentence) }
	return env, err
}

// URI names the chat's document, as the editor spells it.
func (c *Chat) URI() string { return c.uri }

// Changed takes note that the document changed. What a person changed in a pending call is asked afresh. The first edit
// of an idle chat loads the model: somebody writes a question. It reports whether something waits for an answer: then the
// change may be the call itself, which is to be seen at once.
func (c *Chat) Changed() (asks bool) {
	if c.session.Running() {
		if asks = len(c.session.Questions()) > 0; asks {
			c.chats.background(c.sync)
		}
		return asks
	}
	c.mu.Lock()
	first := !c.warmed && c.reply == nil
	c.warmed = true
	c.mu.Unlock()
	if first {
		c.chats.background(c.warm)
	}
	return false
}

// warm loads the model that a Send would use. It may fail in silence: Send says what is wrong.
func (c *Chat) warm() {
	if err := c.session.Warm(); err != nil {
		c.chats.Log.Info("the model was not loaded ahead", "error", err)
	}
}
