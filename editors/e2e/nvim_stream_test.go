//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// startStream begins a chat in which a long reply streams, in a small window.
func startStream(t *testing.T, version string, n int, rest, config string) *editor {
	t.Helper()
	_, address := play(t, streamScript(n, 20*time.Millisecond, rest))
	e := startNvimPlugin(newWorld(t, address, map[string]string{"ask.chat.md": ""}), version, config)
	e.keepDocuments("ask.chat.md")
	e.open("ask.chat.md")
	e.ex("silent! only")
	e.insert("ask.chat.md", 0, 0, "## You\n\n"+request+"\n")
	e.do("cursor", e.at("ask.chat.md", 2), nil)
	e.ex("Assent send")
	return e
}

// nvimView is what a window shows: its first and last line, that of the cursor, the last one of the reply, and how many
// there are.
type nvimView struct{ Top, Bottom, Cursor, Reply, Count int }

func viewOf(e *editor) (v nvimView) {
	e.t.Helper()
	e.lua(`vim.cmd("redraw") return { Top = vim.fn.line("w0"), Bottom = vim.fn.line("w$"), Cursor = vim.fn.line("."), Reply = vim.fn.search([[\v^\[\d]], "nbw"), Count = vim.fn.line("$") }`, &v)
	return v
}

// The window goes along with the end of a reply, and the cursor stays on its text. Who scrolls away is let be.
func TestNvimPluginFollows(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startStream(t, version, 300, "", "vim.o.lines = 24")
		e.waitText("ask.chat.md", "[120]")
		v := viewOf(e)
		if v.Top < 2 || v.Bottom < v.Reply || e.line(v.Cursor) != request {
			t.Errorf("the window does not show the end, or the cursor moved: %+v on %q", v, e.line(v.Cursor))
		}
		e.lua(`vim.fn.winrestview({ topline = 1 }) vim.fn.cursor(3, 1)`, nil)
		from := viewOf(e)
		e.waitText("ask.chat.md", "[250]")
		if v := viewOf(e); v.Top != from.Top || v.Cursor < from.Cursor || v.Cursor > from.Cursor+1 {
			t.Errorf("the window went on after it was scrolled away: %+v, then %+v", from, v)
		}
	})
}

// With the option a cursor on the last line goes along.
func TestNvimPluginTakesTheCursorAlong(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startStream(t, version, 300, "", `vim.o.lines = 24 require("assent").setup({ follow = "cursor" })`)
		e.waitText("ask.chat.md", "[3]")
		e.lua(`vim.cmd("normal! G")`, nil)
		e.waitText("ask.chat.md", "[250]")
		if v := viewOf(e); v.Cursor < v.Count-1 || v.Bottom < v.Count-1 {
			t.Errorf("the cursor was left behind: %+v", v)
		}
	})
}

func (e *editor) line(number int) string {
	e.t.Helper()
	return e.luaText(fmt.Sprintf("return vim.fn.getline(%d)", number))
}

// What a person types while a reply streams and what the model writes are steps of undo of their own, and none is lost.
func TestNvimPluginUndoesTypingAlone(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		const typed = " abcdefghijklmnopqrstuvwxyz"
		e := startStream(t, version, 100, "", "")
		e.waitText("ask.chat.md", "[3]")
		e.typeAfter("ask.chat.md", request, typed, 30*time.Millisecond)
		e.typed()
		eventually(t, "the end of the run", func() error {
			text := e.text("ask.chat.md")
			if err := contains(text, "[99]"); err != nil {
				return err
			}
			if !strings.HasSuffix(strings.TrimRight(text, "\n"), "\n## You") {
				return contains(text, "the last turn")
			}
			return nil
		})
		text := e.text("ask.chat.md")
		if err := contains(text, request+typed); err != nil {
			t.Fatal(err)
		}
		letters := func(text string) int {
			line := text[strings.Index(text, request)+len(request):]
			return strings.Index(line, "\n")
		}
		for steps := 0; letters(text) > 0 || strings.Contains(text, "["); steps++ {
			if steps > 100 {
				t.Fatalf("after %d steps back there is still:\n%s", steps, text)
			}
			e.undo("ask.chat.md")
			before := text
			text = e.text("ask.chat.md")
			if letters(text) < letters(before) && strings.Count(text, "[") < strings.Count(before, "[") {
				t.Fatalf("one step took typing (%d, %d) and reply (%d, %d) together", letters(before), letters(text), strings.Count(before, "["), strings.Count(text, "["))
			}
		}
	})
}

// Stop ends a run from wherever it is said.
func TestNvimPluginStops(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startStream(t, version, 20, "hang\n", "")
		e.waitText("ask.chat.md", "[3]")
		e.ex("enew")
		e.ex("Assent stop")
		eventually(t, "the end of the run", func() error {
			if e.w.writes() {
				return fmt.Errorf("it goes on")
			}
			return nil
		})
	})
}

// Neovim waits for a key below a message that is longer than its line, and takes no edits until then: the plugin shows
// one line of it.
func TestNvimPluginLongMessage(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		name := strings.Repeat("long-name-", 12) + "of:8b"
		_, address := play(t, "model "+name+" family=llama capabilities=completion,tools context=32768\nturn\nsay: \"Good day.\"\n")
		w := newWorld(t, address, map[string]string{"ask.chat.md": "## You\n\nHello.\n"})
		term := startTerminal(w, "nvim", w.env, installed(t, "nvim.sh")[nvimVersions[version]], "--clean", "-i", "NONE", "-n",
			"--cmd", "set runtimepath^="+nvimPlugin(t), "ask.chat.md")
		term.wait("Hello.")
		term.text(":Assent send\r")
		term.wait("Assent: long-name", "Good day.")
	})
}
