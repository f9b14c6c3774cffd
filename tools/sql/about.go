package sql

import (
	"strings"
	"sync"

	"github.com/assent-ls/assent/tools/diskfile"
)

// maxAbout is how many bytes of the names of a database's tables bring the tools.
const maxAbout = 20 << 10

// about are the words by which a message brings the tools: the names of the databases, and of their tables as far as
// they are known. Nothing is asked for it.
func about(list []*database) string {
	var all strings.Builder
	for _, d := range list {
		all.WriteString(d.Name + " " + d.names.of(d) + " ")
	}
	return all.String()
}

// tableNames are the names of the tables in the file of a schema, in one text. A schema may be large, and is looked at
// for each message.
type tableNames struct {
	mu    sync.Mutex
	watch *diskfile.Watch // guarded by mu
	text  string          // guarded by mu
}

func (n *tableNames) of(d *database) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.watch.Changed() {
		return n.text
	}
	kept, _ := d.kept() // without a file there are none
	var names strings.Builder
	for _, t := range kept.Tables {
		if names.Len() < maxAbout {
			names.WriteString(t.Name + " ")
		}
	}
	n.text = names.String()
	return n.text
}
