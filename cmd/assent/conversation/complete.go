package conversation

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/internal/visible"
)

// Completer lists what the end of a text can become: each completion stands for the text from start on.
type Completer func(ctx context.Context, text string) (start int, list []Completion)

// Completion is one way to go on.
type Completion struct {
	Text string
	Says string // what it is, for people; empty: the text says it
	More bool   // more can be written behind it
}

// maxListed is how many completions are listed.
const maxListed = 12

// completed is what is before the cursor with as much of its completions as they share. Where that is nothing, they are
// listed above the message.
func (e *lineEditor) completed(left string) string {
	if e.complete == nil {
		return left
	}
	text := e.glyphs.text(left, true)
	start, list := e.complete(e.ctx, text)
	if len(list) == 0 {
		return left
	}
	shared := list[0].Text
	for _, c := range list[1:] {
		shared = sharedStart(shared, c.Text)
	}
	if len(list) == 1 && !list[0].More {
		shared += " "
	}
	typed := text[start:]
	if !strings.HasPrefix(strings.ToLower(shared), strings.ToLower(typed)) || len(shared) < len(typed) {
		shared = typed
	}
	if shared == typed && len(list) > 1 {
		columns, _ := e.device.Size()
		_, _ = e.line.Write([]byte(listed(list, columns))) // a terminal that is gone shows nothing
		return left
	}
	kept := []rune(left)
	for cut := len(typed); cut > 0 && len(kept) > 0; {
		at := e.glyphs.before(kept, len(kept))
		cut -= len(e.glyphs.of(kept[at]).text)
		kept = kept[:at]
	}
	return string(kept) + e.glyphs.line(shared)
}

// sharedStart is what two texts begin with, in whole characters.
func sharedStart(a, b string) string {
	for i, r := range a {
		if !strings.HasPrefix(b[min(i, len(b)):], string(r)) {
			return a[:i]
		}
	}
	return a
}

// listed is a row for each completion, and one that says what is left out.
func listed(list []Completion, columns int) string {
	var b strings.Builder
	for _, c := range list[:min(len(list), maxListed)] {
		line := "  " + visible.Line(c.Text)
		if c.Says != "" {
			line += "  " + visible.Line(c.Says)
		}
		b.WriteString(terminal.Cut(line, columns-1) + "\n")
	}
	if more := len(list) - maxListed; more > 0 {
		fmt.Fprintf(&b, "  … and %d more\n", more)
	}
	return b.String()
}
