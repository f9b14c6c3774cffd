// Package picture makes a picture of the screen of a terminal, as SVG, for pages. It is a text of its own in the
// picture, so that a change of a screen can be read in a diff.
package picture

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/width"
)

// Theme is what a terminal shows where a program sets no colour.
type Theme struct{ Foreground, Background string }

const (
	cellWidth  = 8.4 // of a monospaced letter of 14 px
	cellHeight = 18
	margin     = 12
)

// style is how characters are drawn.
type style struct {
	foreground, background  string // empty: those of the theme
	bold, italic, underline bool
	reverse                 bool
}

// SVG draws a screen as tmux's "capture-pane -e -p" gives it: lines with SGR sequences, and no others. Trailing empty
// lines are left out.
func SVG(screen string, columns int, t Theme) string {
	lines := strings.Split(strings.TrimRight(screen, "\n \t"), "\n")
	wide, height := float64(columns)*cellWidth+2*margin, len(lines)*cellHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(
		&b,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">`+
			"\n",
		wide, height,
	)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", t.Background)
	var now style
	for i, line := range lines {
		column := 0
		for _, run := range runs(line, &now) {
			cells := cellsOf(run.text)
			draw(&b, run, column, i, cells, t)
			column += cells
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// cellsOf is how many columns a text takes.
func cellsOf(text string) (n int) {
	for _, r := range text {
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

// run is text of one style.
type run struct {
	style
	text string
}

// runs splits a line where the style changes; the style goes on in the next line.
func runs(line string, now *style) (out []run) {
	for line != "" {
		text, rest, found := strings.Cut(line, "\x1b[")
		if text != "" {
			out = append(out, run{*now, text})
		}
		if !found {
			break
		}
		codes, after, ok := strings.Cut(rest, "m")
		if !ok {
			break
		}
		now.set(codes)
		line = after
	}
	return out
}

// set follows one SGR sequence: ECMA-48, 8.3.117, and the colours of xterm.
func (s *style) set(codes string) {
	fields := strings.FieldsFunc(codes, func(r rune) bool { return r == ';' || r == ':' })
	if len(fields) == 0 {
		*s = style{}
	}
	for i := 0; i < len(fields); i++ {
		n, _ := strconv.Atoi(fields[i])
		switch {
		case n == 0:
			*s = style{}
		case n == 1:
			s.bold = true
		case n == 3:
			s.italic = true
		case n == 4:
			s.underline = true
		case n == 7:
			s.reverse = true
		case n == 22:
			s.bold = false
		case n == 23:
			s.italic = false
		case n == 24:
			s.underline = false
		case n == 27:
			s.reverse = false
		case n == 39:
			s.foreground = ""
		case n == 49:
			s.background = ""
		case 30 <= n && n <= 37:
			s.foreground = indexed(n - 30)
		case 90 <= n && n <= 97:
			s.foreground = indexed(n - 90 + 8)
		case 40 <= n && n <= 47:
			s.background = indexed(n - 40)
		case 100 <= n && n <= 107:
			s.background = indexed(n - 100 + 8)
		case n == 38 || n == 48 || n == 58:
			colour, used := extended(fields[i+1:])
			i += used
			switch n {
			case 38:
				s.foreground = colour
			case 48:
				s.background = colour
			}
		}
	}
}

// extended reads what follows 38 or 48: 5 and an index, or 2 and three parts.
func extended(fields []string) (colour string, used int) {
	number := func(i int) int { n, _ := strconv.Atoi(fields[i]); return n }
	switch {
	case len(fields) >= 2 && fields[0] == "5":
		return indexed(number(1)), 2
	case len(fields) >= 4 && fields[0] == "2":
		return fmt.Sprintf("#%02x%02x%02x", number(1)&255, number(2)&255, number(3)&255), 4
	}
	return "", len(fields)
}

var first16 = [16]string{
	"#2e3436", "#cc3333", "#4e9a06", "#b58900", "#3465a4", "#8a5a96", "#06989a", "#c5c8c6",
	"#707880", "#ef5350", "#8ae234", "#e6c547", "#729fcf", "#ad7fa8", "#34e2e2", "#eeeeec",
}

// indexed is a colour of xterm's 256.
func indexed(n int) string {
	switch {
	case 0 <= n && n < 16:
		return first16[n]
	case n < 232:
		n -= 16
		part := func(v int) int {
			if v == 0 {
				return 0
			}
			return 55 + 40*v
		}
		return fmt.Sprintf("#%02x%02x%02x", part(n/36), part(n/6%6), part(n%6))
	}
	grey := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}

// draw writes one run: its background, then its letters, which are given their width so that columns are under each
// other.
func draw(b *strings.Builder, r run, column, line, cells int, t Theme) {
	foreground, background := r.foreground, r.background
	if r.reverse {
		foreground, background = cmp.Or(background, t.Background), cmp.Or(foreground, t.Foreground)
	}
	foreground = cmp.Or(foreground, t.Foreground)
	x, y, wide := margin+float64(column)*cellWidth, margin+line*cellHeight, float64(cells)*cellWidth
	if background != "" && background != t.Background {
		fmt.Fprintf(
			b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x, y, wide, cellHeight, background,
		)
	}
	if strings.TrimSpace(r.text) == "" {
		return
	}
	extra := ""
	if r.bold {
		extra += ` font-weight="bold"`
	}
	if r.italic {
		extra += ` font-style="italic"`
	}
	if r.underline {
		extra += ` text-decoration="underline"`
	}
	fmt.Fprintf(
		b, `<text x="%.1f" y="%d" textLength="%.1f" fill="%s"%s xml:space="preserve">`, x, y+14, wide, foreground,
		extra,
	)
	_ = xml.EscapeText(b, []byte(r.text)) // a builder takes everything
	b.WriteString("</text>\n")
}
