//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/python/interpreter/interpretertest"
)

// The program of the story runs two commands, and then edits a file on the disk in two places, and one in the editor.
const (
	codeProgram = `counts = parallel([
    (run_command, "sh count.sh notes.md"),
    (run_command, "sh count.sh prices.csv"),
])
edit_file("prices.csv", "tea,3.5", "tea,3.50")
edit_file("prices.csv", "sugar,2", "sugar,2.00")
edit_file("notes.md", "Helo", "Hello")
print("\n".join(counts))
`
	codePrices = "name,price\ntea,3.5\ncoffee,4.00\nmilk,1.20\nsugar,2\n"
	codeNotes  = "Helo, world.\n"
	codeTyped  = "Not saved yet.\n"
)

// codeScript plays a model that writes the program.
func codeScript(t testing.TB) string {
	t.Helper()
	program, err := json.Marshal(map[string]string{"program": codeProgram})
	must(t, err)
	return scriptedModel + "turn\n\tcall python_execution " + string(program) + `
turn
	expect-last: The user kept a part of these: prices.csv (1 of 2 hunks).
	say: "All is well now."
`
}

// codeWorld is a world with the interpreter, in which code mode is on.
func codeWorld(t testing.TB, address string) *world {
	t.Helper()
	options := interpretertest.Options(t)
	w := newWorld(t, address, map[string]string{
		"prices.csv": codePrices, "notes.md": codeNotes, "count.sh": "wc -l \"$1\"\n",
		"ask.chat.md": "## You\n\nCount, and correct.\n",
	})
	for from, to := range map[string]string{options.Files.Folder: "data/assent/python", options.Cache: "cache/assent/python-compiled"} {
		to = filepath.Join(w.home(), to)
		must(t, os.MkdirAll(filepath.Dir(to), 0o700))
		must(t, os.Symlink(from, to))
	}
	var settings map[string]any
	must(t, json.Unmarshal([]byte(w.read("../config/assent/settings.json")), &settings))
	settings["pythonExecution"] = true
	text, err := json.Marshal(settings)
	must(t, err)
	w.write("../config/assent/settings.json", string(text))
	return w
}

// code plays it: two commands approved at once, changes chosen by hunk, kept on disk and in an open document with
// unsaved text, undone and done again. seen is called when the changes wait, and fill replaces a line of the chat.
func code(e *editor, seen func(), fill func(line int, text string)) {
	t := e.t
	t.Helper()
	const chat = "ask.chat.md"
	e.open("notes.md")
	e.insert("notes.md", 0, 0, codeTyped)
	e.open(chat)
	e.act(chat, 2, "Send")
	answer := func(title string) {
		t.Helper()
		e.waitPending(chat)
		line := 0
		eventually(t, title, func() error {
			line = e.lineOf(chat, "tool python_execution c1")
			return contains(strings.Join(e.actions(chat, line), "\n"), title)
		})
		e.act(chat, line, title)
	}
	e.waitText(chat, "2. run sh count.sh prices.csv")
	answer("Approve all 2")
	e.waitText(chat, "+sugar,2.00")
	e.waitText(chat, "+Hello, world.")
	seen()
	shown := func(when, prices, notes string) {
		t.Helper()
		eventually(t, "the files "+when, func() error {
			if got := e.w.read("prices.csv"); got != prices {
				return fmt.Errorf("prices.csv is %q", got)
			}
			if got := e.text("notes.md"); got != notes {
				return fmt.Errorf("notes.md is %q in the editor", got)
			}
			if !e.modified("notes.md") {
				return errors.New("notes.md has no unsaved changes any more")
			}
			return nil
		})
	}
	shown("before the answer", codePrices, codeTyped+codeNotes)
	answer("Choose what to keep")
	for _, piece := range []string{"1 notes.md: ", "2 prices.csv line 2: "} {
		e.waitText(chat, piece+"discard")
		fill(e.lineOf(chat, piece+"discard"), piece+"keep")
		e.waitText(chat, piece+"keep")
	}
	e.act(chat, e.lineOf(chat, "2 prices.csv line 2: keep"), "Answer")
	e.waitText(chat, "All is well now.")
	e.waitText(chat, "run_command sh count.sh prices.csv")
	kept, corrected := strings.Replace(codePrices, "3.5", "3.50", 1), codeTyped+"Hello, world.\n"
	shown("at the end", kept, corrected)
	undo := e.lineOf(chat, "Count, and correct.")
	e.act(chat, undo, "Undo turn: ")
	shown("after Undo turn", codePrices, codeTyped+codeNotes)
	e.act(chat, undo, "Redo turn: ")
	shown("after Redo turn", kept, corrected)
}

