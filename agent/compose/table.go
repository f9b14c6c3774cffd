package compose

import (
	"fmt"

	"github.com/assent-ls/assent/agent/table"
)

// tableText is the whole text of a file as a model reads it that is asked for an answer in plain text, if the file is a table: its rows with the
// names of their columns, and below them what is true of all rows. ok is false for other files.
func tableText(path, text string) (shown string, ok bool) {
	t, ok := table.Read(path, text)
	if !ok {
		return "", false
	}
	rows, fits := t.Records()
	if !fits {
		rows = text
	}
	shown = Fenced(fmt.Sprintf("%s (%d rows)", path, t.Rows()), rows)
	if together := t.Together(); together != "" {
		shown += "\n\n" + Fenced(fmt.Sprintf("All %d rows of %s together", t.Rows(), path), together)
	}
	return shown, true
}
