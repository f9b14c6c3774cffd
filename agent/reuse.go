package agent

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

const (
	maxReads  = 64  // chats whose last request is remembered
	leastLost = 256 // tokens that are worth a word
)

// lastReads remembers what the server read last for each chat, to say what made it read that again.
type lastReads struct {
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

// lost says what made the server read again what it had read for a chat, and how much that was; empty: nothing, or
// nothing that is known. It is called once for each reply whose server tells what it reused.
func (l *lastReads) lost(chat string, req model.Request, done model.Done, reloaded bool) string {
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
		return ""
	}
	why := before.changed(now)
	if reloaded {
		why = "the model was loaded again"
	}
	if why == "" {
		return ""
	}
	return fmt.Sprintf("%s tokens read again because %s", event.Thousands(lost), why)
}

// read is a request as it is remembered.
func (l *lastReads) read(req model.Request) lastRead {
	now := lastRead{model: req.Model}
	var h maphash.Hash
	h.SetSeed(l.seedOnce())
	sum := func(texts ...string) uint64 {
		h.Reset()
		for _, text := range texts {
			_, _ = h.WriteString(text + "\x00") // a hash takes everything
		}
		return h.Sum64()
	}
	for i, m := range req.Messages {
		texts := []string{string(m.Role), m.Text}
		for _, call := range m.Calls {
			texts = append(texts, call.Name, string(call.Arguments))
		}
		if i == 0 && m.Role == model.RoleSystem {
			now.system = sum(texts...)
			continue
		}
		now.messages = append(now.messages, sum(texts...))
	}
	var schemas []string
	for _, t := range req.Tools {
		now.tools = append(now.tools, t.Name)
		schemas = append(schemas, t.Description, string(t.Parameters))
	}
	now.schemas = sum(schemas...)
	return now
}

func (l *lastReads) seedOnce() maphash.Seed {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seed == (maphash.Seed{}) {
		l.seed = maphash.MakeSeed()
	}
	return l.seed
}

// changed says what made a prompt another one before its end; empty: nothing, it only grew.
func (r lastRead) changed(now lastRead) string {
	without := func(all, others []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(others, name) })
	}
	switch added, gone := without(now.tools, r.tools), without(r.tools, now.tools); {
	case now.system != r.system:
		return "the system prompt changed"
	case len(added) == 1:
		return "the tool " + added[0] + " was added"
	case len(added) > 1:
		return "the tools " + strings.Join(added, ", ") + " were added"
	case len(gone) == 1:
		return "the tool " + gone[0] + " was taken away"
	case len(gone) > 1:
		return "the tools " + strings.Join(gone, ", ") + " were taken away"
	case now.schemas != r.schemas:
		return "the definitions of the tools changed"
	case len(now.messages) < len(r.messages) || !slices.Equal(now.messages[:len(r.messages)], r.messages):
		return "something above in the chat changed"
	}
	return ""
}
