// Package usagelog keeps a line for each call of a tool that ended, for the user to read: what was called, on what, by
// which decision, and how it ended. It holds no arguments, no texts of files and no output of commands, so that a
// secret in one of those is not in the log.
package usagelog

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/userstate"
)

// The log is two files at most: the one that is written, and the one before it.
const (
	file     = "usage.jsonl"
	maxFile  = 1 << 20 // bytes; some 4,000 calls
	maxField = 200     // characters of each text in a line
)

// Outcome says how a call ended.
type Outcome string

// The outcomes.
const (
	OK       Outcome = "ok"
	Failed   Outcome = "failed"
	Stopped  Outcome = "stopped"  // by Stop, while it ran
	Kept     Outcome = "kept"     // nothing ran: an earlier result was still good
	Denied   Outcome = "denied"   // by a person
	Refused  Outcome = "refused"  // by a rule, or because nobody could be asked
	Wrong    Outcome = "wrong"    // nothing could run: there is no such tool, or its arguments were wrong
	Answered Outcome = "answered" // nothing had to run: planning answered the call
)

// Entry is one line of the log.
type Entry struct {
	Time      time.Time `json:"time"`                // when the call ended
	Workspace string    `json:"workspace,omitempty"` // its folder
	Chat      string    `json:"chat,omitempty"`      // its file
	Call      string    `json:"call,omitempty"`      // the id of the call in the chat
	Caller    string    `json:"caller,omitempty"`    // who asked for it
	Client    string    `json:"client,omitempty"`    // how a caller from outside calls itself
	Tool      string    `json:"tool"`
	Origin    string    `json:"origin,omitempty"` // empty: the tool is built in
	// files, a host, or the programs of a command; never what was passed to them
	Target  string  `json:"target,omitempty"`
	Verdict string  `json:"verdict"`          // run, ask or refuse: what policy said
	Reason  string  `json:"reason,omitempty"` // why: a rule, or a sentence
	Outcome Outcome `json:"outcome"`
	TookMS  int64   `json:"took_ms"`
}

// Log is the user's log. It may be used concurrently, by several processes too. The zero value keeps nothing.
type Log struct{ state *userstate.State }

// New returns the log in a state folder; nil keeps nothing.
func New(state *userstate.State) Log { return Log{state} }

// Add appends an entry. If it cannot be kept the state reports that; no call fails for it.
func (l Log) Add(e Entry) {
	l.add(
		file, &e, &e.Time, &e.Workspace, &e.Chat, &e.Call, &e.Caller, &e.Client, &e.Tool, &e.Origin, &e.Target, &e.Reason,
	)
}

// add appends a line to a file of the log, with its time and its texts as they are kept.
func (l Log) add(name string, entry any, at *time.Time, texts ...*string) {
	if l.state == nil {
		return
	}
	for _, text := range texts {
		*text = visible.Shorten(visible.Line(*text), maxField)
	}
	*at = at.UTC().Truncate(time.Millisecond)
	line, err := json.Marshal(entry)
	if err == nil {
		err = l.state.Append(name, line, maxFile)
	}
	if err != nil {
		l.state.Report(err.Error())
	}
}

// lineStart is how each line begins, and nothing in a line can look like it.
var lineStart = []byte(`{"time":"`)

// Entries lists what was kept, the oldest first. broken counts the lines that cannot be read.
func (l Log) Entries() (entries []Entry, broken int, err error) {
	return list(l, file, func(e Entry) bool { return e.Tool != "" })
}

// list reads a file of the log; a line that is not whole is broken.
func list[T any](l Log, name string, whole func(T) bool) (all []T, broken int, err error) {
	if l.state == nil {
		return nil, 0, nil
	}
	data, err := l.state.Appended(name)
	if err != nil {
		return nil, 0, err
	}
	for line := range bytes.Lines(data) {
		// a line that did not fit on the disk is before it
		if start := bytes.LastIndex(line, lineStart); start > 0 {
			broken, line = broken+1, line[start:]
		}
		var entry T
		if err := json.Unmarshal(line, &entry); err != nil || !whole(entry) {
			broken++
			continue
		}
		all = append(all, entry)
	}
	return all, broken, nil
}
