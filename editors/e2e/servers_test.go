//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// serverTurns are a message for which the tool of a server is not there, and two in which it is used.
const serverTurns = scriptedModel + `
turn
	call notes__read_file {"path": "README.md"}
turn
	expect-last: There is no tool
	say: "No such tool."
turn
	call tool_search {"query": "notes__read_file"}
turn
	expect-last: notes__read_file
	call notes__read_file {"path": "README.md"}
turn
	expect-last: Helo, world.
	say: "It says Helo."
turn
	call notes__read_file {"path": "README.md"}
turn
	expect-last: There is no tool
	say: "It is gone."
turn
	call notes__read_file {"path": "README.md"}
turn
	expect-last: Helo, world.
	say: "It says Helo."
`

const serverFile = ".assent/mcp.json"

// serverStory opens a folder with an MCP server, which does nothing; trusts it on its line; uses its tool with
// approval; changes the file, and the server does nothing again until it is trusted again. The server is this program
// itself.
func serverStory(t *testing.T, start func(w *world) *editor) *editor {
	server, address := play(t, serverTurns)
	w := newWorld(t, address, map[string]string{
		"README.md": readmeText, "ask.chat.md": "---\nmodel: llama3.1:8b\n---\n\n## You\n\nWhat do the notes say?\n",
		serverFile: fmt.Sprintf("{\n  \"mcpServers\": {\n    \"notes\": {\n      \"command\": %q,\n      \"args\": [\"mcp\", \"serve\"]\n    }\n  }\n}\n", assentProgram(t)),
	})
	e := start(w)
	e.keepDocuments(serverFile, "ask.chat.md")
	says := func(part string) {
		t.Helper()
		eventually(t, "a diagnostic", func() error {
			list := e.diagnostics(serverFile)
			if part == "" && len(list) == 0 || part != "" && len(list) == 1 && list[0].Line == 2 && strings.Contains(list[0].Message, part) {
				return nil
			}
			return fmt.Errorf("no %q in %v, messages %v", part, list, e.messages())
		})
	}
	send := func(answer string, times int) {
		t.Helper()
		text := strings.TrimRight(e.text("ask.chat.md"), "\n")
		lines := strings.Count(text, "\n")
		if strings.HasSuffix(text, "## You") {
			e.insert("ask.chat.md", lines, len("## You"), "\n\nAnd now?\n")
			lines += 2
		}
		e.act("ask.chat.md", lines, "Send")
		if strings.HasPrefix(answer, "It says") {
			found := e.waitPending("ask.chat.md")
			if lines := strings.Split(e.text("ask.chat.md"), "\n"); !strings.Contains(lines[found.Line], "tool notes__read_file ") || !strings.Contains(found.Message, "of server notes of the workspace") {
				t.Errorf("%q on %q", found.Message, lines[found.Line])
			}
			e.act("ask.chat.md", found.Line, "Approve once")
		}
		eventually(t, answer, func() error {
			if text := e.text("ask.chat.md"); strings.Count(text, answer) != times || !strings.HasSuffix(strings.TrimRight(text, "\n"), "\n## You") {
				return fmt.Errorf("not %d times:\n%s", times, text)
			}
			return nil
		})
	}
	trust := func() {
		t.Helper()
		titles := e.actions(serverFile, 3)
		if len(titles) < 2 || titles[0] != "Show what this server would start: notes" || titles[1] != "Trust this server: notes" {
			t.Errorf("the menu is %q", titles)
		}
		e.act(serverFile, 3, "Show what this server would start")
		eventually(t, "what would be trusted", func() error {
			shown := e.w.read("../state/assent/previews/new-in-server-notes.diff")
			return contains(shown, `"program": "`+assentProgram(t)+`"`)
		})
		e.act(serverFile, 3, "Trust this server")
		says("")
	}

	e.open(serverFile)
	says("does nothing until you trust it")
	e.open("ask.chat.md")
	send("No such tool.", 1)
	trust()
	send("It says Helo.", 1)

	e.insert(serverFile, 4, strings.Index(strings.Split(e.text(serverFile), "\n")[4], "]"), `, "--folder", "."`)
	e.save(serverFile)
	says(`+    "--folder"`)
	send("It is gone.", 1)
	trust()
	send("It says Helo.", 2)
	e.act(serverFile, 3, "Stop this server")
	titles := e.actions(serverFile, 3)
	if len(titles) < 2 || titles[0] != "Show the log of this server: notes" || titles[1] != "Start this server: notes" {
		t.Errorf("the menu is %q", titles)
	}
	if wrong := server.Mismatches(); len(wrong) > 0 {
		t.Error(wrong)
	}
	return e
}

// TestServersNvim goes on to write in the file with the help of completion.
func TestServersNvim(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := serverStory(t, func(w *world) *editor { return startNvim(w, version) })
		e.do("cursor", arguments{"file": e.w.path(serverFile), "line": 3, "character": 6}, nil)
		keys(e, `i"di<C-x><C-o>`)
		e.waitText(serverFile, `      "disabled": ,"command"`)
	})
}

func TestServersVSCode(t *testing.T) {
	serverStory(t, startVSCode)
}
