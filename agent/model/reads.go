package model

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"
)

const (
	maxReads  = 64  // chats whose last request is remembered
	leastLost = 256 // tokens that are worth a word
)

// Reads remembers what servers read last for each chat, to say what made them read that again. It is safe for
// concurrent use.
type Reads struct {
	seed maphash.Seed

	mu    sync.Mutex
	chats map[string]lastRead // guarded by mu
}

// lastRead is a request by what makes a prompt another one. Of texts it keeps hashes.
type lastRead struct {
	model    string
	system   uint64
	tools    []string
	schemas  uint64
	messages []uint64 // behind the system prompt
	tokens   int
}

// NewReads returns one that knows no chat.
func NewReads() *Reads { return &Reads{seed: maphash.MakeSeed(), chats: map[string]lastRead{}} }

// Lost says how many tokens a server read again that it had read for a chat, and why, in words that fit after
// "because"; empty: none, or for a reason that is not known. It is called once for each reply whose server tells what
// it reused. reloaded says that it had to load the model.
func (l *Reads) Lost(chat string, req Request, done Done, reloaded bool) (tokens int, why string) {
	now := l.read(req)
	now.tokens = done.PromptTokens
	l.mu.Lock()
	before, ok := l.chats[chat]
	if len(l.chats) >= maxReads && !ok {
		clear(l.chats)
	}
	l.chats[chat] = now
	l.mu.Unlock()
	lost := min(before.tokens, done.PromptTokens) - done.CachedTokens
	if !ok || before.model != now.model || lost < leastLost {
		return 0, ""
	}
	if reloaded {
		return lost, "the model was loaded again"
	}
	return lost, before.changed(now)
}

// read is a request as it is remembered.
func (l *Reads) read(req Request) lastRead {
	now := lastRead{model: req.Model}
	h := newHasher(l.seed)
	for i, m := range req.Messages {
		h.Reset()
		h.message(m)
		if i == 0 && m.Role == RoleSystem {
			now.system = h.Sum64()
			continue
		}
		now.messages = append(now.messages, h.Sum64())
	}
	h.Reset()
	for _, t := range req.Tools {
		now.tools = append(now.tools, t.Name)
		h.texts(t.Description, string(t.Parameters))
	}
	now.schemas = h.Sum64()
	return now
}

// changed says what made a prompt another one before its end; empty: nothing, it only grew.
func (r lastRead) changed(now lastRead) string {
	without := func(all, others []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(others, name) })
	}
	switch added, gone := without(now.tools, r.tools), without(r.tools, now.tools); {
	case now.system != r.system:
		return "the system prompt changed"
	case len(added) > 0:
		return toolsWere(added) + "added"
	case len(gone) > 0:
		return toolsWere(gone) + "taken away"
	case now.schemas != r.schemas:
		return "the definitions of the tools changed"
	case len(now.messages) < len(r.messages) || !slices.Equal(now.messages[:len(r.messages)], r.messages):
		return "something above in the chat changed"
	}
	return ""
}

func toolsWere(names []string) string {
	if len(names) == 1 {
		return "the tool " + names[0] + " was "
	}
	return "the tools " + strings.Join(names, ", ") + " were "
}
