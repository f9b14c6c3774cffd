package transcript

import "strings"

// cursor reads the indentation and the container markers at the start of a line. Tabs reach to the next column that is
// a multiple of four, and a container may take a part of one.
type cursor struct {
	line    string
	col     int // the column that has been read up to
	next    int // the offset of the first byte that is not a blank
	nextCol int // its column
}

func newCursor(line string) cursor {
	c := cursor{line: line}
	c.skipBlanks()
	return c
}

func (c *cursor) skipBlanks() {
	for c.next < len(c.line) {
		switch c.line[c.next] {
		case ' ':
			c.nextCol++
		case '\t':
			c.nextCol += 4 - c.nextCol%4
		default:
			return
		}
		c.next++
	}
}

func (c *cursor) indent() int  { return c.nextCol - c.col }
func (c *cursor) blank() bool  { return c.next == len(c.line) }
func (c *cursor) rest() string { return c.line[c.next:] }

// take reads n bytes that are not whitespace, and the indentation before them.
func (c *cursor) take(n int) {
	c.next += n
	c.nextCol += n
	c.col = c.nextCol
	c.skipBlanks()
}

// quote reads the marker of a block quote.
func (c *cursor) quote() bool {
	if c.blank() || c.line[c.next] != '>' {
		return false
	}
	c.take(1)
	if c.indent() > 0 {
		c.col++
	}
	return true
}

// item reads the marker of a list item and returns how wide it is, the whitespace after it included. To interrupt a
// paragraph an item needs content, and a numbered one must start at 1.
func (c *cursor) item(interrupts bool) (width int, ok bool) {
	rest, n := c.rest(), 0
	switch rest[0] {
	case '-', '+', '*':
		n = 1
	default:
		for n < len(rest) && n < 10 && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n == 0 || n == 10 || n == len(rest) || rest[n] != '.' && rest[n] != ')' {
			return 0, false
		}
		if interrupts && strings.TrimLeft(rest[:n], "0") != "1" {
			return 0, false
		}
		n++
	}
	if n < len(rest) && rest[n] != ' ' && rest[n] != '\t' || interrupts && isBlank(rest[n:]) {
		return 0, false
	}
	c.take(n)
	blanks := c.indent()
	if c.blank() || blanks > 4 {
		blanks = 1
	}
	if !c.blank() {
		c.col += blanks
	}
	return n + blanks, true
}
