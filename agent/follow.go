package agent

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/intent"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
)

// follows reports whether the last result of a question is that of a search which found files that the model has not read: it would answer from
// the lines alone, or look elsewhere. Then one of them is to be read, once in a run.
func (c *help) follows(last toolcall.Turn) bool {
	c.found = nil
	spec, _ := c.spec(last.Name)
	if c.followed || c.wants.intent != intent.Question || last.Failed || spec.Argument(tools.SearchedText) == "" {
		return false
	}
	for line := range strings.Lines(tools.Unfence(last.Text)) {
		path, _, ok := strings.Cut(line, ":")
		if ok && slices.Contains(c.files, path) && !c.hasRead(path) && !slices.Contains(c.found, path) {
			c.found = append(c.found, path)
		}
	}
	c.followed = len(c.found) > 0
	return c.followed
}

// hasRead reports whether a file is attached to the last message, or was read since.
func (c *help) hasRead(path string) bool {
	return c.isAttached(path) || c.wasRead(path)
}

// wasRead reports whether a call has read a file since the last message.
func (c *help) wasRead(path string) bool {
	return slices.ContainsFunc(c.results(), func(r result) bool { return c.shows(r) == path })
}

// isAttached reports whether a file is attached whole to the last message (see attach.Heading).
func (c *help) isAttached(path string) bool {
	asked := c.lastMessage()
	return asked >= 0 && strings.Contains("\n"+c.Turns[asked].Text, "\nfile "+path+" (")
}

// showsFile reports whether a tool shows a file.
func (c *help) showsFile(name string) bool {
	spec, _ := c.spec(name)
	return spec.ShowsFile != ""
}

// shows is the file that a call read; empty: it read none.
func (c *help) shows(r result) string {
	path, _ := c.reading(r)
	return path
}

// showsWhole is the file that a call read without saying which part of it; empty: it read none, or said so.
func (c *help) showsWhole(r result) string {
	if path, arguments := c.reading(r); arguments == 1 {
		return path
	}
	return ""
}

// reading is the file that a call read, and how many arguments it has.
func (c *help) reading(r result) (path string, arguments int) {
	spec, _ := c.spec(r.Name)
	var values map[string]any
	if spec.ShowsFile == "" || json.Unmarshal(r.call.Arguments, &values) != nil {
		return "", 0
	}
	path, _ = values[spec.ShowsFile].(string)
	return path, len(values)
}
