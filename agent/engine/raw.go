package engine

import (
	"crypto/sha256"
	"io"
	"strings"
	"sync"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
)

// RawReplies remembers how the model wrote its replies, by what the document shows of them. A reply that a person
// edited is no longer found, and is rendered afresh; so is every reply after a restart.
type RawReplies struct {
	mu    sync.Mutex
	texts map[[sha256.Size]byte]string // guarded by mu
}

func NewRawReplies() *RawReplies { return &RawReplies{texts: map[[sha256.Size]byte]string{}} }

func (r *RawReplies) Keep(reply toolcall.Turn, malformed []string, raw string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts[replyKey(reply, malformed)] = raw
}

func (r *RawReplies) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.texts)
}

func (r *RawReplies) Find(reply toolcall.Turn, malformed []string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.texts[replyKey(reply, malformed)]
}

// replyKey hashes what a person can see of a reply.
func replyKey(reply toolcall.Turn, malformed []string) [sha256.Size]byte {
	h := sha256.New()
	part := func(s string) { _, _ = io.WriteString(h, s); _, _ = h.Write([]byte{0}) }
	part(reply.Text)
	for _, c := range reply.Calls {
		part(c.ID)
		part(c.Name)
		part(tools.Canonical(c.Arguments))
	}
	for _, raw := range malformed {
		part(strings.TrimSpace(raw))
	}
	return [sha256.Size]byte(h.Sum(nil))
}
