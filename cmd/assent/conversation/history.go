package conversation

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/userstate"
)

// How much of what a person wrote is kept.
const (
	historyFile = "typed.json"
	maxEntries  = 500
	maxEntry    = 4 << 10 // bytes
	maxRecalled = 1000    // bytes of a message that is shown whole when it is recalled
	maxLines    = 20      // of it
)

// History is what a person wrote: here, and in earlier conversations. It is used by one goroutine.
type History struct {
	state   *userstate.State
	entries []string // the newest is the last one
}

// OpenHistory reads what is kept in the user's state folder. After an error the history is empty.
func OpenHistory(state *userstate.State) (*History, error) {
	entries, err := userstate.Load[[]string](state, historyFile)
	return &History{state, entries}, err
}

// Add remembers a message. If it was sent, the chat holds it, and so what was typed of it is kept for later
// conversations, unless it begins with a blank: nothing that was pasted under a name is.
func (h *History) Add(m Message, sent bool) error {
	if len(h.entries) == 0 || h.entries[len(h.entries)-1] != m.Text {
		h.entries = append(h.entries, m.Text)
	}
	typed := strings.TrimSpace(m.Typed)
	if !sent || typed == "" || strings.HasPrefix(m.Text, " ") || len(typed) > maxEntry {
		return nil
	}
	return userstate.Update(h.state, historyFile, func(kept *[]string) error {
		*kept = slices.DeleteFunc(*kept, func(e string) bool { return e == typed })
		*kept = append(*kept, typed)
		*kept = (*kept)[max(0, len(*kept)-maxEntries):]
		return nil
	})
}

// recall gives the library the history.
type recall struct {
	*History
	glyphs *glyphs
}

// Len implements term.History.
func (r recall) Len() int { return len(r.entries) }

// At implements term.History: 0 is the newest entry.
func (r recall) At(i int) string {
	text := r.entries[len(r.entries)-1-i]
	if lines := strings.Count(text, "\n") + 1; len(text) > maxRecalled || lines > maxLines {
		return r.glyphs.pasted(text, pasteName(text, lines))
	}
	return r.glyphs.line(text)
}

// Add implements term.History: who sends a message adds it.
func (recall) Add(string) {}
