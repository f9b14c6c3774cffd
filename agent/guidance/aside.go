package guidance

import (
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/guidance/intent"
	"github.com/assent-ls/assent/agent/guidance/table"
)

// Aside implements compose.Aside for guided models.
type Aside struct{}

// Block is a context block for a request for plain text. A table has its rows with the names of their columns, and what
// is true of all rows.
func (Aside) Block(name, text string) string {
	if name == attach.OutlineBlock || name == attach.ToolsBlock {
		return ""
	}
	if path, whole := attach.WholeFile(name, text); whole {
		if shown, ok := tableText(path, text); ok {
			return shown
		}
	}
	return compose.Fenced(strings.TrimPrefix(attach.Heading(name, text), "file "), text)
}

// Advice says what a message seems to want.
func (Aside) Advice(asked string) string { return intent.Advice(asked) }

// tableText is a file that is a table; ok is false for other files.
func tableText(path, text string) (shown string, ok bool) {
	t, ok := table.Read(path, text)
	if !ok {
		return "", false
	}
	rows, fits := t.Records()
	if !fits {
		rows = text
	}
	shown = compose.Fenced(fmt.Sprintf("%s (%d rows)", path, t.Rows()), rows)
	if together := t.Together(); together != "" {
		shown += "\n\n" + compose.Fenced(fmt.Sprintf("All %d rows of %s together", t.Rows(), path), together)
	}
	return shown, true
}
