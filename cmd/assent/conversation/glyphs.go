package conversation

import (
	"strings"
	"sync"

	"github.com/rivo/uniseg"

	"github.com/assent-ls/assent/internal/visible"
)

// The runes of a line that are ours: those of glyphs, and the keys that the editor handles itself.
const (
	firstGlyph = 0x100000
	lastGlyph  = 0x10EFFF
	firstKey   = 0x10F000
)

// glyphs write text as a line of the library, which takes each rune for one column. What takes another number of
// columns, is more than one rune or must not reach a terminal is a glyph there: a rune of ours that leads, and one for
// each further column. The zero value is ready. Its methods may be called concurrently: a screen that changes its size
// is written at once.
type glyphs struct {
	mu    sync.Mutex // guards the fields below
	known []glyph
	lines map[rune]string // by the rune that leads
	runes map[glyph]rune
}

// glyph is what a rune of ours means.
type glyph struct {
	text   string // what was written; empty: this is a further column of the glyph before it
	shown  string // in this column; that of a wide character is in its first one
	name   string // of what was pasted; empty: nothing was
	leads  bool
	double bool // what is shown takes two columns
}

const newline = "⏎" // as [visible.Line] shows it

// line is a text as a line of the library.
func (g *glyphs) line(text string) string {
	var b strings.Builder
	for state := -1; text != ""; {
		var cluster string
		var width int
		cluster, text, width, state = uniseg.FirstGraphemeClusterInString(text, state)
		b.WriteString(g.cluster(cluster, width))
	}
	return b.String()
}

// cluster is one character, as a person understands it.
func (g *glyphs) cluster(text string, width int) string {
	shown := text
	switch {
	case text == "\n" || text == "\r\n":
		text, shown, width = "\n", newline, 1
	case text == "\t":
		shown, width = "    ", len("    ")
	case visible.Line(text) != text:
		shown = visible.Line(text)
		width = uniseg.StringWidth(shown)
	case width == 0: // a mark without a letter
		shown, width = " "+text, 1
	}
	if r := []rune(text); len(r) == 1 && width == 1 && shown == text && r[0] < firstGlyph {
		return text
	}
	return g.write(text, "", shown, width)
}

// pasted is a text that the line shows as a name.
func (g *glyphs) pasted(text, name string) string {
	return g.write(text, name, name, uniseg.StringWidth(name))
}

func (g *glyphs) write(text, name, shown string, width int) string {
	lead := glyph{text: text, shown: shown, name: name, leads: true, double: width == 2}
	var columns []glyph
	switch {
	case width == 2:
		columns = []glyph{{}}
	case width > 2: // a name, or what visible writes: each rune takes one column
		runes := []rune(shown)
		lead.shown = string(runes[0])
		for _, r := range runes[1:] {
			columns = append(columns, glyph{shown: string(r)})
		}
	}
	first := g.rune(lead)
	runes := []rune{first}
	for _, c := range columns {
		runes = append(runes, g.rune(c))
	}
	line := string(runes)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lines[first] = line
	return line
}

// whole is the glyph that a rune leads, with all its columns.
func (g *glyphs) whole(lead rune) []rune {
	g.mu.Lock()
	defer g.mu.Unlock()
	return []rune(g.lines[lead])
}

// reset forgets all glyphs: no line has any.
func (g *glyphs) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known, g.lines, g.runes = nil, map[rune]string{}, map[glyph]rune{}
}

// rune is the one for a glyph.
func (g *glyphs) rune(one glyph) rune {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r, ok := g.runes[one]; ok {
		return r
	}
	if g.runes == nil {
		g.runes, g.lines = map[glyph]rune{}, map[rune]string{}
	}
	if firstGlyph+len(g.known) > lastGlyph {
		return '\uFFFD' // a line has no place for so many different ones
	}
	r := rune(firstGlyph + len(g.known))
	g.known, g.runes[one] = append(g.known, one), r
	return r
}

// of is what a rune of the library's line means.
func (g *glyphs) of(r rune) glyph {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := int(r) - firstGlyph; i >= 0 && i < len(g.known) {
		return g.known[i]
	}
	return glyph{text: string(r), shown: string(r), leads: true}
}

// text is what a line of the library means. With pastes, what was pasted under a name is in it, too.
func (g *glyphs) text(line string, pastes bool) string {
	var b strings.Builder
	for _, r := range line {
		if one := g.of(r); pastes || one.name == "" {
			b.WriteString(one.text)
		}
	}
	return b.String()
}

// shown is what of the library's output a terminal gets. A wide character that the end of a row would cut is a dot
// there.
func (g *glyphs) shown(output string) string {
	var b strings.Builder
	cut := false
	for i, r := range output {
		one := g.of(r)
		switch {
		case cut && !one.leads: // the column in the next row
			one.shown, cut = " ", false
		case one.double && strings.HasPrefix(output[i+len(string(r)):], "\r\n"):
			one.shown, cut = "·", true
		}
		b.WriteString(one.shown)
	}
	return b.String()
}

// before is where the glyph begins that ends at an index of a line, after is where the one ends that begins there.
func (g *glyphs) before(line []rune, at int) int {
	for at--; at > 0 && !g.of(line[at]).leads; at-- {
	}
	return max(at, 0)
}

func (g *glyphs) after(line []rune, at int) int {
	for at++; at < len(line) && !g.of(line[at]).leads; at++ {
	}
	return min(at, len(line))
}
