//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const listText = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"

// twoEdits is a turn that changes a file at two places; the model is told later what its user rejected.
const twoEdits = scriptedModel + `
turn
	call read_file {"path": "list.txt"}
turn
	call edit_file {"path": "list.txt", "old_text": "two", "new_text": "TWO"}
turn
	call edit_file {"path": "list.txt", "old_text": "six", "new_text": "SIX"}
turn
	say: "All is well now."
turn
	expect: The user rejected your change of \"list.txt\" at line 6
	say: "I see."
`

// reviewTitles are the product's words on a changed line, in order; the first two change no file.
var reviewTitles = []string{
	"Review changes of this turn", "Keep hunk", "Reject hunk", "Reject and say why", "Keep all: 2 in this file", "Reject all: 2 in this file",
}

// reviewStory keeps one change, rejects another, undoes the turn and does it again, all in the files and the chat of an
// editor.
func reviewStory(t *testing.T, start func(w *world) *editor) {
	_, address := play(t, twoEdits)
	e := start(newWorld(t, address, map[string]string{"list.txt": listText, "ask.chat.md": ""}))
	e.keepDocuments("list.txt", "ask.chat.md")
	e.open("list.txt")
	ask(e)
	for _, call := range []string{"tool edit_file c2", "tool edit_file c3"} {
		e.waitText("ask.chat.md", call)
		e.act("ask.chat.md", e.waitPending("ask.chat.md").Line, "Approve once")
	}
	finished(e, "All is well now.")
	changed := strings.NewReplacer("two", "TWO", "six", "SIX").Replace(listText)
	listIs(e, changed)
	hints(e, 1, 5)
	titles := e.actions("list.txt", 1)
	if diff := cmp.Diff(reviewTitles, titles[:min(len(reviewTitles), len(titles))]); diff != "" {
		t.Errorf("the menu on a changed line (-want +got):\n%s", diff)
	}
	if e.page != nil { // a browser shows it
		e.do("menu", arguments{"file": e.w.path("list.txt"), "line": 1, "name": "menu"}, nil)
	}
	e.act("list.txt", 1, "Keep hunk")
	hints(e, 5)
	e.act("list.txt", 5, "Reject hunk")
	kept := strings.Replace(listText, "two", "TWO", 1)
	listIs(e, kept)
	hints(e)
	question := e.lineOf("ask.chat.md", request)
	e.act("ask.chat.md", question, "Undo turn: list.txt")
	listIs(e, listText)
	e.act("ask.chat.md", question, "Redo turn: list.txt")
	listIs(e, kept)
	lines := strings.Count(strings.TrimRight(e.text("ask.chat.md"), "\n"), "\n")
	e.insert("ask.chat.md", lines, len("## You"), "\n\nWhy is six not in capitals?\n")
	e.act("ask.chat.md", lines+2, "Send")
	finished(e, "I see.")
	if err := contains(e.text("ask.chat.md"), "```context review\nThe user rejected your change of \"list.txt\" at line 6."); err != nil {
		t.Error(err)
	}
}

// listIs waits until the file has this text in the editor.
func listIs(e *editor, want string) {
	e.t.Helper()
	eventually(e.t, "list.txt", func() error {
		if diff := cmp.Diff(want, e.text("list.txt")); diff != "" {
			return errors.New(diff)
		}
		return nil
	})
}

// hints waits until the file has hints on these lines and no others.
func hints(e *editor, lines ...int) {
	e.t.Helper()
	eventually(e.t, fmt.Sprintf("hints on the lines %v", lines), func() error {
		var got []int
		for _, d := range e.diagnostics("list.txt") {
			got = append(got, d.Line)
		}
		if diff := cmp.Diff(lines, got); diff != "" {
			return errors.New(diff)
		}
		return nil
	})
}

func TestReviewEmacs(t *testing.T) { reviewStory(t, startEmacs) }

// Invariant 26.
func TestReviewNvim(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		reviewStory(t, func(w *world) *editor { return startNvim(w, version) })
	})
}

