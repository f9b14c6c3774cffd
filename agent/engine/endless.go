package engine

import (
	"errors"
	"strings"
)

// A reply is endless when it ends with one piece at least endlessTimes in a row, over so many bytes. What people read
// is stopped soon; a file may have many equal lines, and rarely ends within a line of them. A constrained reply is
// that of a small model, whose files are asked for separately.
const (
	endlessTimes = 8
	endlessBlank = 2_500  // bytes of white space alone
	endlessSaid  = 3_000  // of what is said, and of a line in a constrained reply
	endlessLine  = 8_000  // of a line of something else, and of lines in a constrained reply
	endlessLines = 32_000 // of lines: about a hundred times a hundred zeros
	endlessCheck = 250    // from one check to the next

	EndlessPenalty = 1.2 // repeat penalty of the reply after an endless one
)

var ErrEndless = errors.New("the model repeats itself without end")

// Endless detects a reply that repeats itself without end, while it streams.
type Endless struct {
	Constrained   bool
	said, written circle
	fence         string // the open one in what is said
	line          []byte // of what is said, its beginning
	row           bool   // it is one of a table
}

// Next takes a piece of the reply and what of it is said to the user, and reports whether the reply is endless.
func (e *Endless) Next(written, said string) bool {
	return e.said.next(e.unfenced(said), e.limitSaid) || e.written.next(written, e.limitWritten)
}

// limitSaid is how many bytes of a piece may be said: rows of a table that has no words are none.
func (e *Endless) limitSaid(lines, letters bool) int {
	if lines && !letters {
		return endlessLines
	}
	return endlessSaid
}

func (e *Endless) limitWritten(lines, _ bool) int {
	switch {
	case e.Constrained && lines:
		return endlessLine
	case e.Constrained:
		return endlessSaid
	case lines:
		return endlessLines
	}
	return endlessLine
}

// unfenced is what of a piece is in no code block and in no row of a table.
func (e *Endless) unfenced(said string) string {
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
		case strings.IndexByte(" \n\t\r\\", b) >= 0, before == '\\' && strings.IndexByte("ntr", b) >= 0:
			// as JSON writes it, too
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

// repeats looks at the text from its end: same[p] is over how many bytes it is what is p bytes before, by the Z
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

// RepeatedNote is behind a reply that was stopped. It is not sent, nor is what it is about.
const RepeatedNote = "The reply above repeated itself without end, so the model was stopped. " +
	"Its words are not sent to the model."
