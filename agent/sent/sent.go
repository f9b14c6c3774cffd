// Package sent remembers, until the process ends, what the model read of each chat last. The model server may have that
// in its cache.
package sent

import (
	"crypto/sha256"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/images"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
)

// Chats has what was sent of each chat last. It is safe for concurrent use.
type Chats struct {
	mu    sync.Mutex
	chats map[string]chat // guarded by mu, by the chat's identity
}

// New returns an empty memory.
func New() *Chats { return &Chats{chats: map[string]chat{}} }

// chat is what a run sent, and what came back.
type chat struct {
	turns   [][sha256.Size]byte
	instead map[string]string // what the model read in the place of images, by their paths
	asked   []event.Asked     // by which requests
}

// Keep remembers the turns that a run sent of a chat, with what came back, and its requests.
func (l *Chats) Keep(id string, turns []toolcall.Turn, images images.Lookup, asked []event.Asked) {
	keys := make([][sha256.Size]byte, len(turns))
	for i, t := range turns {
		keys[i] = turnKey(t)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.chats[id] = chat{keys, images.Instead, slices.Clone(asked)} // of a clone: a title is asked for later
}

// Requests lists the requests of the last run of a chat, in order.
func (l *Chats) Requests(id string) []event.Asked {
	last, _ := l.of(id)
	return last.asked
}

func (l *Chats) of(id string) (chat, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, ok := l.chats[id]
	return last, ok
}

// ChangedTurn finds the first turn of a document that differs from what was sent of the chat last: from there the model
// has to read the prompt again. A turn below which there is nothing is read for the first time in any case. memory is
// that of the next run, but for its images.
func (l *Chats) ChangedTurn(id string, document *transcript.Chat, memory compose.Memory) (turn int, ok bool) {
	last, ok := l.of(id)
	if !ok {
		return 0, false
	}
	memory.Image = func(path string) (image content.Image, instead string) { return image, last.instead[path] }
	at := 0
	byTurn := compose.ByTurn(document, memory)
	for i, turns := range byTurn {
		for _, t := range turns {
			if at == len(last.turns) {
				return 0, false
			}
			if turnKey(t) != last.turns[at] {
				below := slices.Concat(byTurn[i+1:]...)
				return i, len(below) > 0
			}
			at++
		}
	}
	return 0, false
}

// turnKey hashes what a model reads of a turn, its images aside.
func turnKey(t toolcall.Turn) [sha256.Size]byte {
	h := sha256.New()
	part := func(s string) { _, _ = io.WriteString(h, strconv.Itoa(len(s))+":"+s) }
	for _, s := range []string{string(t.Role), t.Text, t.Raw, t.CallID, t.Name, strconv.FormatBool(t.Failed)} {
		part(s)
	}
	for _, c := range t.Calls {
		part(c.ID)
		part(c.Name)
		part(tools.Canonical(c.Arguments))
	}
	return [sha256.Size]byte(h.Sum(nil))
}
