package transcript

import "strings"

// maxDepth bounds how deep quotes and list items nest, so that reading stays linear; deeper markers are plain text.
const maxDepth = 64

// leaf is the innermost open block, as far as it decides how the next line is read.
type leaf uint8

const (
	noLeaf leaf = iota // nothing, or something that ended with its line
	paragraph
	fenced
	html
)

// event says what a line is at the top level of the document.
type event uint8

const (
	prose event = iota
	headingLine
	fenceOpens
	fenceBody
	fenceCloses
	htmlCloses // the last line of an HTML block that began on an earlier line
)

// fence is the opening line of a fenced code block.
type fence struct {
	char   byte
	size   int
	indent int
	info   string
}

func (f fence) String() string { return strings.Repeat(string(f.char), f.size) }

// container is an open block quote or list item.
type container struct {
	quote bool
	width int  // of a list item: the columns that its content is indented by
	empty bool // a list item that has no content yet
}

// tracker follows the block structure of CommonMark line by line, just closely enough to know which fences, headings
// and HTML blocks are at the top level. The zero value is the start of a document. See
// https://spec.commonmark.org/0.31.2/.
type tracker struct {
	open  []container
	leaf  leaf
	fence fence    // while leaf is fenced, and on fenceCloses
	html  htmlKind // while leaf is html
	role  Role     // on headingLine: whose heading, or 0
}

// top reports whether a heading or fence that is indented by so many spaces would be at the top level as the next
// line.
func (t *tracker) top(indent int) bool {
	if len(t.open) == 0 {
		return t.leaf != fenced && t.leaf != html
	}
	return t.open[0].quote || indent < t.open[0].width
}

// plain holds the first bytes with which nothing but a paragraph begins.
var plain = func() (table [256]bool) {
	for c := range 256 {
		table[c] = !strings.ContainsRune(" \t#`~<>-+*_=0123456789", rune(c)) || c >= 0x80
	}
	return table
}()

// feed takes the next line, without its line end.
func (t *tracker) feed(line string) event {
	if len(t.open) == 0 && t.leaf <= paragraph {
		if line == "" {
			t.leaf = noLeaf
			return prose
		}
		if plain[line[0]] {
			t.leaf = paragraph
			return prose
		}
	}
	c := newCursor(line)
	matched := 0
	for matched < len(t.open) && t.open[matched].continues(&c) {
		matched++
	}
	all := matched == len(t.open)
	if all && t.leaf == fenced {
		return t.inFence(&c)
	}
	if all && t.leaf == html {
		return t.inHTML(&c)
	}
	return t.start(&c, matched, t.leaf == paragraph, all)
}

// continues reports whether the line that c reads goes on with the container, and reads its marker.
func (k container) continues(c *cursor) bool {
	switch {
	case k.quote:
		return c.indent() < 4 && c.quote()
	case c.blank():
		return !k.empty
	case c.indent() >= k.width:
		c.col += k.width
		return true
	}
	return false
}

// start reads a line on which blocks may start. matched containers go on; inParagraph says that a paragraph is open,
// and all that its containers go on too.
func (t *tracker) start(c *cursor, matched int, inParagraph, all bool) event {
	for !c.blank() && c.indent() < 4 {
		rest := c.rest()
		if plain[rest[0]] {
			break
		}
		if f, ok := openingFence(rest); ok {
			t.closeTo(matched)
			f.indent = c.indent()
			t.fence = f
			return t.leafOpens(fenced, fenceOpens)
		}
		if isHeading(rest) {
			t.closeTo(matched)
			t.role = headingRole(rest)
			return t.leafOpens(noLeaf, headingLine)
		}
		if kind := openingHTML(rest, inParagraph); kind != 0 {
			t.closeTo(matched)
			t.html = kind
			if kind.ends(rest) {
				return t.leafOpens(noLeaf, prose)
			}
			return t.leafOpens(html, prose)
		}
		if inParagraph && all && isUnderline(rest) || isBreak(rest) {
			t.closeTo(matched)
			return t.leafOpens(noLeaf, prose)
		}
		if matched >= maxDepth {
			break
		}
		indent := c.indent()
		var opened container
		if c.quote() {
			opened = container{quote: true}
		} else if width, ok := c.item(inParagraph && all); ok {
			opened = container{width: indent + width, empty: true}
		} else {
			break
		}
		t.closeTo(matched)
		t.leafOpens(noLeaf, prose)
		t.open = append(t.open, opened)
		matched++
		inParagraph = false
	}
	if inParagraph && !c.blank() {
		return prose // the paragraph goes on, lazily or not
	}
	t.closeTo(matched)
	if !c.blank() {
		kind := paragraph
		if c.indent() >= 4 {
			kind = noLeaf // indented code: any line after it is read afresh
		}
		t.leafOpens(kind, prose)
	}
	return prose
}

