//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/docs/fence"
)

// tutorialScript answers what docs/tutorial.md has people ask.
const tutorialScript = scriptedModel + `
turn
	expect-last: for p in prices:
	expect-last: Does it add up all prices?
	say: "No, it returns the last price."
turn
	expect-last: Fix total in shop.py
	call read_file {"path": "shop.py"}
turn
	call edit_file {"path": "shop.py", "old_text": "sum = p", "new_text": "sum += p"}
turn
	say: "It adds them up now."
turn
	expect-last: Run python3 test_shop.py
	call run_command {"command": "python3 test_shop.py"}
turn
	expect-last: ok
	say: "It prints ok."
turn
	expect: Write Python 3 without other packages.
	expect-last: Add a docstring
	say: "Done."
`

// TestTutorial does in Neovim and a shell what docs/tutorial.md says, step by step, with the page's own blocks.
func TestTutorial(t *testing.T) {
	source, err := os.ReadFile("../../docs/tutorial.md")
	must(t, err)
	var shell, words []string
	for _, b := range fence.In("docs/tutorial.md", source) {
		if b.Language == "sh" {
			shell = append(shell, b.Text)
		} else {
			words = append(words, b.Text)
		}
	}
	if len(shell) != 3 || len(words) != 4 {
		t.Fatalf("the page has %d blocks for a shell and %d to write", len(shell), len(words))
	}
	server, address := play(t, tutorialScript)
	w := newWorld(t, address, nil)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		w.env = append(w.env, "GIT_"+who+"_NAME=A", "GIT_"+who+"_EMAIL=a@example.org")
	}
	sh(w, strings.TrimSpace(shell[0])+" || true\n") // it ends with 1 where something of this machine is missing
	sh(w, shell[1])

	const chat, shop, prompt = "shop/ask.chat.md", "shop/shop.py", "shop/.assent/prompts/system.md"
	e := startNvimPlugin(w, "nvim-0.12", "")
	e.open(shop)
	e.open(chat)
	e.insert(chat, 0, 0, words[0])
	sends := func(answer string) {
		t.Helper()
		e.act(chat, e.lineOf(chat, strings.TrimSpace(answer)), "Send")
	}
	sends("Does it add up all prices?")
	e.waitText(chat, "No, it returns the last price.")
	write := func(block string) {
		t.Helper()
		eventually(t, "an empty turn", func() error { return contains(strings.TrimRight(e.text(chat), "\n")+"\n", "\n## You\n") })
		_, text, ok := strings.Cut(block, "## You\n")
		if !ok {
			t.Fatalf("%q has no heading", block)
		}
		e.do("append", arguments{"file": w.path(chat), "text": strings.TrimPrefix(text, "\n")}, nil)
		sends(text)
	}

	write(words[1])
	pending := e.waitPending(chat).Line
	titles := e.actions(chat, pending)
	for _, title := range []string{"Show what would happen", "Approve once: edit shop.py", "Deny and say why"} {
		if !slices.Contains(titles, title) {
			t.Errorf("the menu on the call has no %q: %q", title, titles)
		}
	}
	e.act(chat, pending, "Approve once")
	e.waitText(chat, "It adds them up now.")
	e.waitText(shop, "sum += p")

	changed := e.lineOf(shop, "sum += p")
	menuHas(e, shop, changed, "Keep hunk", "Reject hunk")
	e.act(chat, e.lineOf(chat, "It adds them up now."), "Undo turn")
	e.waitText(shop, "sum = p")
	e.act(chat, e.lineOf(chat, "It adds them up now."), "Redo turn")
	e.waitText(shop, "sum += p")

	e.save(shop)
	write(words[2])
	pending = e.waitPending(chat).Line
	e.act(chat, pending, "Always allow ")
	e.waitText(chat, "It prints ok.")
	if out := sh(w, "cd shop\nassent permissions\n"); !strings.Contains(out, "python3") {
		t.Errorf("assent permissions does not have the rule:\n%s", out)
	}

	menuHas(e, shop, changed, "Ask Assent…", "Explain", "Write tests")

	e.act(chat, 0, "Edit system prompt for this workspace")
	e.waitText(prompt, "What you write below")
	e.do("append", arguments{"file": w.path(prompt), "text": words[3]}, nil)
	e.save(prompt)
	e.act(prompt, 0, "Trust this folder")
	menuHas(e, chat, e.lineOf(chat, "It prints ok."), "Show what the model sees")

	if out := sh(w, "cd shop\n"+shell[2]); !strings.Contains(out, "Done.") || !strings.Contains(out, "  Add a docstring to total") {
		t.Errorf("the terminal says:\n%s", out)
	}
	if wrong := server.Mismatches(); len(wrong) > 0 {
		t.Error(wrong)
	}
}

// menuHas wants titles in the menu of a line.
func menuHas(e *editor, name string, line int, want ...string) {
	e.t.Helper()
	for _, title := range want {
		eventually(e.t, title, func() error { return contains(strings.Join(e.actions(name, line), "\n"), title) })
	}
}

// sh runs a script in the workspace and returns what it printed.
func sh(w *world, script string) string {
	w.t.Helper()
	name := filepath.Join(w.out, "sh.out")
	c := w.command("sh", "bash", "-ec", "exec >"+name+"\n"+script)
	must(w.t, c.Run())
	out, err := os.ReadFile(name)
	must(w.t, err)
	return string(out)
}
