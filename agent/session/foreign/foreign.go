// Package foreign reads the chats of other agents, and makes chats of them. What they say is text, whatever it looks
// like: it calls nothing, and begins no turn.
package foreign

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/transcript"
)

// Chat is one conversation of another agent.
type Chat struct {
	Title string
	Began time.Time // zero: it does not say
	Last  time.Time // zero: likewise
	turns []turn
	size  int
}

type turn struct {
	role transcript.Role
	text strings.Builder
}

// Limits of what is read: a chat is kept in memory until it is whole.
const (
	maxLine = 64 << 20 // bytes
	maxChat = 48 << 20 // bytes of one chat, so that it can be opened as one of Assent's
)

// ErrTooLong says that a chat or a line of a file is left out.
var ErrTooLong = errors.New("longer than a chat may be")

// Problem is a sentence about what of a file is left out.
type Problem string

// Reader reads the chats of one file, one after the other.
type Reader interface {
	// Next gives the next chat; io.EOF: there is none. Problems are about what was left out until then.
	Next() (chat *Chat, problems []Problem, err error)
}

// Formats are the names of the formats that are read.
func Formats() []string { return []string{ClaudeCode, Aider} }

// Open makes the reader for a format.
func Open(format string, r io.Reader) (Reader, error) {
	lines := &lines{r: bufio.NewReaderSize(r, 1<<16)}
	switch format {
	case ClaudeCode:
		return &claudeCode{lines: lines}, nil
	case Aider:
		return &aider{lines: lines}, nil
	}
	return nil, fmt.Errorf("there is no format %q: there are %s", format, strings.Join(Formats(), " and "))
}

// FormatOf is the format of a file by its name; empty: none.
func FormatOf(name string) string {
	switch {
	case strings.HasSuffix(name, ".jsonl"):
		return ClaudeCode
	case strings.HasSuffix(name, ".aider.chat.history.md"):
		return Aider
	}
	return ""
}

// lines are those of a file, of which only one is in memory.
type lines struct {
	r  *bufio.Reader
	at int // the number of the last one, from 1
}

// next gives a line without its end. ErrTooLong: it was skipped.
func (l *lines) next() (string, error) {
	l.at++
	var b []byte
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		if long = long || len(b)+len(part) > maxLine; long {
			b = nil
		} else {
			b = append(b, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (len(b) == 0 || !errors.Is(err, io.EOF)) && !long:
			return "", err
		case long:
			return "", ErrTooLong
		}
		return strings.TrimRight(string(b), "\r\n"), nil
	}
}

// say adds a text to the turn of a role, and begins one where the last was the other's. It is text alone.
func (c *Chat) say(role transcript.Role, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if len(c.turns) == 0 || c.turns[len(c.turns)-1].role != role {
		c.turns = append(c.turns, turn{role: role})
	}
	b := &c.turns[len(c.turns)-1].text
	if b.Len() > 0 {
		b.WriteString("\n\n")
	}
	b.WriteString(text)
	c.size += len(text)
}

// show adds what a tool did, as code that is no call.
func (c *Chat) show(what, text string) {
	fence := transcript.FenceAround(text)
	c.say(transcript.Assistant, what+"\n\n"+fence+"text\n"+strings.TrimRight(text, "\n")+"\n"+fence)
}

// Empty reports whether nothing was said.
func (c *Chat) Empty() bool { return len(c.turns) == 0 }

// Words are the first words that the person said, for a title.
func (c *Chat) Words() string {
	for _, t := range c.turns {
		if t.role == transcript.You {
			return transcript.Turn{Blocks: []transcript.Block{transcript.Text{Markdown: t.text.String()}}}.FirstWords()
		}
	}
	return ""
}

// Markdown is the chat as a file of Assent's. ErrTooLong: it would be larger than one may be.
func (c *Chat) Markdown(from string) (string, error) {
	if c.size > maxChat {
		return "", ErrTooLong
	}
	chat := transcript.Chat{Preamble: transcript.Text{Markdown: transcript.NormalText(from)}}
	chat.Front.Title = c.Title
	for i := range c.turns {
		t := &c.turns[i]
		chat.Turns = append(chat.Turns, transcript.Turn{
			Role: t.role, Blocks: []transcript.Block{transcript.Text{Markdown: transcript.NormalText(t.text.String())}},
		})
	}
	return transcript.Render(chat), nil
}