// closeTo closes the containers that do not go on, and the leaf.
func (t *tracker) closeTo(matched int) {
	t.open, t.leaf = t.open[:matched], noLeaf
}

// leafOpens notes a block in the innermost container; at the top level it is the event, else it is prose.
func (t *tracker) leafOpens(kind leaf, e event) event {
	t.leaf = kind
	if n := len(t.open); n > 0 {
		t.open[n-1].empty = false
		return prose
	}
	return e
}

func (t *tracker) inFence(c *cursor) event {
	e := fenceBody
	if t.fence.closedBy(c.rest(), c.indent()) {
		t.leaf, e = noLeaf, fenceCloses
	}
	if len(t.open) > 0 {
		return prose
	}
	return e
}

func (t *tracker) inHTML(c *cursor) event {
	if t.html >= htmlToBlank && !c.blank() || t.html < htmlToBlank && !t.html.ends(c.rest()) {
		return prose
	}
	t.leaf = noLeaf
	if len(t.open) > 0 || c.blank() {
		return prose
	}
	return htmlCloses
}

// closedBy reports whether a line, given without its indentation, closes the fence.
func (f fence) closedBy(rest string, indent int) bool {
	if indent > 3 || len(rest) < f.size || rest[0] != f.char {
		return false
	}
	n := leading(rest, f.char)
	return n >= f.size && isBlank(rest[n:])
}

// openingFence reads an opening fence from a line without its indentation.
func openingFence(rest string) (fence, bool) {
	c := rest[0]
	if c != '`' && c != '~' {
		return fence{}, false
	}
	n := leading(rest, c)
	if n < 3 || c == '`' && strings.IndexByte(rest[n:], '`') >= 0 {
		return fence{}, false
	}
	return fence{char: c, size: n, info: strings.Trim(rest[n:], " \t")}, true
}

// leading counts how often a character is at the beginning of a text.
func leading(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

func isHeading(rest string) bool {
	n := leading(rest, '#')
	return n >= 1 && n <= 6 && (n == len(rest) || rest[n] == ' ' || rest[n] == '\t')
}

// headingRole says whose turn a heading opens, given without its indentation; 0 if it opens none.
func headingRole(rest string) Role {
	if !strings.HasPrefix(rest, "## ") && !strings.HasPrefix(rest, "##\t") {
		return 0
	}
	title := strings.Trim(rest[3:], " \t")
	if cut := strings.TrimRight(title, "#"); cut != title {
		if bare := strings.TrimRight(cut, " \t"); bare != cut {
			title = bare
		}
	}
	switch title {
	case "You":
		return You
	case "Assistant":
		return Assistant
	}
	return 0
}

func isUnderline(rest string) bool {
	c := rest[0]
	return (c == '=' || c == '-') && isBlank(rest[leading(rest, c):])
}

// isBreak reports a thematic break: three or more of one of * - _, with spaces between them.
func isBreak(rest string) bool {
	mark := rest[:1]
	return strings.Contains("*-_", mark) && strings.Trim(rest, mark+" \t") == "" && strings.Count(rest, mark) >= 3
}
