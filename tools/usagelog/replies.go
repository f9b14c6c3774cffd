package usagelog

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/assent-ls/assent/internal/visible"
)

// repliesFile is beside the log of calls, and as long.
const repliesFile = "tokens.jsonl"

// Reply is what one request to a model took. It holds no texts.
type Reply struct {
	Time      time.Time `json:"time"` // when the reply ended
	Workspace string    `json:"workspace,omitempty"`
	Chat      string    `json:"chat"`
	Model     string    `json:"model"`
	Prompt    int       `json:"prompt"` // tokens of the whole prompt
	// the part of it that was not read again; nil: the server does not tell
	Cached *int `json:"cached,omitempty"`
	Output int  `json:"output"`
}

// AddReply appends a reply. If it cannot be kept the state reports that.
func (l Log) AddReply(r Reply) {
	if l.state == nil {
		return
	}
	for _, text := range []*string{&r.Workspace, &r.Chat, &r.Model} {
		*text = visible.Shorten(visible.Line(*text), maxField)
	}
	r.Time = r.Time.UTC().Truncate(time.Millisecond)
	line, err := json.Marshal(r)
	if err == nil {
		err = l.state.Append(repliesFile, line, maxFile)
	}
	if err != nil {
		l.state.Report(err.Error())
	}
}

// Replies lists what was kept, the oldest first. broken counts the lines that cannot be read.
func (l Log) Replies() (replies []Reply, broken int, err error) {
	if l.state == nil {
		return nil, 0, nil
	}
	data, err := l.state.Appended(repliesFile)
	if err != nil {
		return nil, 0, err
	}
	for line := range bytes.Lines(data) {
		if start := bytes.LastIndex(line, lineStart); start > 0 {
			broken, line = broken+1, line[start:]
		}
		var r Reply
		if err := json.Unmarshal(line, &r); err != nil || r.Model == "" {
			broken++
			continue
		}
		replies = append(replies, r)
	}
	return replies, broken, nil
}
