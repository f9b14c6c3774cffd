package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/transcript"
)

// ClaudeCode is the format of Claude Code: below ~/.claude/projects a file for each session, with a JSON object a line.
const ClaudeCode = "claude-code"

// claudeCode reads one file, which is one chat.
type claudeCode struct {
	lines *lines
	done  bool
}

// entry is a line.
type entry struct {
	Type      string    `json:"type"`
	Summary   string    `json:"summary"`
	Timestamp time.Time `json:"timestamp"`
	Meta      bool      `json:"isMeta"`
	Sidechain bool      `json:"isSidechain"`
	Message   struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// part is one of a message.
type part struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Content json.RawMessage `json:"content"`
}

// maxProblems bounds what is said about one file.
const maxProblems = 5

// Next implements Reader.
func (r *claudeCode) Next() (*Chat, []Problem, error) {
	if r.done {
		return nil, nil, io.EOF
	}
	r.done = true
	c := &Chat{}
	var problems []Problem
	unread := 0
	for {
		line, err := r.lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, ErrTooLong) {
			return nil, problems, err
		}
		var e entry
		if c.size > maxChat {
			continue // it is left out as a whole
		}
		if err == nil && strings.TrimSpace(line) != "" {
			err = json.Unmarshal([]byte(line), &e)
		}
		if err != nil {
			if unread++; unread <= maxProblems {
				problems = append(problems, Problem(fmt.Sprintf("line %d is left out: %v", r.lines.at, err)))
			}
			continue
		}
		c.take(e)
	}
	if unread > maxProblems {
		problems = append(problems, Problem(fmt.Sprintf("%d lines are left out in all", unread)))
	}
	if c.Empty() {
		return nil, problems, io.EOF
	}
	return c, problems, nil
}

// take adds a line to the chat.
func (c *Chat) take(e entry) {
	role := map[string]transcript.Role{"user": transcript.You, "assistant": transcript.Assistant}[e.Type]
	switch {
	case e.Type == "summary" && c.Title == "":
		c.Title = e.Summary
	case role == 0 || e.Meta || e.Sidechain:
		return
	}
	if !e.Timestamp.IsZero() {
		if c.Began.IsZero() {
			c.Began = e.Timestamp
		}
		c.Last = e.Timestamp
	}
	var text string
	if json.Unmarshal(e.Message.Content, &text) == nil {
		c.say(role, text)
		return
	}
	var parts []part
	if json.Unmarshal(e.Message.Content, &parts) != nil {
		return
	}
	for _, p := range parts {
		switch p.Type {
		case "text":
			c.say(role, p.Text)
		case "tool_use":
			c.show("The tool "+p.Name+" was called:", string(p.Input))
		case "tool_result":
			c.show("It gave:", plain(p.Content))
		}
	}
}

// plain is the text of what a tool gave: a string, or parts.
func plain(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []part
	if json.Unmarshal(content, &parts) != nil {
		return string(content)
	}
	var all []string
	for _, p := range parts {
		if p.Type == "text" {
			all = append(all, p.Text)
		} else {
			all = append(all, "["+p.Type+"]")
		}
	}
	return strings.Join(all, "\n")
}
