package userstate

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

const (
	begunFile = "begun.json"
	maxBegun  = 4000 // newest names of calls of all chats that are kept
)

// BegunCalls remembers which calls of one chat were begun, beyond the end of the process: a call whose result never
// came may have had effects all the same.
type BegunCalls struct {
	state *State
	chat  string
}

// BegunCalls returns those of the chat with this absolute path: by whatever name, as long as its path or the file
// itself is the same. Nothing is read or written yet.
func (s *State) BegunCalls(chat string) BegunCalls {
	return BegunCalls{state: s, chat: chat}
}

// Begin keeps that a call is about to be executed; it is called before the call has any effect. call names the call and
// all that it would do.
func (b BegunCalls) Begin(call string) error {
	own := b.names(call)
	return Update(b.state, begunFile, func(names *[]string) error {
		*names = append(slices.DeleteFunc(*names, func(n string) bool { return slices.Contains(own, n) }), own...)
		*names = (*names)[max(0, len(*names)-maxBegun):]
		return nil
	})
}

// Begun reports whether a call was ever begun. If that is not known it is true, since the call may have had effects.
func (b BegunCalls) Begun(call string) bool {
	names, err := Load[[]string](b.state, begunFile)
	own := b.names(call)
	return err != nil || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(own, n) })
}

// names are short, and tell nothing of the call.
func (b BegunCalls) names(call string) []string {
	names := fileNames(b.chat)
	for i, file := range names {
		sum := sha256.Sum256([]byte(file + "\x00" + call))
		names[i] = hex.EncodeToString(sum[:12])
	}
	return names
}
