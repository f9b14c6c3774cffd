package usagelog

import (
	"time"
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
	l.add(repliesFile, &r, &r.Time, &r.Workspace, &r.Chat, &r.Model)
}

// Replies lists what was kept, the oldest first. broken counts the lines that cannot be read.
func (l Log) Replies() (replies []Reply, broken int, err error) {
	return list(l, repliesFile, func(r Reply) bool { return r.Model != "" })
}
