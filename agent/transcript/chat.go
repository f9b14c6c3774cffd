package transcript

import (
	"slices"
	"sort"
	"strings"
)

// IsChat reports whether a path names a chat document.
func IsChat(path string) bool { return strings.HasSuffix(path, ".chat.md") }

// TurnAt finds the turn that holds an offset; the end of the document belongs to the last turn.
func (c *Chat) TurnAt(offset int) (index int, ok bool) {
	i := sort.Search(len(c.Turns), func(i int) bool { return c.Turns[i].Span.Start > offset }) - 1
	if i < 0 || offset > c.Turns[i].Span.End {
		return 0, false
	}
	return i, true
}

// Call finds the last call with an ID.
func (c *Chat) Call(id string) (Call, bool) {
	for _, turn := range slices.Backward(c.Turns) {
		for _, b := range slices.Backward(turn.Blocks) {
			if call, ok := b.(Call); ok && call.ID == id {
				return call, true
			}
		}
	}
	return Call{}, false
}

// LastYou is the index of the last turn of the user, or -1.
func (c *Chat) LastYou() int {
	for i, turn := range slices.Backward(c.Turns) {
		if turn.Role == You {
			return i
		}
	}
	return -1
}

// Empty reports whether nothing but blank lines stands under the heading.
func (t Turn) Empty() bool { return len(t.Blocks) == 0 }

// Results maps the ID of each call of the turn to its result; of several (a resumed call has two) the last one counts.
func (t Turn) Results() map[string]Result {
	results := map[string]Result{}
	for _, block := range t.Blocks {
		if r, ok := block.(Result); ok {
			results[r.ID] = r
		}
	}
	return results
}

// FenceAround is a fence that no line of a text can close, so that the whole text is shown.
func FenceAround(text string) string {
	fence := "~~~"
	for strings.Contains(text, fence) {
		fence += "~"
	}
	return fence
}
