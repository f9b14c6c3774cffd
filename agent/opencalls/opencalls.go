// Package opencalls finds the calls of a document that have no result, and those that were begun before. It does no
// I/O.
package opencalls

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools"
)

// Call is a call that Resume would take up.
type Call struct {
	transcript.Call
	Begun bool // it was begun before, and may have had effects
}

// Of lists the calls of the document's last assistant turn that have no result, or whose result says that they
// were not run, or stopped before their end: what Resume would take up. begun may be nil.
func Of(chat *transcript.Chat, begun Begins) []Call {
	last := -1
	for i, turn := range chat.Turns {
		if turn.Role == transcript.Assistant {
			last = i
		} else if !turn.Empty() {
			last = -1
		}
	}
	if last < 0 {
		return nil
	}
	results := chat.Turns[last].Results()
	var open []Call
	for _, block := range chat.Turns[last].Blocks {
		call, ok := block.(transcript.Call)
		if !ok || call.NotSent || call.Arguments == nil {
			continue
		}
		if last, _ := chat.Call(call.ID); last.Span != call.Span {
			continue // a result could not say which of the two it answers
		}
		switch r, answered := results[call.ID]; {
		case answered && r.Status == transcript.Stopped:
			open = append(open, Call{call, true})
		case !answered, r.Status == transcript.NotRun:
			open = append(open, Call{call, Begun(begun, compose.CallOf(call))})
		}
	}
	return open
}

// EndsWithResults reports whether a document ends with results that the model has not answered, as after the last step
// that a run may take.
func EndsWithResults(chat *transcript.Chat) bool {
	asked := max(chat.LastYou(), 0) // above it is nothing that ends the document, and much of a long one
	for asked > 0 && chat.Turns[asked].Empty() {
		asked--
	}
	turns := compose.Turns(
		&transcript.Chat{Front: chat.Front, Turns: chat.Turns[min(asked, len(chat.Turns)):]}, compose.Memory{},
	)
	if len(turns) == 0 {
		return false
	}
	last := turns[len(turns)-1]
	// else it says that a call in an answer was only shown
	return last.Role == model.RoleTool && (last.CallID != "" || last.Failed)
}

// CopyBegun keeps of a copy of a chat which of its open calls were begun in the chat itself.
func CopyBegun(chat *transcript.Chat, from, to Begins) error {
	for _, open := range Of(chat, from) {
		if open.Begun {
			if err := to.Begin(Identity(compose.CallOf(open.Call))); err != nil {
				return err
			}
		}
	}
	return nil
}

// Begun asks whether a call was ever begun in this chat.
func Begun(begun Begins, call toolcall.Call) bool {
	return begun != nil && begun.Begun(Identity(call))
}

// Identity names a call by all that it would do.
func Identity(call toolcall.Call) string {
	return call.ID + "\x00" + call.Name + "\x00" + tools.Canonical(call.Arguments)
}

// NextCallID continues the numbering c1, c2, ... of a chat.
func NextCallID(chat *transcript.Chat) int {
	next := 1
	for _, turn := range chat.Turns {
		for _, block := range turn.Blocks {
			id := ""
			switch b := block.(type) {
			case transcript.Call:
				id = b.ID
			case transcript.Malformed:
				id = b.ID
			}
			if n, err := strconv.Atoi(strings.TrimPrefix(id, "c")); err == nil && n >= next {
				next = n + 1
			}
		}
	}
	return next
}

// SameArguments reports whether two argument objects mean the same: the order of keys and the way of escaping aside.
func SameArguments(a, b json.RawMessage) bool {
	return (len(a) == 0) == (len(b) == 0) && tools.Canonical(a) == tools.Canonical(b)
}

// Begins remembers which calls of a chat were begun, beyond the end of the process. A call is named by all that it
// would do.
type Begins interface {
	Begin(call string) error // before it has any effect
	Begun(call string) bool
}
