package chats

import (
	"github.com/assent-ls/assent/agent/event"
)

// stage is how far a run is.
type stage struct {
	Stage event.Stage
	Text  string
}

// notWell keeps how a run ended that did not end well.
func (c *Chat) notWell(sentence string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Ended = sentence
}

// began keeps what is known of a run that begins.
func (c *Chat) began(model string) {
	c.mu.Lock()
	c.state.Model, c.state.Stage = model, stage{}
	c.mu.Unlock()
	c.Chats.Host.StateChanged()
}

// reached keeps how far a run is.
func (c *Chat) reached(s event.Stage, text string) {
	c.mu.Lock()
	same := c.state.Stage == stage{s, text}
	c.state.Stage = stage{s, text}
	c.mu.Unlock()
	if !same {
		c.Chats.Host.StateChanged()
	}
}

// SeenInChat reports whether a call that waits is in the chat, or was when this was asked before.
func (c *Chat) SeenInChat(call string, isThere bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if isThere {
		c.seen[call] = true
	}
	return c.seen[call]
}

// used keeps what the last reply took of the context.
func (c *Chat) used(u event.Usage) {
	c.mu.Lock()
	c.state.Usage = u
	c.mu.Unlock()
	c.Chats.Host.StateChanged()
}

// RunState is how the runs of a chat go: the one that goes on, or the last one.
type RunState struct {
	Model  string      // of the last run
	Runs   int         // that were begun
	Ended  string      // how the last run ended, if not well
	Usage  event.Usage // of the last reply in this process
	Stage  stage       // how far the run is
	ByHand bool        // a call that a person wrote runs
}

// Progress says how the runs of the chat go.
func (c *Chat) Progress() RunState {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.state
	if r := c.hand.runs(); r != nil {
		now.ByHand, now.Stage = true, r.far()
	}
	return now
}

// Unwritten reports whether a part of the current reply is not in the document yet.
func (c *Chat) Unwritten() bool { return c.CurrentReply().unwritten() }
