package mcp

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// maxMessage is the longest message that is taken from a server, in bytes.
const maxMessage = 16 << 20

// How many messages are taken from a server: so many in a second, once burst of them came at once.
const (
	perSecond = 2000
	burst     = 10_000
)

var errTooLong = errors.New("it sent a message of more than 16 MB")

// messages passes on the lines of a server's standard output that are messages. Others, which some servers print there although they
// must not, go to its log. It holds no line in memory.
type messages struct {
	io.ReadCloser
	log    io.Writer
	rate   *rate.Limiter // of messages: who sends more is read more slowly
	begun  int           // messages that began in the last piece
	state  lineState
	length int         // of the line so far
	broken atomic.Bool // a line was too long
}

type lineState int

const (
	lineStart lineState = iota
	inMessage
	inOther
)

// Read implements io.Reader.
func (m *messages) Read(p []byte) (int, error) {
	for {
		n, err := m.ReadCloser.Read(p)
		kept := m.filter(p[:n])
		if m.begun > 0 {
			time.Sleep(m.rate.ReserveN(time.Now(), min(m.begun, burst)).Delay())
			m.begun = 0
		}
		if m.length > maxMessage {
			m.broken.Store(true)
			return 0, errTooLong
		}
		if kept > 0 || err != nil || len(p) == 0 {
			return kept, err
		}
	}
}

// filter moves what belongs to messages to the beginning of p, and returns how much it is.
func (m *messages) filter(p []byte) (kept int) {
	for len(p[kept:]) > 0 {
		rest := p[kept:]
		if m.state == lineStart {
			trimmed := bytes.TrimLeft(rest, " \t\r\n")
			if len(trimmed) == 0 {
				return kept
			}
			first := trimmed[0] // before it is overwritten
			copy(rest, trimmed)
			p = p[:kept+len(trimmed)]
			if m.state = inOther; first == '{' {
				m.state, m.length = inMessage, 0
				m.begun++
			}
			continue
		}
		end := bytes.IndexByte(rest, '\n') + 1
		ends := end > 0
		if !ends {
			end = len(rest)
		}
		if m.state == inMessage {
			m.length += end
			kept += end
		} else {
			_, _ = m.log.Write(rest[:end])
			copy(rest, rest[end:])
			p = p[:len(p)-end]
		}
		if ends {
			m.state, m.length = lineStart, 0
		}
	}
	return kept
}
