//go:build e2e

package e2e

import (
	"strings"
	"testing"
)

// fakeServers lets Lua start language servers inside Neovim: fake(name, answers, root) gives the id of the client, and
// asked tells by method with what one was asked last, and in asked.root by whom. An answer is a value, or a function of
// the parameters and of the function that takes an error and a value.
const fakeServers = `
	_G.asked = {}
	function _G.fake(name, answers, root)
		answers.initialize = answers.initialize or { capabilities = {} }
		root = root or vim.fn.getcwd()
		local closing = false
		return vim.lsp.start({ name = name, root_dir = root, cmd = function()
			return {
				request = function(method, params, done)
					asked[method], asked.root = params, root
					local answer = answers[method]
					vim.schedule(function()
						if type(answer) == "function" then return answer(params, done) end
						done(nil, answer == nil and vim.NIL or answer)
					end)
					return true, 1
				end,
				notify = function() return true end,
				is_closing = function() return closing end,
				terminate = function() closing = true end,
			}
		end })
	end
`

// otherServer is a language server inside Neovim, in UTF-16 whatever ours counts in: what a model is told must come
// from it.
const otherServer = fakeServers + `
	local function at(line, from, to)
		return { start = { line = line, character = from }, ["end"] = { line = line, character = to } }
	end
	local uri = vim.uri_from_bufnr(0)
	fake("other", {
		initialize = { capabilities = { definitionProvider = true, referencesProvider = true, documentSymbolProvider = true, documentFormattingProvider = true } },
		["textDocument/definition"] = { uri = uri, range = at(0, 7, 11) },
		["textDocument/references"] = { { uri = uri, range = at(0, 7, 11) }, { uri = uri, range = at(2, 4, 8) } },
		["textDocument/documentSymbol"] = { { name = "name", kind = 12, range = at(0, 0, 11), selectionRange = at(0, 7, 11) } },
		["textDocument/formatting"] = { { range = at(2, 0, 4), newText = "" } },
	})
	vim.diagnostic.set(vim.api.nvim_create_namespace("linter"), 0, {
		{ lnum = 2, col = 4, end_col = 8, severity = 2, source = "linter", message = "name is a poor name" },
	})`

// What the other servers of the editor know reaches the model, and nothing is asked of ours.
func TestNvimPluginTellsWhatTheEditorKnows(t *testing.T) {
	const code = "𝒻𝓊() name\n\n    name()\n"
	script := scriptedModel + `
turn
	call get_diagnostics {"path": "code.txt"}
turn
	expect-last: name is a poor name
	call find_definition {"path": "code.txt", "symbol": "name", "line": 1}
turn
	expect-last: code.txt:1
	call find_references {"path": "code.txt", "symbol": "name", "line": 3}
turn
	expect-last: code.txt:3
	call find_symbols {"path": "code.txt"}
turn
	expect-last: name
	call format_file {"path": "code.txt"}
turn
	say: "All is well now."
`
	eachNvim(t, func(t *testing.T, version string) {
		server, address := play(t, script)
		e := startNvimPlugin(newWorld(t, address, map[string]string{"code.txt": code, "ask.chat.md": ""}), version, "")
		e.keepDocuments("ask.chat.md", "code.txt")
		e.open("code.txt")
		e.lua(otherServer, nil)
		ask(e)
		e.waitPending("ask.chat.md")
		listed(e)
		e.press("a")
		finished(e, "All is well now.")
		if problems := server.Mismatches(); len(problems) > 0 {
			t.Errorf("the model was told something else:\n%s", strings.Join(problems, "\n"))
		}
		var place struct{ Line, Character int }
		e.lua(`return asked["textDocument/definition"].position`, &place)
		if place.Line != 0 || place.Character != 7 { // in UTF-16, for which the two letters are two units each
			t.Errorf("the other server was asked about %v", place)
		}
		if got, want := e.text("code.txt"), strings.Replace(code, "    name", "name", 1); got != want {
			t.Errorf("the file was formatted to\n%s", got)
		}
	})
}

// What no other server can say is a refusal with its reason for the model, and not the answer that there is nothing.
func TestNvimPluginTellsWhatTheEditorCannotSay(t *testing.T) {
	script := scriptedModel + `
turn
	call get_diagnostics {"path": "other.txt"}
turn
	expect-last: the file is not open in Neovim
	call find_definition {"path": "code.txt", "symbol": "name", "line": 1}
turn
	expect-last: other: it is still indexing
	call find_references {"path": "code.txt", "symbol": "name", "line": 1}
turn
	expect-last: no language server in Neovim answers this
	call find_symbols {"path": "other.txt"}
turn
	expect-last: the file is not open in Neovim
	call format_file {"path": "code.txt"}
turn
	expect-last: no language server in Neovim formats this file
	say: "All is well now."
`
	eachNvim(t, func(t *testing.T, version string) {
		server, address := play(t, script)
		e := startNvimPlugin(newWorld(t, address, map[string]string{"code.txt": "name\n", "other.txt": "name\n", "ask.chat.md": ""}), version, "")
		e.keepDocuments("ask.chat.md")
		e.open("code.txt")
		e.lua(fakeServers+`fake("other", {
			initialize = { capabilities = { definitionProvider = true } },
			["textDocument/definition"] = function(_, done) done({ code = 1, message = "it is still indexing" }) end,
		})`, nil)
		ask(e)
		finished(e, "All is well now.")
		if problems := server.Mismatches(); len(problems) > 0 {
			t.Errorf("the model was told something else:\n%s", strings.Join(problems, "\n"))
		}
	})
}
