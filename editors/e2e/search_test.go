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

// pickers play what the pickers do with a list, by their documentation: each keeps the row that it shows and the place
// of its preview, and chooses the first row. None is in a package that could be installed here.
const pickers = `
	local function shows(row, path, line) _G.shown = ("%s|%s|%d"):format(row, vim.fs.basename(path), line) end
	local function plays(modules)
		for _, name in ipairs({ "snacks", "fzf-lua", "telescope", "mini.pick" }) do
			package.loaded[name], package.preload[name] = nil, nil
		end
		for name, module in pairs(modules) do package.preload[name] = function() return module end end
	end
	_G.played = {
		snacks = function()
			plays({ snacks = { config = { picker = { enabled = true } }, picker = { pick = function(o)
				local item = o.items[1]
				assert(o.format == "text" and o.preview == "file")
				shows(item.text, item.file, item.pos[1])
				o.confirm({ close = function() end }, item)
			end } } })
		end,
		["fzf-lua"] = function()
			local base = { new = function(self) return self end }
			function base:extend()
				local class = { super = self }
				class.__index = class
				return setmetatable(class, self)
			end
			plays({ ["fzf-lua.previewer.builtin"] = { buffer_or_file = base }, ["fzf-lua"] = { fzf_exec = function(lines, o)
				local row = vim.split(lines[1], o.fzf_opts["--delimiter"])[2]
				local at = o.previewer.new(setmetatable({}, o.previewer), {}, o, {}):parse_entry(lines[1])
				shows(row, at.path, at.line)
				o.actions["default"]({ lines[1] })
			end } })
		end,
		telescope = function()
			local replaced, entry
			plays({
				telescope = {}, ["telescope.config"] = { values = { generic_sorter = function() return 1 end, grep_previewer = function() return 1 end } },
				["telescope.finders"] = { new_table = function(o) return o.entry_maker(o.results[1]) end },
				["telescope.actions"] = { close = function() end, select_default = { replace = function(_, with) replaced = with end } },
				["telescope.actions.state"] = { get_selected_entry = function() return entry end },
				["telescope.pickers"] = { new = function(_, o)
					return { find = function()
						entry = o.finder
						assert(o.sorter and o.previewer and o.attach_mappings(0) and entry.ordinal == entry.display)
						shows(entry.display, entry.filename, entry.lnum)
						replaced()
					end }
				end },
			})
		end,
		["mini.pick"] = function()
			_G.MiniPick = { start = function(o)
				local item = o.source.items[1]
				shows(item.text, item.path, item.lnum)
				return not o.source.choose(item) and item or nil
			end }
			plays({ ["mini.pick"] = _G.MiniPick })
		end,
		select = function() -- with a preview, as Neovim 0.12 documents it
			plays({ ["mini.pick"] = {} }) -- there, and not set up
			_G.MiniPick = nil
			vim.ui.select = function(items, o, choose)
				local preview = o.preview_item(items[1])
				local text = table.concat(vim.api.nvim_buf_get_lines(preview.buf, preview.pos[1] - 1, -1, false), " ")
				assert(text:find("harbour office"), text)
				shows(o.format_item(items[1]), items[1].path, preview.pos[1])
				choose(items[1])
			end
		end,
		broken = function()
			_G.played.select()
			_G.MiniPick = {} -- of a version without start
		end,
	}
`

// TestSearchChatsNvimPickers finds a turn with each picker that is installed, and by vim.ui.select without one: the list
// shows its row, the preview is of its place, and the choice goes there.
func TestSearchChatsNvimPickers(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		w := newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText, oldChatName: oldChat})
		e := startNvimPlugin(w, version, "")
		e.open("README.md")
		e.lua(pickers, nil)
		for _, picker := range []string{"snacks", "fzf-lua", "telescope", "mini.pick", "select", "broken"} {
			e.ex("edit README.md")
			e.lua(fmt.Sprintf(`_G.shown = "nothing"; _G.played[%q]()`, picker), nil)
			e.ex("Assent searchChats harbour")
			eventually(t, picker, func() error {
				shown := e.luaText(`return _G.shown`)
				if !strings.Contains(shown, "harbour office") || !strings.HasSuffix(shown, fmt.Sprintf("|2026-11-01-shelves.chat.md|%d", oldChatLine+1)) {
					return fmt.Errorf("it shows %q", shown)
				}
				return nil
			})
			goesTo(e, oldChatName, oldChatLine)
		}
		if said := strings.Join(e.messages(), "\n"); strings.Count(said, "the picker") != 1 || !strings.Contains(said, "the picker mini.pick cannot be used") {
			t.Errorf("it says %q", said)
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

// TestSearchChatsVSCode does the same in the quick pick, and finds the pin in the tree, also after a restart.
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
	e.kill()
	e = startVSCode(w)
	e.open("README.md")
	e.do("palette", arguments{"text": "Focus on Chats View"}, nil)
	e.sees("Pinned")
	e.shot("pinned-after-restart")
}

// TestSearchChatsHelix finds the turn through the symbols of the workspace, by a word that is only in its text, pins the
// chat by the menu at its top, and finds it pinned after a restart.
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
	helixTopMenu(term, "Pin this chat")
	term.keys("Enter")
	term.wait("This chat is pinned")
	helixCommand(term, "quit-all")
	term = startHelix(w, oldChatName)
	term.wait("Where do we keep")
	helixTopMenu(term, "Unpin this chat")
	term.keep("pinned")
}

// helixTopMenu opens the menu at the top of a chat with answers, and goes down to the row about the pin.
func helixTopMenu(term *terminal, pin string) {
	term.w.t.Helper()
	helixEscape(term)
	term.text("gg")
	term.keys("Space")
	term.wait("Perform code action")
	term.text("a")
	term.wait("Show tools")
	for range 10 {
		term.keys("Down")
	}
	term.wait(pin)
}