// TestReviewOnTheScreen takes the same decisions with the keyboard, in a Neovim in a terminal, and looks at its screen.
func TestReviewOnTheScreen(t *testing.T) {
	_, address := play(t, twoEdits)
	w := newWorld(t, address, map[string]string{"list.txt": listText, "ask.chat.md": "## You\n\n" + request + "\n"})
	config := w.config("neovim.md", "lua", "assent.lua")
	program := installed(t, "nvim.sh")[nvimVersions["nvim-0.12"]]
	term := startTerminal(w, "nvim", w.env, program, "--clean", "-i", "NONE", "-n", "-u", config, "-o", w.path("ask.chat.md"), w.path("list.txt"))
	term.wait(request[:20], "seven")
	nvimCommand(term, "3")
	nvimMenu(term, "Send")
	for _, call := range []string{"tool edit_file c2", "tool edit_file c3"} {
		nvimFollow(term, "$?"+call, call)
		eventually(t, "the question", func() error { return nvimTry(term, "Approve once") })
	}
	nvimFollow(term, "$?All is well", "All is well now.")
	nvimCommand(term, "wincmd j")
	nvimFollow(term, "2", "TWO")
	onScreen(term, "H TWO", "H SIX", "  one")
	term.keep("hints")
	nvimMenu(term, "Keep hunk")
	onScreen(term, "  TWO", "H SIX")
	nvimCommand(term, "6")
	nvimMenu(term, "Reject and say why")
	onScreen(term, "TWO", "six", "I rejected your change of `list.txt` at line 6, because")
	term.text("Ait is too loud.")
	term.keys("Escape")
	onScreen(term, "I rejected your change of `list.txt` at line 6, because it is too loud.")
	term.keep("rejected")
	nvimCommand(term, "1,/misspelled/")
	nvimMenu(term, "Undo turn: list.txt")
	onScreen(term, "two", "six")
	term.keep("undone")
	nvimMenu(term, "Redo turn: list.txt")
	onScreen(term, "TWO", "six")
	term.keep("redone")
}

// nvimCommand types a command.
func nvimCommand(term *terminal, command string) {
	term.w.t.Helper()
	term.text(":" + command)
	term.keys("Enter")
}

// nvimFollow goes somewhere until a line of the screen shows a text: Neovim does not follow what grows below its
// window.
func nvimFollow(term *terminal, command, part string) {
	term.w.t.Helper()
	eventually(term.w.t, command, func() error {
		nvimCommand(term, command)
		<-time.After(200 * time.Millisecond)
		for line := range strings.Lines(term.screen()) {
			if strings.Contains(line, part) && !strings.HasPrefix(line, ":") && !strings.HasPrefix(line, "E486") {
				return nil
			}
		}
		return fmt.Errorf("no line has %q", part)
	})
}

// nvimMenu takes a row of the code actions of the cursor's line, by the number that Neovim gives it.
func nvimMenu(term *terminal, title string) {
	term.w.t.Helper()
	eventually(term.w.t, "the menu with "+title, func() error { return nvimTry(term, title) })
}

// nvimTry takes the row of the menu that begins so, and leaves the menu if it lacks that.
func nvimTry(term *terminal, title string) error {
	err := nvimChoose(term, func(rows []string) int {
		return slices.IndexFunc(rows, func(row string) bool { return strings.HasPrefix(row, title) })
	})
	if err != nil {
		return fmt.Errorf("no row %q: %w", title, err)
	}
	return nil
}

// nvimChoose opens the menu of the cursor's line and takes the row of the index that is chosen; below 0 it leaves the
// menu.
func nvimChoose(term *terminal, choose func(rows []string) int) error {
	nvimCommand(term, "lua vim.lsp.buf.code_action()")
	<-time.After(500 * time.Millisecond)
	var rows []string
	_, menu, _ := strings.Cut(term.screen(), "\nCode actions:\n")
	for line := range strings.Lines(menu) {
		number, row, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if number == strconv.Itoa(len(rows)+1) {
			rows = append(rows, row)
		}
	}
	at := choose(rows)
	if at < 0 {
		term.keys("Escape")
		return fmt.Errorf("the menu has %q", rows)
	}
	term.text(strconv.Itoa(at + 1))
	term.keys("Enter")
	return nil
}

// onScreen waits until the screen has lines that begin so.
func onScreen(term *terminal, starts ...string) {
	term.w.t.Helper()
	eventually(term.w.t, fmt.Sprintf("lines %q", starts), func() error {
		for _, start := range starts {
			if err := contains("\n"+term.screen(), "\n"+start); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestReviewVSCode(t *testing.T) { reviewStory(t, startVSCode) }