// A program of a model runs in Neovim.
func TestCodeNvim(t *testing.T) {
	_, address := play(t, codeScript(t))
	e := startNvimPlugin(codeWorld(t, address), "nvim-0.12", nvimPython)
	e.keepDocuments("ask.chat.md")
	open := func() {
		eventually(t, "what was asked is not folded", func() error {
			return contains(e.luaText(`vim.fn.search("^+sugar"); return "fold " .. vim.fn.foldclosed(".")`), "fold -1")
		})
	}
	code(e, open, func(line int, text string) {
		e.lua(fmt.Sprintf("vim.api.nvim_buf_set_lines(0, %d, %d, true, { %q })", line, line+1, text), nil)
	})
	for _, want := range []struct{ line, closed string }{
		{"^```tool python_execution", "true"}, {"^```context calls", "true"}, {"^The program has run", "false"},
	} {
		eventually(t, "the folds of "+want.line, func() error {
			return contains(e.luaText(fmt.Sprintf(
				`vim.fn.search(%q); return "closed " .. tostring(vim.fn.foldclosed(".") > 0)`, want.line)), want.closed)
		})
	}
	if got := e.luaText(nvimInjected); got != strings.Split(codeProgram, "\n")[0] {
		t.Errorf("the program that is highlighted begins with %q", got)
	}
}

// nvimPython makes Lua's parser that of Python, which Neovim does not have, and nvimInjected is the first line that is
// highlighted as Python in a chat.
const (
	nvimPython = `vim.treesitter.language.add("python", {
		path = vim.api.nvim_get_runtime_file("parser/lua.*", false)[1], symbol_name = "lua",
	})`
	nvimInjected = `
		local parser = vim.treesitter.get_parser(0, "markdown")
		parser:parse(true)
		local first = parser:children().python:included_regions()[1][1][1]
		return vim.trim(vim.api.nvim_buf_get_lines(0, first, first + 1, false)[1])`
)

// A program of a model runs in VS Code.
func TestCodeVSCode(t *testing.T) {
	_, address := play(t, codeScript(t))
	e := startVSCode(codeWorld(t, address))
	e.keepDocuments("ask.chat.md")
	open := func() {
		e.do("run", arguments{"name": "workbench.action.closeSidebar"}, nil)
		e.do("cursor", e.at("ask.chat.md", e.lineOf("ask.chat.md", "1. run sh")), nil)
		e.do("run", arguments{"name": "editor.fold"}, nil) // it is answered, and the rest is to be seen
		call := e.lineOf("ask.chat.md", "tool python_execution")
		e.do("cursor", e.at("ask.chat.md", call), nil)
		eventually(t, "the call and the changes are in sight", func() error { // what folds scrolls to the cursor
			e.do("run", arguments{"name": "revealLine", "arguments": []any{arguments{"lineNumber": call, "at": "top"}}}, nil)
			lines := e.lines("ask.chat.md")
			return errors.Join(contains(lines, "tool python_execution"), contains(lines, "Changed prices.csv"))
		})
		e.sees("Keep all") // a lens of the call
		e.sees("Choose what to keep")
		e.sees("context calls not-sent")
		eventually(t, "the calls are folded", func() error {
			if strings.Contains(e.lines("ask.chat.md"), "line 5: edit_file") {
				return errors.New("they are open")
			}
			return nil
		})
		e.pictures("code")
	}
	code(e, open, func(line int, text string) {
		args := e.at("ask.chat.md", line)
		args["text"] = text
		e.do("set_line", args, nil)
	})
}
