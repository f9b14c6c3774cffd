package chats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/tasks"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/userstate"
)

// Options are what Chats depend on.
type Options struct {
	Host     Host
	Store    *documents.Store
	Writer   func(uri string) (*documents.Writer, bool)
	State    *userstate.State
	Journals string // folder of the recovery journals
	Profiles string // folder of the user's model profiles
	Log      *slog.Logger
	// Environment finds what a chat's workspace gives it, by the chat's path; without a workspace it has no file tools.
	Environment func(path string) (session.Environment, error)
	Mode        func() policy.Mode // which the user chose
	// Pinned reports whether a chat is pinned, and whether it can be, by its path.
	Pinned func(path string) (on, can bool)
}

// Chats holds the open chats. Its methods may be called concurrently.
type Chats struct {
	Options
	ctx   context.Context //nolint:containedctx // the life of all runs
	tasks tasks.Group     // background goroutines: none starts after Stop

	mu    sync.Mutex
	chats map[string]*Chat // guarded by mu, by documents.Key; closed ones too, since a document may be opened again
	probe *Probing         // guarded by mu: the probe that is running; nil: none

	warned sync.Once // that replies are not kept
}

// New returns Chats with no chat open; cancelling ctx ends all runs.
func New(ctx context.Context, o Options) *Chats {
	return &Chats{Options: o, ctx: ctx, chats: map[string]*Chat{}}
}

// Open registers a chat document that the editor opened. It starts nothing.
func (cs *Chats) Open(uri, path string) *Chat {
	cs.mu.Lock()
	chat, again := cs.chats[documents.Key(uri)]
	if !again {
		chat = &Chat{
			Chats: cs, uri: uri, path: path, seen: map[string]bool{},
		}
		chat.recovery.chat = chat
		chat.hand = handCalls{chat: chat, prepared: map[string]prepared{}}
		chat.shown = shownCalls{chat: chat, previews: map[string]preview{}, live: map[string]liveCall{}}
		chat.Session = session.New(cs.ctx, chat, chat.environment)
		cs.chats[documents.Key(uri)] = chat
	}
	chat.open = true
	cs.mu.Unlock()
	chat.recovery.opened()
	return chat
}

// Close stops the run of a chat; what did not reach the document stays in the journal.
func (cs *Chats) Close(uri string) {
	cs.mu.Lock()
	chat := cs.chats[documents.Key(uri)]
	if chat == nil {
		cs.mu.Unlock()
		return
	}
	chat.open = false
	cs.mu.Unlock()
	dropNext(chat)
	s := chat.CurrentReply()
	if chat.Session.Running() {
		s.documentCloses()
		_ = chat.Session.Stop() // it may have ended meanwhile
	}
	if s != nil {
		s.documentClosed()
	}
	if byHand := chat.hand.runs(); byHand != nil {
		byHand.stop()
	}
	cs.tasks.Go(func() { leave(chat) })
	if chat.Idle() { // else it is closed when the run is over
		chat.recovery.close()
	}
}

// reopening is within which a document that an editor reads again from the disk is opened after it was closed.
const reopening = time.Second

// leave ends the commands in the background of a chat, unless it is opened again at once.
func leave(c *Chat) {
	select {
	case <-time.After(reopening):
	case <-c.Chats.ctx.Done():
		return // they end with the program
	}
	if !c.closed() {
		return
	}
	for _, line := range session.BackgroundOf(c.Session).Leave() {
		c.say(Info, "Ended, since its chat was closed: "+line)
	}
}

// closed reports whether the editor has closed the chat's document.
func (c *Chat) closed() bool {
	c.Chats.mu.Lock()
	defer c.Chats.mu.Unlock()
	return !c.open
}

// Get finds an open chat.
func (cs *Chats) Get(uri string) (*Chat, bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	chat, ok := cs.chats[documents.Key(uri)]
	if !ok || !chat.open {
		return nil, false
	}
	return chat, true
}

// Only returns the open chat for commands that name none; if several are open, the error lists them.
func (cs *Chats) Only() (*Chat, error) {
	all := cs.All()
	switch len(all) {
	case 1:
		return all[0], nil
	case 0:
		return nil, errors.New("no chat is open: open a *.chat.md file or start a New chat")
	}
	var names []string
	for _, c := range all {
		names = append(names, c.path)
	}
	return nil, fmt.Errorf("several chats are open, so say which: %s", strings.Join(names, ", "))
}

// All lists the open chats in a stable order.
func (cs *Chats) All() []*Chat {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var out []*Chat
	for _, c := range cs.chats {
		if c.open {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(x, y *Chat) int { return cmp.Compare(x.uri, y.uri) })
	return out
}

// Stop ends all runs, lets no new one start, and waits for them until ctx ends.
func (cs *Chats) Stop(ctx context.Context) {
	cs.tasks.End()
	cs.mu.Lock()
	all := slices.Collect(maps.Values(cs.chats)) // with closed documents: their runs may not be over yet
	cs.mu.Unlock()
	for _, c := range all {
		if c.Session.Running() {
			c.CurrentReply().documentCloses()
		}
		c.Session.Quit()
	}
	for _, c := range all {
		c.Session.End(ctx)
	}
}

// Wait returns when all runs and background goroutines have ended. Call it after Stop, with the context of New
// cancelled.
func (cs *Chats) Wait() {
	for _, c := range cs.chats {
		<-c.Session.Done()
	}
	cs.tasks.Wait()
	for _, c := range cs.chats {
		c.recovery.close()
	}
}

// Recheck makes runs plan again the calls that wait or are about to, after a file was saved or changed.
func (cs *Chats) Recheck() {
	for _, c := range cs.All() {
		if c.Session.Running() {
			cs.tasks.Go(c.Session.Recheck)
		}
	}
}
