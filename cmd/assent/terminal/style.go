package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/assent-ls/assent/internal/visible"
)

// Style is how a text is set off on a terminal, as the parameter of SGR (ECMA-48, 8.3.117). Empty: not at all.
type Style string

// The styles: those that every terminal with colours has, in the colours that its user chose.
const (
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// set sets off a text that is visible already.
func (s Style) set(text string) string {
	if s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// Color says when styles are used. It is a flag: see [Color.Set].
type Color string

// The choices.
const (
	Auto   Color = "auto" // on a terminal that knows colours, unless NO_COLOR is set (no-color.org)
	Always Color = "always"
	Never  Color = "never"
)

// String is the choice.
func (c *Color) String() string { return string(*c) }

// Type names the kind of the flag.
func (c *Color) Type() string { return "when" }

// Set takes one of the choices.
func (c *Color) Set(text string) error {
	switch choice := Color(text); choice {
	case Auto, Always, Never:
		*c = choice
		return nil
	}
	return fmt.Errorf("%q is none of auto, always, never", text)
}

// on reports whether styles are used on an output that is a terminal or not.
func (c Color) on(live bool) bool {
	return c == Always || c == Auto && live && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// UseColor has an output show styles when the user chose so. Until then it shows none.
func UseColor(out io.Writer, when Color) {
	if w, ok := out.(*Writer); ok {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.styled = when.on(w.live)
	}
}

// Piece is a text with its style.
type Piece struct {
	Text  string
	Style Style
}

// Print writes pieces one behind the other, each as [Writer] shows it, and with its style if out shows styles. A piece
// holds whole characters. Like other notes it has no error: a closed pipe ends the command by itself.
func Print(out io.Writer, pieces ...Piece) {
	w, ok := out.(*Writer)
	if !ok {
		w = NewWriter(out)
	}
	w.line.Clear()
	w.mu.Lock()
	defer w.mu.Unlock()
	var text strings.Builder
	text.WriteString(w.text.End())
	for _, p := range pieces {
		shown := visible.Text(p.Text)
		if w.styled {
			shown = p.Style.set(shown)
		}
		text.WriteString(shown)
	}
	w.wrote = w.wrote || text.Len() > 0
	_, _ = io.WriteString(w.out, text.String())
}

// Table writes rows whose cells are below each other. Each cell is one line; the last of a row is not filled up.
func Table(out io.Writer, rows [][]Piece) {
	const gap = 2
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], places(visible.Line(c.Text)))
		}
	}
	for _, row := range rows {
		var line []Piece
		for i, c := range row {
			c.Text = visible.Line(c.Text)
			line = append(line, c)
			if i < len(row)-1 {
				line = append(line, Piece{Text: strings.Repeat(" ", widths[i]+gap-places(c.Text))})
			}
		}
		Print(out, append(line, Piece{Text: "\n"})...)
	}
}

// PlainTable is Table without styles, for rows whose last cells may be long.
func PlainTable(out io.Writer, rows [][]string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i := range row {
			row[i] = visible.Line(row[i])
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// places is how many columns a text takes at most.
func places(text string) (n int) {
	for _, r := range text {
		n += cells(r)
	}
	return n
}

// ofDiff is the style of each line of a unified diff; nil: the text is none.
func ofDiff(text string) func(line string) Style {
	if !strings.HasPrefix(text, "--- ") || !strings.Contains(text, "\n+++ ") || !strings.Contains(text, "\n@@ ") {
		return nil
	}
	return func(line string) Style {
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
			return Bold
		case strings.HasPrefix(line, "+"):
			return Green
		case strings.HasPrefix(line, "-"):
			return Red
		case strings.HasPrefix(line, "@@ "):
			return Cyan
		}
		return ""
	}
}
