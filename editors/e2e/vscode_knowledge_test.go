//go:build e2e

package e2e

import (
	"strings"
	"testing"
)

// TestKnowledgeVSCode lets a model ask for what VS Code and its other extensions know: the probe is one of them.
func TestKnowledgeVSCode(t *testing.T) {
	const code = "𝒻𝓊() name\n\n    name()\n"
	server, address := play(t, scriptedModel+`
turn
	call get_diagnostics {"path": "code.txt"}
turn
	expect-last: code.txt:3: warning: name is a poor name (linter)
	call get_diagnostics {}
turn
	expect-last: code.txt:3: warning: name is a poor name (linter)
	call list_open_files {}
turn
	expect-last: code.txt (visible, has unsaved changes)
	call find_definition {"path": "code.txt", "symbol": "name", "line": 1}
turn
	expect-last: code.txt:1: 𝒻𝓊() name
	call find_references {"path": "code.txt", "symbol": "name", "line": 3}
turn
	expect-last: code.txt:3: name()
	call find_symbols {"path": "code.txt"}
turn
	expect-last: code.txt:3: function name in outer
	call find_symbols {"query": "nam"}
turn
	expect-last: code.txt:3: function named in outer
	call format_file {"path": "code.txt"}
turn
	expect-last: Formatted "code.txt"
	call format_file {"path": "other.txt"}
turn
	expect-last: VS Code has no formatter for it
	say: "All is well now."
`)
	e := startVSCode(newWorld(t, address, map[string]string{"code.txt": code, "other.txt": "name\n", "ask.chat.md": ""}))
	e.keepDocuments("ask.chat.md", "code.txt")
	e.open("code.txt")
	e.open("other.txt")
	e.insert("code.txt", 3, 0, "end\n")
	e.do("knows", e.file("code.txt"), nil)
	ask(e)
	line := e.waitPending("ask.chat.md").Line
	e.act("ask.chat.md", line, "Approve once: format code.txt")
	finished(e, "All is well now.")
	if problems := server.Mismatches(); len(problems) > 0 {
		t.Errorf("the model was told something else:\n%s", strings.Join(problems, "\n"))
	}
	var place struct{ Line, Character int }
	e.do("asked", nil, &place)
	if place.Line != 0 || place.Character != 7 { // in UTF-16, for which the two letters are two units each
		t.Errorf("the definition was asked for at %v", place)
	}
	if got, want := e.text("code.txt"), strings.Replace(code, "    name", "name", 1)+"end\n"; got != want {
		t.Errorf("the file was formatted to\n%s", got)
	}
}
