//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// startAlone is a Neovim with the plugin in which only stand-ins for a server start, with README.md on the screen.
func startAlone(t *testing.T, version string) *editor {
	t.Helper()
	w := newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText, "other.md": "Another text.\n"})
	e := startNvimPlugin(w, version, `require("assent").setup({ autostart = false, cmd = { "sh" } })`)
	e.ex("edit README.md")
	e.lua(fakeServers, nil)
	return e
}

// wasAsked is what a stand-in was asked to run, and by the URI of which file.
func wasAsked(e *editor) string {
	e.t.Helper()
	return e.luaText(`
		local last = asked["workspace/executeCommand"]
		if not last then return "nothing" end
		local given = last.arguments[1]
		return ("%s %s %s %s"):format(last.command, vim.fs.basename(given.uri or "nowhere"), given.position and given.position.line or "", vim.fs.basename(asked.root))`)
}

// What was asked for in one file is done there, although the server comes when the person is in another one.
func TestNvimPluginKeepsThePlaceOfACommand(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startAlone(t, version)
		e.lua(`fake("assent", { initialize = function(_, done) _G.come = function() done(nil, { capabilities = {} }) end end })`, nil)
		e.ex("3")
		e.ex("Assent rejectAll")
		e.ex("edit other.md")
		eventually(t, "the start of the server", func() error { return contains(e.luaText(`return type(come)`), "function") })
		e.lua(`come()`, nil)
		eventually(t, "the request", func() error { return contains(wasAsked(e), "assent.rejectAll README.md 2") })
	})
}

// Nothing is asked for a file that is closed when the server comes.
func TestNvimPluginDropsACommandOfAClosedFile(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startAlone(t, version)
		e.lua(`fake("assent", { initialize = function(_, done) _G.come = function() done(nil, { capabilities = {} }) end end })`, nil)
		e.ex("Assent rejectAll")
		e.ex("edit other.md | bwipeout README.md")
		eventually(t, "the start of the server", func() error { return contains(e.luaText(`return type(come)`), "function") })
		e.lua(`come()`, nil)
		said(e, "Assent: Reject all did nothing: its file was closed meanwhile")
		if got := wasAsked(e); got != "nothing" {
			t.Errorf("it was asked: %s", got)
		}
	})
}

// Of several workspaces none is taken by chance.
func TestNvimPluginTakesNoWorkspaceByChance(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startAlone(t, version)
		e.lua(`local top = vim.fn.getcwd()
			fake("assent", {}, top .. "/a") vim.cmd.edit("other.md") fake("assent", {}, top .. "/b")
			vim.cmd.enew() vim.fn.mkdir("b")`, nil)
		e.ex("Assent undoTurn")
		said(e, "Assent: several workspaces are open: go to a file of one")
		if got := wasAsked(e); got != "nothing" {
			t.Errorf("it was asked: %s", got)
		}
		e.ex("cd b")
		e.ex("Assent undoTurn")
		eventually(t, "the request", func() error { return contains(wasAsked(e), "assent.undoTurn nowhere  b") })
	})
}

// A command in a file that no server has attaches the one of its workspace first: what is selected is not lost.
func TestNvimPluginAttachesForACommand(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		w := newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText, "ask.chat.md": "## You\n\n"})
		e := startNvimPlugin(w, version, `require("assent").setup({ autostart = false })`)
		e.open("ask.chat.md")
		e.ex("edit README.md")
		if got := e.luaText(`return tostring(#vim.lsp.get_clients({ bufnr = 0 }))`); got != "0" {
			t.Fatal("a server came by itself")
		}
		e.ex("3Assent ask")
		eventually(t, "a chat about the line", func() error {
			at := e.where()
			if !strings.HasSuffix(at.File, ".chat.md") {
				return fmt.Errorf("the cursor is at %v", at)
			}
			return contains(e.luaText(`return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`), "@README.md:3")
		})
	})
}
