// Package lines reads the messages that a program writes, one on a line, within bounds.
package lines

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/assent-ls/assent/tools/mcp/tooldef"
)

// MaxMessage is the longest message that is taken from a server, in bytes.
const MaxMessage = 16 << 20

// How many messages are taken from a server: so many in a second, once burst of them came at once.
const (
	PerSecond = 2000
	Burst     = 10_000
)

var ErrTooLong = errors.New("it sent a message of more than 16 MB")

// Messages passes on the lines of a server's standard output that are messages. Others, which some servers print there
// although they must not, go to its log. It holds no line in memory.
type Messages struct {
	io.ReadCloser
	Log    io.Writer
	Rate   *rate.Limiter // of messages: who sends more is read more slowly
	begun  int           // messages that began in the last piece
	state  lineState
	held   []byte          // the beginning of a line that may be a batch
	batch  bool            // the message is one of a batch
	nested tooldef.Nesting // of the message so far
	length int             // likewise
	Broken atomic.Bool     // a line was too long
}

type lineState int

const (
	lineStart lineState = iota
	// a line begins with [ and perhaps blanks: a batch of messages, or something that was printed.
	afterBracket
	inMessage
	inBatch  // before a message of a batch
	afterOne // behind a message of a batch
	inOther
)

// Read implements io.Reader.
func (m *Messages) Read(p []byte) (int, error) {
	for {
		n, err := m.ReadCloser.Read(p)
		kept := m.filter(p[:n])
		if m.begun > 0 {
			time.Sleep(m.Rate.ReserveN(time.Now(), min(m.begun, Burst)).Delay())
			m.begun = 0
		}
		if m.length > MaxMessage {
			m.Broken.Store(true)
			return 0, ErrTooLong
		}
		if kept > 0 || err != nil || len(p) == 0 {
			return kept, err
		}
	}
}

// filter moves what belongs to messages to the beginning of p, and returns how much it is. Each message of a batch
// becomes a line of its own.
func (m *Messages) filter(p []byte) (kept int) {
	for i := 0; i < len(p); i++ {
		b := p[i]
		switch m.state {
		case lineStart:
			m.begin(b)
		case afterBracket:
			m.bracket(b)
		case inBatch, afterOne:
			if b = m.between(b); b == '\n' {
				p[kept] = b
				kept++
				continue
			}
		default: // of a message, or of what is none: below
		}
		switch m.state {
		case inMessage:
			if m.length++; m.message(b) {
				p[kept] = b
				kept++
			}
		case inOther:
			end := bytes.IndexByte(p[i:], '\n') + 1
			if end == 0 {
				end = len(p) - i
			} else {
				m.state = lineStart
			}
			_, _ = m.Log.Write(p[i : i+end])
			i += end - 1
		default: // between messages
		}
	}
	return kept
}

// begin looks at the first byte of a line.
func (m *Messages) begin(b byte) {
	switch b {
	case ' ', '\t', '\r', '\n':
	case '{':
		m.start(false)
	case '[':
		m.state, m.held = afterBracket, []byte{b}
	default:
		m.state = inOther
	}
}

// maxHeld is how many blanks may be before the first message of a batch.
const maxHeld = 64

// bracket looks at what follows a [ at the beginning of a line.
func (m *Messages) bracket(b byte) {
	switch {
	case b == '{':
		m.start(true)
	case (b == ' ' || b == '\t') && len(m.held) < maxHeld:
		m.held = append(m.held, b)
	default:
		_, _ = m.Log.Write(m.held)
		m.state = inOther
	}
}

// between looks at a byte of a batch outside of its messages, and returns what is passed on in its place: the end of
// the message before it, or nothing.
func (m *Messages) between(b byte) byte {
	if b == ' ' || b == '\t' || b == '\r' {
		return 0
	}
	passed := byte(0)
	if m.state == afterOne {
		passed = '\n'
	}
	switch {
	case b == '\n':
		m.state = lineStart
	case m.state == afterOne && b == ',':
		m.state = inBatch
	case m.state == inBatch && b == '{':
		m.start(true)
		return b
	case b == ']' && m.state == afterOne:
		m.state = inBatch // only the end of the line is to come
	default:
		m.state = inOther
	}
	return passed
}

// start begins a message.
func (m *Messages) start(batch bool) {
	m.state, m.batch, m.length, m.nested = inMessage, batch, 0, tooldef.Nesting{}
	m.begun++
}

// message reports whether a byte of a message is kept.
func (m *Messages) message(b byte) bool {
	if b == '\n' {
		m.state = lineStart
		return true
	}
	kept := m.nested.Keeps(b)
	if m.batch && m.nested.Depth == 0 {
		m.state = afterOne
	}
	return kept
}
