// Package terminal is the edge between the program and the person at a terminal: everything that is printed goes
// through a Writer, and every question is asked by a Terminal.
package terminal

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"github.com/assent-ls/assent/internal/visible"
)

// Writer passes text on with [visible.Text]: nothing that a model, a file, a server or a name holds acts on a terminal
// or hides there, on whatever the output is. Its methods may be called concurrently.
type Writer struct {
	mu     sync.Mutex
	out    io.Writer
	text   visible.Stream
	live   bool
	line   *Line // what is to be cleared before anything is written; nil: nothing
	wrote  bool  // guarded by mu
	styled bool  // guarded by mu
}

// NewWriter writes to out.
func NewWriter(out io.Writer) *Writer {
	return &Writer{out: out, live: Is(out)}
}

// Is reports whether an input or output is a terminal.
func Is(stream any) bool {
	f, isFile := stream.(*os.File)
	return isFile && term.IsTerminal(int(f.Fd()))
}

// Write shows text. The first bytes of a character wait for the others.
func (w *Writer) Write(p []byte) (int, error) {
	w.line.Clear()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrote = w.wrote || len(p) > 0
	if _, err := io.WriteString(w.out, w.text.Push(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush shows what waits for bytes that do not come.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.out, w.text.End())
	return err
}

// Wrote reports whether anything was written.
func (w *Writer) Wrote() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wrote
}

// Live reports whether this is a terminal where a line can be written over.
func (w *Writer) Live() bool { return w.live && os.Getenv("TERM") != "dumb" }

// IsTerminal reports whether this is a terminal of any kind.
func (w *Writer) IsTerminal() bool { return w.live }

// Overwrite shows one line in the place of the current one, without a line end. It is for a Live writer.
func (w *Writer) Overwrite(line string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.out, "\r\x1b[K"+visible.Line(line))
	return err
}

// JSON returns a writer for JSON text that goes to out: what a Writer would show in another form is escaped in its
// strings, so that it means the same.
func JSON(out io.Writer) *Writer { return &Writer{out: out, text: visible.Stream{JSON: true}} }

// Exact writes bytes as they are, for a program that reads them. At a terminal they are shown as [JSON] shows them, on
// a line of their own.
func Exact(out io.Writer, data []byte) error {
	if w, ok := out.(*Writer); ok && !w.live {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.wrote = w.wrote || len(data) > 0
		_, err := w.out.Write(data)
		return err
	}
	_, err := JSON(out).Write(append(data, '\n'))
	return err
}

// Columns is how many columns a text for people has on an output: those of the terminal, or the usual 80.
func Columns(out io.Writer) int {
	const usual, most = 80, 120 // longer lines are hard to read
	w, ok := out.(*Writer)
	if !ok || !w.live {
		return usual
	}
	f, _ := w.out.(*os.File) // live says that it is one
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 {
		return usual
	}
	return min(columns, most)
}
