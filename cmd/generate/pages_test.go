package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/assent-ls/assent/lsp"
)

// TestCommandsPageSaysEachArgumentOnce: below the table, with the types that it is made of.
func TestCommandsPageSaysEachArgumentOnce(t *testing.T) {
	commands, arguments, ok := strings.Cut(string(commandsPage()), "\n## Arguments\n")
	if !ok || strings.Contains(commands, "{") {
		t.Errorf("the table of commands has the fields of arguments:\n%s", commands)
	}
	rows := regexp.MustCompile("(?m)^\\| `.* \\| `(\\w+)` \\|$").FindAllStringSubmatch(commands, -1)
	if len(rows) != len(lsp.Commands()) {
		t.Errorf("%d rows for %d commands", len(rows), len(lsp.Commands()))
	}
	for _, name := range append(rows, []string{"", "Position"}, []string{"", "Range"}, []string{"", "Problem"}) {
		if n := strings.Count(arguments, "| `"+name[1]+"` | `{"); n != 1 {
			t.Errorf("%s is said %d times", name[1], n)
		}
	}
	if !strings.Contains(arguments, "| `Answer` | `{id?: string, text?: string, form?: any}` |") {
		t.Error("the fields of an answer are not as they are sent")
	}
}
