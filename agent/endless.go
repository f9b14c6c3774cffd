package agent

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// A reply is endless when it ends with one piece at least endlessTimes in a row, over so many bytes. What people read
// is stopped soon; a file may have many equal lines, and hardly ever ends within a line of them. A constrained reply is
// that of a small model, whose files are asked for separately.
const (
	endlessTimes = 8
	endlessBlank = 2_500  // bytes of white space alone
	endlessSaid  = 3_000  // of what is said, and of a line in a constrained reply
	endlessLine  = 8_000  // of a line of something else, and of lines in a constrained reply
	endlessLines = 32_000 // of lines: about a hundred times a hundred zeros
	endlessCheck = 250    // from one check to the next

	endlessPenalty = 1.2 // repeat penalty of the reply after an endless one
)

var errEndless = errors.New("the model repeats itself without end")

// endless detects a reply that repeats itself without end, while it streams.
type endless struct {
	constrained   bool
	said, written circle
	fence         string // the open one in what is said
	line          []byte // of what is said, its beginning
	row           bool   // it is one of a table
}

// next takes a piece of the reply and what of it is said to the user, and reports whether the reply is endless.
func (e *endless) next(written, said string) bool {
	return e.said.next(e.unfenced(said), e.limitSaid) || e.written.next(written, e.limitWritten)
}

// limitSaid is how many bytes of a piece may be said: rows of a table that has no words are none.
func (e *endless) limitSaid(lines, letters bool) int {
	if lines && !letters {
		return endlessLines
	}
	return endlessSaid
}

func (e *endless) limitWritten(lines, _ bool) int {
	switch {
	case e.constrained && lines:
		return endlessLine
	case e.constrained:
		return endlessSaid
	case lines:
		return endlessLines
	}
	return endlessLine
}

// unfenced is what of a piece stands in no code block and in no row of a table.
func (e *endless) unfenced(said string) string {
	var out strings.Builder
	for _, b := range []byte(said) {
		e.row = e.row && b != '\n' || len(e.line) == 0 && b == '|'
		if e.fence == "" && !e.row {
			out.WriteByte(b)
		}
		if b != '\n' {
			e.line = append(e.line, b)[:min(len(e.line)+1, maxFence)]
			continue
		}
		e.fence = openFence(e.fence, strings.TrimSpace(string(e.line)))
		e.line = e.line[:0]
	}
	return out.String()
}

const maxFence = 100 // bytes of a line that may be a fence

// openFence is the open fence behind a line; empty: there is none.
func openFence(before, line string) string {
	marks := line
	if line != "" {
		marks = line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
	}
	switch isFence := strings.HasPrefix(marks, "```") || strings.HasPrefix(marks, "~~~"); {
	case isFence && before == "":
		return marks
	case isFence && marks == line && strings.HasPrefix(marks, before):
		return ""
	}
	return before
}

// circle finds out whether a text that grows goes round in circles.
type circle struct {
	last   []byte // the end of the text, at least endlessLines if it has as many
	unseen int
	blank  int
	same   []int32
}

// next takes a piece of the text and reports whether it ends with one piece again and again. limit is over how many
// bytes that may be: the piece has whole lines or letters, or not.
func (c *circle) next(piece string, limit func(lines, letters bool) int) bool {
	for _, b := range []byte(piece) {
		before := byte(0)
		if len(c.last) > 0 {
			before = c.last[len(c.last)-1]
		}
		switch {
		case strings.IndexByte(" \n\t\r\\", b) >= 0, before == '\\' && strings.IndexByte("ntr", b) >= 0: // as JSON writes it, too
			c.blank++
		default:
			c.blank = 0
		}
		c.last = append(c.last, b)
	}
	if extra := len(c.last) - endlessLines; extra > endlessLines {
		c.last = c.last[:copy(c.last, c.last[extra:])]
	}
	c.unseen += len(piece)
	if c.unseen < endlessCheck {
		return false
	}
	c.unseen = 0
	return c.blank >= endlessBlank || c.repeats(limit)
}

// repeats looks at the text from its end: same[p] is over how many bytes it is what stands p bytes before, by the Z
// algorithm.
func (c *circle) repeats(limit func(lines, letters bool) int) bool {
	n := min(len(c.last), endlessLines)
	at := func(i int) byte { return c.last[len(c.last)-1-i] }
	if c.same == nil {
		c.same = make([]int32, endlessLines/endlessTimes+1)
	}
	lines, letters := false, false
	left, right := 0, 0
	for p := 1; p <= n/endlessTimes; p++ {
		lines = lines || at(p-1) == '\n' || at(p-1) == 'n' && at(p) == '\\'
		letters = letters || isLetter(at(p-1))
		z := 0
		if p < right {
			z = min(right-p, int(c.same[p-left]))
		}
		for p+z < n && at(z) == at(p+z) {
			z++
		}
		c.same[p] = int32(z)
		if p+z > right {
			left, right = p, p+z
		}
		if p+z >= max(limit(lines, letters), endlessTimes*p) {
			return true
		}
	}
	return false
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 }

// repeatedNote stands behind a reply that was stopped. It is not sent, nor is what it is about.
const repeatedNote = "The reply above repeated itself without end, so the model was stopped. Its words are not sent to the model."

// sayRepeated ends the calls of a reply that was endless, and says in the document what became of it. The model reads
// these calls alone.
func (c *loop) sayRepeated(calls []*pending, then string) {
	turn := toolcall.Turn{Role: model.RoleAssistant}
	for _, call := range calls {
		turn.Calls = append(turn.Calls, call.Call)
	}
	if len(calls) > 0 {
		c.Turns = append(c.Turns, turn)
	}
	c.abandon(calls)
	c.note(compose.RepeatedBlock, repeatedNote+then)
}

// streamWhole is stream, once more for a reply that is endless.
func (c *loop) streamWhole(ctx context.Context, why string, req model.Request, hints toolcall.Hints) (*reply, error) {
	out, err := c.stream(ctx, why, req)
	if errors.Is(err, errEndless) && ctx.Err() == nil {
		return c.onceMore(ctx, hints, out)
	}
	return out, err
}

// onceMore asks again for a reply that was endless, in another way, as far as the user did not choose how tokens are
// picked: the same request would have the same reply. If that is endless, too, the run ends.
func (c *loop) onceMore(ctx context.Context, hints toolcall.Hints, broken *reply) (*reply, error) {
	c.sayRepeated(broken.calls, "\nIt was asked once more.")
	temperature, sampling := c.Temperature, c.Sampling
	if temperature == nil && sampling.Temperature == nil {
		c.Temperature = new(anotherTemperature)
	}
	if sampling.RepeatPenalty == nil {
		c.Sampling.RepeatPenalty = new(endlessPenalty)
	}
	out, err := c.stream(ctx, "the reply once more: the one before repeated itself without end", c.request(hints))
	c.Temperature, c.Sampling = temperature, sampling
	if errors.Is(err, errEndless) {
		c.sayRepeated(out.calls, "")
	}
	return out, err
}

// said is what decoded events show to the user.
func said(events []toolcall.Event) string {
	var out strings.Builder
	for _, e := range events {
		switch e := e.(type) {
		case toolcall.Text:
			out.WriteString(e.Text)
		case toolcall.Thinking:
			out.WriteString(e.Text)
		}
	}
	return out.String()
}
