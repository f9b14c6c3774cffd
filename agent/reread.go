package agent

import (
	"crypto/sha256"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/images"
	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
)

// lastSent remembers, until the process ends, what the model read of each chat last: the server may have that in its
// cache.
type lastSent struct {
	mu    sync.Mutex
	chats map[string]sentChat // guarded by mu, by the chat's identity
}

// sentChat is what a run sent, and what came back.
type sentChat struct {
	turns   [][sha256.Size]byte
	instead map[string]string // what the model read in the place of images, by their paths
	asked   []event.Asked     // by which requests
}

func (l *lastSent) keep(chat string, turns []toolcall.Turn, images images.Lookup, asked []event.Asked) {
	keys := make([][sha256.Size]byte, len(turns))
	for i, t := range turns {
		keys[i] = turnKey(t)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.chats[chat] = sentChat{keys, images.Instead, slices.Clone(asked)} // of a clone: a title is asked for later
}

func (l *lastSent) of(chat string) (sentChat, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sent, ok := l.chats[chat]
	return sent, ok
}

// ReadAgain finds the first turn of a document that differs from what was sent of the chat last in this process: from
// there the model has to read the prompt again. A turn below which there is nothing is read for the first time in any
// case. begun may be nil.
func (a *Agent) ReadAgain(chat string, document *transcript.Chat, begun opencalls.Begins) (turn int, ok bool) {
	sent, ok := a.sent.of(chat)
	if !ok {
		return 0, false
	}
	memory := compose.Memory{
		Raw: a.raws.Find, Begun: func(call toolcall.Call) bool { return opencalls.Begun(begun, call) },
		Image: func(path string) (image content.Image, instead string) { return image, sent.instead[path] },
	}
	at := 0
	byTurn := compose.ByTurn(document, memory)
	for i, turns := range byTurn {
		for _, t := range turns {
			if at == len(sent.turns) {
				return 0, false
			}
			if turnKey(t) != sent.turns[at] {
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
