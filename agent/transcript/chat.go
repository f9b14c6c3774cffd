package transcript

import (
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
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

const maxTitle = 60 // runes of a title that is made of a question

// Title is what the front matter calls the chat, or else the first words of its first question; empty without either.
func (c *Chat) Title() string {
	if title := visible.Line(strings.TrimSpace(c.Front.Title)); title != "" {
		return title
	}
	for _, turn := range c.Turns {
		if words := turn.FirstWords(); turn.Role == You && words != "" {
			return words
		}
	}
	return ""
}

// FirstWords are the first words of a turn on one line, shortened and made visible; empty without words.
func (t Turn) FirstWords() string {
	for _, block := range t.Blocks {
		text, ok := block.(Text)
		if !ok {
			continue
		}
		for line := range strings.Lines(text.Markdown) {
			if words := strings.Join(strings.Fields(strings.TrimLeft(line, "# ")), " "); words != "" {
				return firstWords(visible.Line(words))
			}
		}
	}
	return ""
}

// firstWords shortens a title to whole words where it can.
func firstWords(title string) string {
	runes := []rune(title)
	if len(runes) <= maxTitle {
		return title
	}
	cut := string(runes[:maxTitle])
	if i := strings.LastIndexByte(cut, ' '); i > maxTitle/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

// Empty reports whether nothing but blank lines is under the heading.
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

// Contexts are the context blocks of turns.
func Contexts(turns ...Turn) iter.Seq[Context] {
	return func(yield func(Context) bool) {
		for _, turn := range turns {
			for _, block := range turn.Blocks {
				if b, ok := block.(Context); ok && !yield(b) {
					return
				}
			}
		}
	}
}

// FenceAround is a fence that no line of a text can close, so that the whole text is shown.
func FenceAround(text string) string {
	fence := "~~~"
	for strings.Contains(text, fence) {
		fence += "~"
	}
	return fence
}
