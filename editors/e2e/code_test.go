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
    lambda: run_command("sh count.sh list.txt"),
    lambda: run_command("sh count.sh notes.md"),
])
edit_file("list.txt", old_text="1\n2", new_text="one\n2")
edit_file("list.txt", old_text="8\n9", new_text="8\nnine")
edit_file("notes.md", old_text="Helo", new_text="Hello")
print(" and ".join(counts))
`
	codeList  = tryList
	codeNotes = "Helo, world.\n"
	codeTyped = "Not saved yet.\n"
)

// codeScript plays a model that writes the program.
func codeScript(t testing.TB) string {
	t.Helper()
	program, err := json.Marshal(map[string]string{"program": codeProgram})
	must(t, err)
	return scriptedModel + "turn\n\tcall python_execution " + string(program) + `
turn
	expect-last: The user kept a part of these: list.txt (1 of 2 hunks).
	say: "All is well now."
`
}

// codeWorld is a world with the interpreter, in which code mode is on.
func codeWorld(t testing.TB, address string) *world {
	t.Helper()
	options := interpretertest.Options(t)
	w := newWorld(t, address, map[string]string{
		"list.txt": codeList, "notes.md": codeNotes, "count.sh": "wc -l <\"$1\"\n", "ask.chat.md": "## You\n\nCount, and correct.\n",
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
	e.waitText(chat, "2. run sh count.sh notes.md")
	answer("Approve all 2")
	e.waitText(chat, "+nine")
	e.waitText(chat, "+Hello, world.")
	seen()
	shown := func(when, list, notes string) {
		t.Helper()
		eventually(t, "the files "+when, func() error {
			if got := e.w.read("list.txt"); got != list {
				return fmt.Errorf("list.txt is %q", got)
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
	shown("before the answer", codeList, codeTyped+codeNotes)
	answer("Choose what to keep")
	for _, piece := range []string{"1 list.txt line 1: ", "3 notes.md: "} {
		e.waitText(chat, piece+"discard")
		fill(e.lineOf(chat, piece+"discard"), piece+"keep")
		e.waitText(chat, piece+"keep")
	}
	e.act(chat, e.lineOf(chat, "1 list.txt line 1: keep"), "Answer")
	e.waitText(chat, "All is well now.")
	e.waitText(chat, "run_command sh count.sh notes.md")
	kept, corrected := strings.Replace(codeList, "1\n", "one\n", 1), codeTyped+"Hello, world.\n"
	shown("at the end", kept, corrected)
	undo := e.lineOf(chat, "Count, and correct.")
	e.act(chat, undo, "Undo turn: ")
	shown("after Undo turn", codeList, codeTyped+codeNotes)
	e.act(chat, undo, "Redo turn: ")
	shown("after Redo turn", kept, corrected)
}

// A program of a model runs in Neovim.
func TestCodeNvim(t *testing.T) {
	_, address := play(t, codeScript(t))
	e := startNvimPlugin(codeWorld(t, address), "nvim-0.12", "")
	e.keepDocuments("ask.chat.md")
	open := func() {
		eventually(t, "what was asked is not folded", func() error {
			return contains(e.luaText(`vim.fn.search("^+nine"); return "fold " .. vim.fn.foldclosed(".")`), "fold -1")
		})
	}
	code(e, open, func(line int, text string) {
		e.lua(fmt.Sprintf("vim.api.nvim_buf_set_lines(0, %d, %d, true, { %q })", line, line+1, text), nil)
	})
}
