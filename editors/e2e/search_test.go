//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// oldChat is a chat of which a person remembers some words.
const (
	oldChatName = ".assent/chats/2026-11-01-shelves.chat.md"
	oldChat     = "## You\n\nWhere do we keep the drawings?\n\n## Assistant\n\nIn the second shelf.\n\n" +
		"## You\n\nAnd the tide tables?\n\n## Assistant\n\nThey are in the harbour office.\n"
	oldChatLine = 12 // of the turn that says it, from 0
)

// TestSearchChatsNvim finds a turn by a word, goes there, pins the chat, and finds it pinned after a restart.
func TestSearchChatsNvim(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		w := newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText, oldChatName: oldChat})
		first := startNvimPlugin(w, version, "")
		first.open("README.md")
		choosesFirst(first)
		first.ex("Assent searchChats harbour")
		goesTo(first, oldChatName, oldChatLine)
		first.ex("Assent pinChat")
		eventually(t, "the pin", func() error { return contains(strings.Join(first.messages(), "\n"), "pinned") })
		first.ex("Assent restart")
		startedTimes(first, 2)
		first.ex("edit README.md")
		first.ex("Assent searchChats harb*")
		goesTo(first, oldChatName, oldChatLine)
		if row := first.luaText("return _G.chosen"); !strings.Contains(row, "pinned: ") {
			t.Errorf("it is not pinned any more: %q", row)
		}
	})
}

// choosesFirst has the list of a search choose its first row, and keep what the row shows.
func choosesFirst(e *editor) {
	e.t.Helper()
	e.lua(`vim.ui.select = function(items, opts, choose) _G.chosen = opts.format_item(items[1]); choose(items[1]) end`, nil)
}

func goesTo(e *editor, name string, line int) {
	e.t.Helper()
	eventually(e.t, "the turn", func() error {
		if at := e.where(); at.File != e.w.path(name) || at.Line != line {
			return fmt.Errorf("it is at %+v", at)
		}
		return nil
	})
}

// TestSearchChatsVSCode does the same in the quick pick, and finds the pin in the tree.
func TestSearchChatsVSCode(t *testing.T) {
	w := newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText, oldChatName: oldChat})
	e := startVSCode(w)
	e.open("README.md")
	e.do("search", arguments{
		"text": "Search chats", "placeholder": "What was said in the chat?", "words": "harbour", "row": "harbour office",
	}, nil)
	goesTo(e, oldChatName, oldChatLine)
	e.pictures("search")
	must(t, e.command("assent.pinChat", oldChatName, oldChatLine))
	e.do("palette", arguments{"text": "Focus on Chats View"}, nil)
	e.sees("Pinned")
	e.pictures("pinned")
}

// TestSearchChatsHelix finds the turn through the symbols of the workspace, by a word that is only in its text.
func TestSearchChatsHelix(t *testing.T) {
	w := newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText, oldChatName: oldChat, "ask.chat.md": "## You\n\nHello\n"})
	term := startHelix(w, "ask.chat.md")
	term.wait("Hello")
	helixEscape(term)
	term.keys("Space")
	term.wait("Perform code action")
	term.text("S")
	term.text("harbour")
	term.wait("They are in the harbour office.")
	term.keep("symbols")
	term.keys("Enter")
	term.wait("2026-11-01-shelves.chat.md", "And the tide tables?", "They are in the harbour office.")
	term.keep("opened")
}
