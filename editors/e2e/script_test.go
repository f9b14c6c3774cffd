//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/agenttest"
)

// scriptedModel is a model that calls tools natively, as an 8B model of a well-known family does.
const scriptedModel = "model llama3.1:8b family=llama parameters=8.0B capabilities=completion,tools context=32768\n"

const (
	readmeText = "# Demo\n\nHelo, world.\n\nThe last line.\n"
	request    = "In README.md the word Helo is misspelled. Change it to Hello."
)

// editScript plays the story: the model reads the file, edits it, and says that it is done.
const editScript = scriptedModel + `
turn
	expect: misspelled
	say: "I will look at the file."
	call read_file {"path": "README.md"}
turn
	expect-last: Helo, world.
	say: "Now the edit."
	call edit_file {"path": "README.md", "old_text": "Helo, world.", "new_text": "Hello, world."}
turn
	say: "All is well now."
`

// editTurn is the first turn of a model that was given the file and edits at once.
const editTurn = `
turn
	call read_file {"path": "README.md"}
turn
	call edit_file {"path": "README.md", "old_text": "Helo, world.", "new_text": "Hello, world."}
`

// play starts a model server that plays a script until the test ends.
func play(t testing.TB, script string) (*agenttest.Server, string) {
	t.Helper()
	server, address := agenttest.Start(t, script)
	return server, address.Host
}

// streamScript streams numbered pieces, so many, with a pause after each, and then what follows.
func streamScript(n int, pause time.Duration, rest string) string {
	return scriptedModel + "turn\n" + pieces(0, n, pause) + rest
}

// pieces streams the pieces from one number to below another, with a pause after each.
func pieces(from, to int, pause time.Duration) string {
	var s strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&s, "say: %q\npause %v\n", piece(i), pause)
	}
	return s.String()
}

// piece is one piece of a streamed reply. Every tenth ends a line.
func piece(i int) string {
	if i%10 == 9 {
		return fmt.Sprintf("[%d]\n", i)
	}
	return fmt.Sprintf("[%d] ", i)
}

// allPieces is the reply of streamScript.
func allPieces(n int) string {
	var s strings.Builder
	for i := range n {
		s.WriteString(piece(i))
	}
	return s.String()
}
