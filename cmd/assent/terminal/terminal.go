package terminal

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/assent-ls/assent/internal/visible"
)

// Terminal is where a person sits: what it shows is seen, and what it reads was typed, wherever standard input, output
// and error go. It is used by one goroutine, but for Interrupt and Resume.
type Terminal struct {
	in, out *os.File
	plain   bool // it knows no control sequences
	styled  bool // it shows styles

	mu          sync.Mutex
	interrupts  [2]*os.File // a pipe that has something in it while Read is interrupted
	interrupted bool        // guarded by mu
}

// Open opens the terminal of this process, which shows styles when the user chose so. It is an error if there is none.
func Open(when Color) (*Terminal, error) {
	in, out, err := devices()
	if err != nil {
		return nil, err
	}
	t := &Terminal{in: in, out: out, plain: os.Getenv("TERM") == "dumb", styled: when.on(true)}
	if !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		t.Close()
		return nil, fmt.Errorf("%s is not a terminal", in.Name())
	}
	if t.interrupts[0], t.interrupts[1], err = os.Pipe(); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Close gives the terminal back.
func (t *Terminal) Close() {
	_ = t.in.Close() // only read from
	if t.out != t.in {
		_ = t.out.Close() // a terminal keeps nothing back
	}
	for _, end := range t.interrupts {
		if end != nil {
			_ = end.Close() // nothing is in it that counts
		}
	}
}

// Begin makes sure that what follows can be read: the usual colours, a visible cursor, the start of a line.
func (t *Terminal) Begin() {
	if !t.plain {
		t.print("\x1b[0m\x1b[?25h\x0f\x1b(B")
	}
	t.print("\n")
}

// Show shows a heading and a body, screen by screen if they are longer than the screen with the prompt that Ask shows
// next. It reports whether all of it was shown; else the person said no before.
func (t *Terminal) Show(heading, body, prompt string) bool {
	columns, height := t.Size()
	bold, diff := func(string) Style { return Bold }, ofDiff(body)
	if !t.styled {
		bold, diff = nil, nil
	}
	all := append(styledRows(heading, "", columns, bold), styledRows(body, indent, columns, diff)...)
	short := rows(visible.Shorten(visible.Line(heading), max(minCells, columns-len(indent))), "", columns)
	page := max(1, height-strings.Count(promptText(prompt, columns), "\n")-len(short)-2)
	for start := 0; ; start += page {
		end := min(start+page, len(all))
		t.print(strings.Join(all[start:end], "\n") + "\n")
		if end == len(all) {
			if start > 0 { // what is asked is beside the answers
				t.print(strings.Join(short, "\n") + "\n")
			}
			return true
		}
		line, err := t.Ask(fmt.Sprintf("(%d of %d lines)  [Enter] more  [n] deny", end, len(all)))
		if err != nil || strings.EqualFold(strings.TrimSpace(line), "n") {
			return false
		}
	}
}

// Ask shows a prompt, and a colon once it listens, and reads a line: what was typed before the prompt was shown is
// thrown away. An error means that nobody answered.
func (t *Terminal) Ask(prompt string) (string, error) {
	columns, _ := t.Size()
	t.print(promptText(prompt, columns))
	if err := discard(t.in); err != nil {
		return "", fmt.Errorf("throw away what was typed before: %w", err)
	}
	t.print(listens)
	line, err := bufio.NewReader(t).ReadString('\n')
	if err != nil {
		t.print("\n")
		return "", err
	}
	return line, nil
}

// a terminal that is gone cannot answer either.
func (t *Terminal) print(text string) { _, _ = io.WriteString(t.out, text) }

// Size is that of the screen; a terminal that does not know its own counts as the usual 80 by 24.
func (t *Terminal) Size() (columns, height int) {
	columns, height, err := term.GetSize(int(t.out.Fd()))
	if err != nil || columns <= 0 || height <= 0 {
		return 80, 24
	}
	return columns, height
}
