package foreign

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/transcript"
)

// Aider is the format of Aider: the file .aider.chat.history.md of a project, to which each session is appended.
const Aider = "aider"

// The lines by which Aider writes Markdown.
const (
	aiderBegins = "# aider chat started at "
	aiderAsked  = "#### "
	aiderTold   = "> "
)

// aider reads one file with many chats.
type aider struct {
	lines *lines
	next  *Chat // that began; nil: none did yet
	done  bool
}

// Next implements Reader.
func (r *aider) Next() (*Chat, []Problem, error) {
	var problems []Problem
	for !r.done {
		c := r.next
		if c == nil {
			c = &Chat{}
		}
		r.next = nil
		var block []string // lines of one kind
		kind := ""
		end := func() {
			c.block(kind, block)
			block = nil
		}
		for r.next == nil {
			line, err := r.lines.next()
			if errors.Is(err, ErrTooLong) {
				problems = append(problems, Problem(fmt.Sprintf("line %d is left out: %v", r.lines.at, err)))
				continue
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					return nil, problems, err
				}
				r.done = true
				break
			}
			if began, ok := strings.CutPrefix(line, aiderBegins); ok {
				when, _ := time.ParseInLocation(time.DateTime, strings.TrimSpace(began), time.Local)
				r.next = &Chat{Began: when, Last: when}
				continue
			}
			if now := kindOf(line); now != kind && (line != "" || kind != "") {
				end()
				kind = now
			}
			if c.size <= maxChat {
				block = append(block, line)
				c.size += len(line) + 1
			}
		}
		end()
		if !c.Empty() {
			return c, problems, nil
		}
	}
	return nil, problems, io.EOF
}

// kindOf is the mark at the beginning of a line of the person, or of what Aider itself told; empty: the model wrote it.
func kindOf(line string) string {
	for _, mark := range []string{aiderAsked, aiderTold} {
		if strings.HasPrefix(line, mark) || line == strings.TrimSpace(mark) {
			return mark
		}
	}
	return ""
}

// block adds lines of one kind, whose marks are taken away.
func (c *Chat) block(kind string, lines []string) {
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(line, kind), strings.TrimSpace(kind))
		if kind == aiderAsked {
			lines[i] = strings.TrimRight(lines[i], " ") // with which Aider breaks lines
		}
	}
	text := strings.Trim(strings.Join(lines, "\n"), "\n")
	c.size -= len(text) // say counts it again
	switch kind {
	case aiderAsked:
		c.say(transcript.You, text)
	case aiderTold:
		if strings.TrimSpace(text) != "" {
			c.show("Aider told:", text)
		}
	default:
		c.say(transcript.Assistant, text)
	}
}
