//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A test fails on a copy, a change is tried there with the test, and of two files a hunk of one is kept.
const (
	tryScript = scriptedModel + `
turn
	call run_command {"command": "sh check.sh"}
turn
	expect-last: failed
	call run_command {"command": "sed -i 's/^1$/one/; s/9/nine/' list.txt; echo new > new.txt; sh check.sh"}
turn
	expect-last: The user kept a part of these: list.txt (1 of 2 hunks).
	say: "All is well now."
`
	tryList = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
)

//nolint:gochecknoglobals // never changed
var tryFiles = map[string]string{
	"list.txt": tryList, "check.sh": "grep -q one list.txt && echo passed || { echo failed; exit 1; }\n",
	"ask.chat.md": "## You\n\nChange the list.\n",
}

// tryOnACopy plays it: what is tried, seen, chosen by hunk, kept, undone and done again. seen is called when the changes
// wait, and fill replaces a line of the chat.
func tryOnACopy(e *editor, seen func(), fill func(line int, text string)) {
	t := e.t
	t.Helper()
	e.open("ask.chat.md")
	e.act("ask.chat.md", 2, "Send")
	answer := func(call, title string) {
		t.Helper()
		e.waitPending("ask.chat.md")
		line := 0
		eventually(t, title, func() error {
			line = e.lineOf("ask.chat.md", "tool run_command "+call)
			return contains(strings.Join(e.actions("ask.chat.md", line), "\n"), title)
		})
		e.act("ask.chat.md", line, title)
	}
	e.waitText("ask.chat.md", "tool run_command c1")
	answer("c1", "Try it on a copy: run sh")
	e.waitText("ask.chat.md", "tool run_command c2") // it changed nothing, so nothing was asked
	answer("c2", "Try it on a copy: run sed")
	e.waitText("ask.chat.md", "+nine")
	seen()
	if got := e.w.read("list.txt"); got != tryList {
		t.Errorf("before the answer the list is %q", got)
	}
	answer("c2", "Choose what to keep")
	e.waitText("ask.chat.md", "3 new.txt: discard")
	line := e.lineOf("ask.chat.md", "1 list.txt line 1: discard")
	fill(line, "1 list.txt line 1: keep")
	e.act("ask.chat.md", line, "Answer")
	e.waitText("ask.chat.md", "All is well now.")
	kept := strings.Replace(tryList, "1\n", "one\n", 1)
	for _, step := range []struct{ action, want string }{{"", kept}, {"Undo turn: list.txt", tryList}, {"Redo turn: list.txt", kept}} {
		if step.action != "" {
			e.act("ask.chat.md", e.lineOf("ask.chat.md", "Change the list."), step.action)
		}
		eventually(t, "the list after "+step.action, func() error {
			if got := e.w.read("list.txt"); got != step.want {
				return fmt.Errorf("it is %q", got)
			}
			return nil
		})
	}
	if _, err := os.Stat(e.w.path("new.txt")); err == nil {
		t.Error("the other file was not discarded")
	}
}

// A command is tried on a copy in Neovim.
func TestNvimPluginTriesACommand(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, tryScript)
		e := startNvimPlugin(newWorld(t, address, tryFiles), version, "")
		open := func() {
			eventually(t, "what was asked is not folded", func() error {
				return contains(e.luaText(`vim.fn.search("^+nine"); return "fold " .. vim.fn.foldclosed(".")`), "fold -1")
			})
		}
		tryOnACopy(e, open, func(line int, text string) {
			e.lua(fmt.Sprintf("vim.api.nvim_buf_set_lines(0, %d, %d, true, { %q })", line, line+1, text), nil)
		})
	})
}

// A command is tried on a copy in VS Code.
func TestTryVSCode(t *testing.T) {
	_, address := play(t, tryScript)
	e := startVSCode(newWorld(t, address, tryFiles))
	e.keepDocuments("ask.chat.md")
	open := func() {
		e.do("cursor", e.at("ask.chat.md", e.lineOf("ask.chat.md", "tool run_command c2")), nil)
		e.sees("Keep all") // a lens of the call
		e.sees("Choose what to keep")
		e.sees("+nine")
		e.pictures("try")
	}
	tryOnACopy(e, open, func(line int, text string) {
		args := e.at("ask.chat.md", line)
		args["text"] = text
		e.do("set_line", args, nil)
	})
}

// A command is tried on a copy in Helix.
func TestTryHelix(t *testing.T) {
	_, address := play(t, tryScript)
	w := newWorld(t, address, tryFiles)
	term := startHelix(w, "ask.chat.md")
	term.wait("Change the list.")
	helixLine(term, "Change the")
	helixMenu(term, "Send", 0)
	answer := func(call, title string, row int) {
		t.Helper()
		helixLine(term, call)
		term.wait("Waits for your answer")
		helixMenu(term, title, row)
	}
	for _, call := range []string{"tool run_command c1", "tool run_command c2"} {
		helixFollow(term, call)
		answer(call, "Try it on a copy", 2)
	}
	helixFollow(term, "+nine")
	term.keep("try")
	answer("tool run_command c2", "Choose what to keep", 2)
	helixFollow(term, "3 new.txt: discard")
	helixLine(term, "1 list.txt line 1: discard")
	term.text("c1 list.txt line 1: keep")
	helixEscape(term)
	term.keep("filled")
	helixMenu(term, "Answer", 1, "Show the question")
	helixFollow(term, "All is well now.")
	kept := strings.Replace(tryList, "1\n", "one\n", 1)
	for _, step := range []struct{ action, want string }{{"", kept}, {"Undo turn: list.txt", tryList}, {"Redo turn: list.txt", kept}} {
		if step.action != "" {
			helixLine(term, "Change the list.")
			helixMenu(term, step.action, 3)
		}
		eventually(t, "the list after "+step.action, func() error {
			if got := w.read("list.txt"); got != step.want {
				return fmt.Errorf("it is %q:\n%s", got, term.screen())
			}
			return nil
		})
	}
}
