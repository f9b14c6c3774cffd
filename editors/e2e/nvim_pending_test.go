//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ex runs an Ex command in Neovim.
func (e *editor) ex(command string) {
	e.t.Helper()
	e.lua("vim.cmd([==["+command+"]==])", nil)
}

// press types keys where the focus is, by the names that Neovim has for them.
func (e *editor) press(keys string) {
	e.t.Helper()
	e.lua("vim.api.nvim_input([==["+keys+"]==])", nil)
}

// waitScreen waits until the screen shows a part.
func (e *editor) waitScreen(part string) {
	e.t.Helper()
	eventually(e.t, "the screen", func() error { return contains(e.nvimScreen(), part) })
}

// said waits for a message.
func said(e *editor, part string) {
	e.t.Helper()
	eventually(e.t, "a message", func() error { return contains(strings.Join(e.messages(), "\n"), part) })
}

// askByCommand writes the request into the chat and sends it by :Assent, then goes to the README and waits for the
// question.
func askByCommand(e *editor) {
	e.t.Helper()
	e.keepDocuments("README.md", "ask.chat.md")
	e.open("README.md")
	e.open("ask.chat.md")
	e.insert("ask.chat.md", 0, 0, "## You\n\n"+request+"\n")
	e.do("cursor", e.at("ask.chat.md", 2), nil)
	e.ex("Assent send")
	e.do("cursor", e.at("README.md", 0), nil)
	said(e, "Assent: Waits for your answer: edit README.md (:Assent pending)")
	eventually(e.t, "all answers", func() error { // it can be approved only once the chat shows it
		return contains(e.luaText(`return vim.inspect(require("assent.state").waiting())`), "assent.approve")
	})
}

// listed opens the list of what waits.
func listed(e *editor) {
	e.t.Helper()
	eventually(e.t, "the plugin knows of something that waits", func() error {
		var n int
		if e.lua(`return #require("assent.state").waiting()`, &n); n == 0 {
			return errors.New("nothing")
		}
		return nil
	})
	e.ex("Assent pending")
	e.waitScreen("Assent: what waits for you")
}

// signs are the signs of hunks in the current buffer of Neovim, as LINE:TEXT with lines from 0.
func signs(e *editor) (all []string) {
	e.t.Helper()
	e.lua(`
		local all = {}
		for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace("assent.hunks"), 0, -1, { details = true })) do
			table.insert(all, mark[2] .. ":" .. vim.trim(mark[4].sign_text or ""))
		end
		return #all > 0 and all or { "none" }`, &all)
	return all
}

func signsAre(e *editor, want ...string) {
	e.t.Helper()
	eventually(e.t, "signs", func() error {
		if got := signs(e); !slices.Equal(got, want) {
			return fmt.Errorf("the signs are %v, not %v", got, want)
		}
		return nil
	})
}

// statusIs waits until the text for the statusline fits.
func statusIs(e *editor, pattern string) {
	e.t.Helper()
	eventually(e.t, "the statusline", func() error {
		if text := e.luaText(`return require("assent").statusline()`); !regexp.MustCompile(pattern).MatchString(text) {
			return fmt.Errorf("it is %q, not %s", text, pattern)
		}
		return nil
	})
}

// The whole job with the plugin from another file: told of, seen, approved, saved, marked, rejected and undone.
func TestNvimPluginFromAnotherFile(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, editScript)
		e := startNvimPlugin(newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": ""}), version, "")
		askByCommand(e)
		if at := e.where(); at.File != e.w.path("README.md") || at.Line != 0 {
			t.Errorf("the question took the focus: %v", at)
		}
		statusIs(e, `^llama3\.1:8b · waiting · \d+/8\.2k · 1 waits for you$`)
		e.ex("set noruler laststatus=0 | silent! only")
		listed(e)
		screenIs(t, "pending", e.nvimScreen())
		e.press("p")
		e.waitScreen("+Hello, world.")
		e.press("q")
		e.press("<Space>x<Tab>A<CR>") // <CR> goes to the call, the others are nobody's
		eventually(t, "the chat", func() error {
			if at := e.where(); at.File != e.w.path("ask.chat.md") {
				return fmt.Errorf("the cursor is at %v", at)
			}
			return nil
		})
		if got := e.text("README.md"); !strings.Contains(got, "Helo, world.") {
			t.Errorf("a key that is shown for nothing approved the edit:\n%s", got)
		}
		e.do("cursor", e.at("README.md", 0), nil)
		listed(e)
		e.press("a")
		e.waitText("README.md", "Hello, world.")
		finished(e, "All is well now.")
		eventually(t, "the saved file", func() error { return contains(e.w.read("README.md"), "Hello, world.") })
		eventually(t, "the list closes", func() error {
			if strings.Contains(e.nvimScreen(), "what waits for you") {
				return errors.New("it is open")
			}
			return nil
		})
		e.do("cursor", e.at("README.md", 0), nil)
		signsAre(e, "2:~")
		e.ex("Assent nextHunk")
		if at := e.where(); at.Line != 2 {
			t.Errorf("the next hunk is at %v", at)
		}
		statusIs(e, `^$`)
		confined := e.luaText(`local state, said = require("assent.state"), {}
			local real = state.chats
			for _, by in ipairs({ "bubblewrap", "nothing" }) do
				state.chats = function() return { { uri = "x", state = "working", size = 0, used = 0, confined = by } } end
				table.insert(said, require("assent").statusline())
			end
			state.chats = real
			return table.concat(said, ", ")`)
		if confined != "working · in bubblewrap, working · no sandbox" {
			t.Errorf("the statusline says %q of the sandbox", confined)
		}
		e.ex("Assent rejectHunk")
		e.waitText("README.md", "Helo, world.")
		signsAre(e, "none")
		e.undo("README.md")
		if got := e.text("README.md"); !strings.Contains(got, "Hello, world.") {
			t.Errorf("u did not take the rejection back:\n%s", got)
		}
	})
}

// What keeps a change is one command, too.
func TestNvimPluginKeepsAHunk(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, editScript)
		e := startNvimPlugin(newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": ""}), version,
			`require("assent").setup({ hunks = { deleted = true } })`)
		askByCommand(e)
		listed(e)
		e.press("a")
		finished(e, "All is well now.")
		signsAre(e, "2:~")
		e.ex("set noruler laststatus=0 | silent! only | lua vim.diagnostic.enable(false)")
		screenIs(t, "hunk", e.nvimScreen())
		e.do("cursor", e.at("README.md", 2), nil)
		e.ex("Assent keepHunk")
		signsAre(e, "none")
		if diff := cmp.Diff(strings.Replace(readmeText, "Helo", "Hello", 1), e.text("README.md")); diff != "" {
			t.Errorf("README.md (-want +got):\n%s", diff)
		}
	})
}

// The reason is asked for in the editor's own way, and the model is told.
func TestNvimPluginDeniesWithAReason(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		const why = "Leave this file alone."
		_, address := play(t, editScript)
		e := startNvimPlugin(newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": ""}), version, "")
		askByCommand(e)
		e.lua(`vim.ui.input = function(_, done) done("`+why+`") end`, nil)
		listed(e)
		e.press("r")
		finished(e, "All is well now.")
		chat := e.text("ask.chat.md")
		if err := contains(chat, "denied"); err != nil {
			t.Error(err)
		}
		if err := contains(chat, why); err != nil {
			t.Error(err)
		}
		if got := e.text("README.md"); got != readmeText {
			t.Errorf("README.md was changed:\n%s", got)
		}
	})
}
