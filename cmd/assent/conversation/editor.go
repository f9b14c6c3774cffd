package conversation

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// ErrInterrupted says that the person gave up a message with Ctrl-C.
var ErrInterrupted = errors.New("the message was given up")

// Editor has a person write messages. It is used by one goroutine.
type Editor interface {
	// Read returns the next message. The error is io.EOF when the person ends the conversation, ErrInterrupted when
	// they give up the message, and that of ctx when it ends.
	Read(ctx context.Context) (Message, error)
}

// Message is what a person wrote.
type Message struct {
	Text  string
	Typed string // the text without what was pasted into it under a name
}

// Device is a terminal that can move its cursor.
type Device interface {
	io.ReadWriter
	// Raw has keys read one by one, and not shown, until restore is called.
	Raw() (restore func(), err error)
	// Interrupt ends a Read, and those that come, until Resume; it reports whether one that waits ends.
	Interrupt() bool
	Resume()
	Size() (columns, rows int)
	// Resized calls do whenever the size changes, until stop is called.
	Resized(do func()) (stop func())
	// Suspend stops the program until the person continues it.
	Suspend()
}

const (
	prompt  = "> "
	longest = 4000 // columns of what is typed; the library takes no more than 4,096
)

// lineEditor is the Editor at a Device.
type lineEditor struct {
	device   Device
	keys     *keys
	glyphs   *glyphs
	line     *term.Terminal
	complete Completer
	ctx      context.Context //nolint:containedctx // of the Read that goes on
	restore  func()          // of the device, while a Read goes on
}

// NewEditor makes an Editor at a terminal. History is what the person wrote before; complete may be nil.
func NewEditor(device Device, history *History, complete Completer) Editor {
	e := &lineEditor{device: device, glyphs: &glyphs{}, complete: complete}
	e.keys = &keys{in: device, glyphs: e.glyphs, suspend: e.suspend}
	e.line = term.NewTerminal(screen{e.keys, device, e.glyphs}, prompt)
	e.line.AutoCompleteCallback = e.key
	e.line.History = recall{history, e.glyphs}
	return e
}

// screen is what the library reads from and writes to.
type screen struct {
	*keys
	out    io.Writer
	glyphs *glyphs
}

// Write implements io.Writer.
func (s screen) Write(p []byte) (int, error) {
	if _, err := io.WriteString(s.out, s.glyphs.shown(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Read implements Editor.
func (e *lineEditor) Read(ctx context.Context) (m Message, err error) {
	e.glyphs.reset()
	e.ctx = ctx
	if e.restore, err = e.device.Raw(); err != nil {
		return m, err
	}
	defer func() { e.restore() }()
	e.resize()
	defer e.device.Resized(e.resize)()
	e.device.Resume()
	defer context.AfterFunc(ctx, func() { e.device.Interrupt() })()
	e.line.SetBracketedPasteMode(true)
	line, err := e.line.ReadLine()
	e.line.SetBracketedPasteMode(false)
	interrupted := e.keys.interrupted
	e.keys.interrupted = false
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err == nil && interrupted:
		return m, ErrInterrupted
	case err == nil:
		return Message{e.glyphs.text(line, true), e.glyphs.text(line, false)}, nil
	}
	_, _ = io.WriteString(e.device, "\r\n") // the prompt is left; a terminal that is gone shows nothing
	return m, err
}

func (e *lineEditor) resize() {
	columns, rows := e.device.Size()
	_ = e.line.SetSize(columns, rows) // a terminal that is gone has no size
}

// suspend stops the program and then shows the message again.
func (e *lineEditor) suspend() {
	e.line.SetBracketedPasteMode(false)
	_, _ = io.WriteString(e.device, "\r\n") // as below
	e.restore()
	e.device.Suspend()
	if restore, err := e.device.Raw(); err == nil {
		e.restore = restore
	}
	e.resize()
	e.line.SetBracketedPasteMode(true)
	_, _ = e.line.Write(nil) // a terminal that is gone shows nothing
}

// key handles what the library does not, and what changes glyphs: left is what is written before the cursor.
func (e *lineEditor) key(line string, pos int, key rune) (changed string, at int, ok bool) {
	left, right := []rune(line[:pos]), []rune(line[pos:])
	g := e.glyphs
	switch key {
	case keyEnd:
		e.keys.ended = line == ""
		right = right[g.after(right, 0):]
	case keyEnter:
		if last := len(left) - 1; len(right) == 0 && last >= 0 && left[last] == '\\' {
			left = append(left[:last], []rune(g.line("\n"))...)
		} else {
			e.keys.entered = true
		}
	case keyLeft:
		cut := g.before(left, len(left))
		left, right = left[:cut], append(append([]rune{}, left[cut:]...), right...)
	case keyRight:
		cut := g.after(right, 0)
		left, right = append(left, right[:cut]...), right[cut:]
	case keyBackspace:
		left = left[:g.before(left, len(left))]
	case keyDelete:
		right = right[g.after(right, 0):]
	case '\t':
		left = []rune(e.completed(string(left)))
	default:
		if left, ok = e.typed(left, key, len(right)); !ok {
			return "", 0, false
		}
	}
	return string(left) + string(right), len(string(left)), true
}

// typed puts a character behind what is before the cursor; ok is false if the library can do that.
func (e *lineEditor) typed(left []rune, key rune, behind int) (line []rune, ok bool) {
	g := e.glyphs
	if len(left)+behind >= longest {
		text := g.text(string(left), true)
		name := fmt.Sprintf("[typed: %d characters]", uniseg.GraphemeClusterCount(text))
		left, ok = []rune(g.pasted(text, name)), true
	}
	if key >= firstGlyph {
		return append(left, g.whole(key)...), true
	}
	if cut := g.before(left, len(left)); len(left) > 0 && g.of(left[cut]).name == "" {
		both := g.of(left[cut]).text + string(key)
		if uniseg.GraphemeClusterCount(both) == 1 {
			return append(left[:cut], []rune(g.line(both))...), true
		}
	}
	one := []rune(g.line(string(key)))
	return append(left, one...), ok || len(one) > 1 || one[0] != key
}
