package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
)

const (
	begunFile = "begun.json"
	maxBegun  = 2000 // newest calls of all chats that are kept
)

// BegunCalls remembers which calls of one chat were begun, beyond the end of the process: a call whose result never came
// may have had effects all the same.
type BegunCalls struct {
	state *State
	chat  string
}

// BegunCalls returns those of the chat with this path. Nothing is read or written yet.
func (s *State) BegunCalls(chat string) BegunCalls {
	return BegunCalls{state: s, chat: filepath.Clean(chat)}
}

// Begin keeps that a call is about to be executed; it is called before the call has any effect. call names the call and all
// that it would do.
func (b BegunCalls) Begin(call string) error {
	name := b.name(call)
	return Update(b.state, begunFile, func(names *[]string) error {
		*names = append(slices.DeleteFunc(*names, func(n string) bool { return n == name }), name)
		*names = (*names)[max(0, len(*names)-maxBegun):]
		return nil
	})
}

// Begun reports whether a call was ever begun. If that cannot be told it is true, since the call may have had effects.
func (b BegunCalls) Begun(call string) bool {
	names, err := Load[[]string](b.state, begunFile)
	return err != nil || slices.Contains(names, b.name(call))
}

// name is short, and tells nothing of the call.
func (b BegunCalls) name(call string) string {
	sum := sha256.Sum256([]byte(b.chat + "\x00" + call))
	return hex.EncodeToString(sum[:12])
}
