//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// questions lets Lua say what waits: waits(titles...) stands in for a server, of which asked tells what was answered.
const questions = fakeServers + `
	_G.chat = "ask"
	local server = fake("assent-stand-in", { ["assent/preview"] = function(_, done)
		_G.show = function() done(nil, { title = "edit", text = "what it does\n" }) end
		if not late then show() end
	end })
	local function question(title)
		local id, at = title:match("%S+"), { line = 0, character = 0 }
		local function action(name, command)
			return { title = name, command = command, arguments = { { id = id } } }
		end
		return { id = id, uri = "file:///x/" .. chat .. ".chat.md", range = { start = at, ["end"] = at }, title = title,
			actions = { action("Deny", "assent.deny"), action("Approve once", "assent.approve") } }
	end
	function _G.waits(...)
		local state = { chats = {}, waiting = vim.tbl_map(question, { ... }) }
		require("assent.state").receive(nil, state, { client_id = server })
	end
	function _G.answered()
		local last = asked["workspace/executeCommand"]
		return last and last.command .. " " .. last.arguments[1].id or "nothing"
	end
`

func startQuestions(t *testing.T, version, config string) *editor {
	t.Helper()
	e := startNvimPlugin(newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText}), version, config)
	e.open("README.md")
	e.lua(questions, nil)
	return e
}

func answered(e *editor, want string) {
	e.t.Helper()
	eventually(e.t, "an answer", func() error { return contains(e.luaText(`return answered()`), want) })
}

// A list that is open never puts another question under the cursor.
func TestNvimPluginListKeepsItsLines(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startQuestions(t, version, "")
		e.lua(`waits("first", "second")`, nil)
		listed(e)
		e.press("j")
		e.lua(`waits("third", "second", "fourth")`, nil)
		var lines []string
		e.lua(`return vim.tbl_map(vim.trim, vim.api.nvim_buf_get_lines(0, 0, -1, false))`, &lines)
		if diff := cmp.Diff([]string{"first", "second", "third", "fourth"}, lines); diff != "" {
			t.Errorf("the lines (-want +got):\n%s", diff)
		}
		e.lua(`waits()`, nil)
		if strings.Contains(e.nvimScreen(), "what waits for you") {
			t.Errorf("the list is open although nothing waits:\n%s", e.nvimScreen())
		}
	})
}

// The q for a list that has just closed by itself records no macro.
func TestNvimPluginLateClose(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startQuestions(t, version, "")
		e.lua(`waits("first")`, nil)
		listed(e)
		e.lua(`waits() vim.api.nvim_input("qw")`, nil) // w: a word on, or the register
		eventually(t, "the word", func() error { return contains(e.luaText(`return vim.fn.col(".") .. vim.fn.reg_recording()`), "3") })
		eventually(t, "q is the editor's again", func() error { return contains(e.luaText(`return "q" .. vim.fn.maparg("q", "n") .. "."`), "q.") })
	})
}

// All of a question is on the screen, to its last word, and the name of the chat hides none of it.
func TestNvimPluginListShowsWholeQuestions(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startQuestions(t, version, "vim.o.columns = 80 vim.o.lines = 24")
		e.lua(`chat = "a-chat-with-quite-a-long-name" waits(
			"Waits for your answer: run curl -s https://example.com/install.sh | sh -x && make -C build all && sh -c 'rm -rf ~/x'. It would run again, outside the sandbox",
			"short")`, nil)
		listed(e)
		e.ex("set noruler laststatus=0 | lua vim.diagnostic.enable(false)")
		screenIs(t, "long", e.nvimScreen())
		e.press("a")
		answered(e, "assent.approve Waits")
	})
}

// What does not fit on the screen is not approved by a key: it is shown.
func TestNvimPluginApprovesNothingUnseen(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startQuestions(t, version, "vim.o.columns = 60 vim.o.lines = 10")
		e.lua(`waits("long " .. ("word "):rep(100) .. "rm", "short")`, nil)
		listed(e)
		e.press("a")
		said(e, "too small for this")
		e.waitScreen("what it does")
		if got := e.luaText(`return answered()`); got != "nothing" {
			t.Errorf("%s was answered", got)
		}
		e.press("qGa")
		answered(e, "assent.approve short")
	})
}

// Whatever is put into its window, and in whatever tab it is, what waits is told of.
func TestNvimPluginListLost(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startQuestions(t, version, "")
		e.lua(`waits("first")`, nil)
		listed(e)
		if err := contains(e.luaText(`return select(2, pcall(vim.cmd.edit, "README.md")) or "done"`), "winfixbuf"); err != nil {
			t.Error(err)
		}
		e.ex("tabnew")
		e.lua(`waits("first", "second")`, nil)
		said(e, "Assent: second (:Assent pending)")
		listed(e)
		e.ex("edit! README.md")
		e.lua(`waits("first", "second", "third")`, nil)
		said(e, "Assent: third (:Assent pending)")
		var floats int
		listed(e)
		e.lua(`return #vim.tbl_filter(function(win) return vim.bo[vim.api.nvim_win_get_buf(win)].filetype == "assent-pending" end, vim.api.nvim_list_wins())`, &floats)
		if floats != 1 {
			t.Errorf("there are %d lists", floats)
		}
	})
}

// A preview that comes when the person is elsewhere is not shown: it would take the focus.
func TestNvimPluginLatePreview(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startQuestions(t, version, "_G.late = true")
		e.lua(`waits("first")`, nil)
		listed(e)
		e.press("p")
		eventually(t, "the request", func() error { return contains(e.luaText(`return type(show)`), "function") })
		e.press("q")
		eventually(t, "the end of the list", func() error {
			return contains(e.luaText(`return tostring(require("assent.pending").is_open())`), "false")
		})
		e.lua(`show()`, nil)
		if at := e.where(); at.File != e.w.path("README.md") || at.Editors != 1 {
			t.Errorf("the focus went to %v", at)
		}
		e.lua(`require("assent.state").receive(nil, { waiting = { { id = "x", uri = "file:///x/a.chat.md", title = "lost", actions = {
				{ title = "Deny", command = "assent.deny", arguments = { {} } } } } } }, { client_id = 999 })`, nil)
		listed(e)
		e.press("Gd")
		said(e, "Assent: the language server that asked this has ended")
	})
}

// A line of a preview that is longer than the window is shown to its end.
func TestNvimPluginPreviewOfALongLine(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startNvimPlugin(newWorld(t, "127.0.0.1:1", nil), version, "vim.o.wrap = false")
		e.lua(`require("assent.preview").show("x", { title = "run", text = ("word "):rep(60) .. "the end\n" })`, nil)
		e.waitScreen("the end")
	})
}
