//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// startNvimPlugin runs a Neovim without a screen that has the plugin, and config (Lua) as its user's configuration.
func startNvimPlugin(w *world, version, config string) *editor {
	w.t.Helper()
	file := filepath.Join(w.home(), "config", "init.lua")
	must(w.t, os.WriteFile(file, []byte(config), 0o600))
	return startNvimWith(w, version, file, "--cmd", "set runtimepath^="+nvimPlugin(w.t))
}

// nvimPlugin is the folder of the plugin.
func nvimPlugin(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../nvim")
	must(t, err)
	return dir
}

// lua runs a chunk in Neovim and decodes what it returns.
func (e *editor) lua(chunk string, result any) {
	e.t.Helper()
	e.do("lua", arguments{"text": chunk}, result)
}

// luaText runs a chunk that returns a text.
func (e *editor) luaText(chunk string) (text string) {
	e.t.Helper()
	e.lua(chunk, &text)
	return text
}

// nvimScreen is what a person sees, without blanks at the ends of lines and without the line of messages.
func (e *editor) nvimScreen() string {
	e.t.Helper()
	return e.luaText(`
		vim.cmd("redraw!")
		local rows = {}
		for row = 1, vim.o.lines - 1 do
			local cells = {}
			for col = 1, vim.o.columns do cells[col] = vim.fn.screenstring(row, col) end
			rows[row] = (table.concat(cells):gsub("%s+$", ""))
		end
		return table.concat(rows, "\n")`)
}

// took is how long a call took, which is never the same.
var took = regexp.MustCompile(`\bok \d[\d.]*m?s\b`)

// screenIs compares the screen with a file of testdata. UPDATE_SCREENS=1 writes it instead.
func screenIs(t *testing.T, name, got string) {
	t.Helper()
	got = took.ReplaceAllString(got, "ok TIME")
	file := filepath.Join("testdata", "nvim", name+".txt")
	if os.Getenv("UPDATE_SCREENS") != "" {
		must(t, os.WriteFile(file, []byte(got+"\n"), 0o600))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(strings.TrimSuffix(string(want), "\n"), got); diff != "" {
		t.Errorf("the screen is not that of %s (-want +got):\n%s", file, diff)
	}
}

// The plugin costs nothing before it is used: no module of it is loaded, and no key is taken.
func TestNvimPluginLoadsNothingAtStart(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		w := newWorld(t, "127.0.0.1:1", nil)
		program := installed(t, "nvim.sh")[nvimVersions[version]]
		out := filepath.Join(w.home(), "start")
		c := w.command(version, program, "--headless", "--clean", "-i", "NONE", "-n", "--cmd", "set runtimepath^="+nvimPlugin(t), "-c", `lua
			local found = {}
			for name in pairs(package.loaded) do
				if name:find("^assent") or name == "vim.lsp" then table.insert(found, name) end
			end
			for _, mode in ipairs({ "n", "x", "i", "o", "s", "c", "t" }) do
				for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
					local ours = (map.rhs or ""):find("Assent") or (map.desc or ""):find("Assent")
					if ours and not vim.startswith(map.lhs, "<Plug>(assent-") then table.insert(found, map.lhs) end
				end
			end
			table.insert(found, ":Assent " .. vim.fn.exists(":Assent"))
			vim.fn.writefile(found, "`+out+`")
			vim.cmd("qa!")`)
		must(t, c.Run())
		got, err := os.ReadFile(out)
		must(t, err)
		if string(got) != ":Assent 2\n" {
			t.Errorf("after the start there are:\n%s", got)
		}
	})
}

// The story of every editor, with the plugin in the place of the configuration.
func TestNvimPluginStory(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		story(t, func(w *world) *editor { return startNvimPlugin(w, version, "") })
	})
}

// Who has no file open begins a chat by the command, and it is a chat.
func TestNvimPluginBeginsWithAnEmptyEditor(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, scriptedModel+"turn\nsay: \"Good day.\"\n")
		e := startNvimPlugin(newWorld(t, address, nil), version, "")
		e.ex("Assent newChat")
		var at place
		eventually(t, "a new chat", func() error { at = e.where(); return contains(at.File, ".chat.md") })
		e.lua(`vim.api.nvim_buf_set_lines(0, 2, 3, false, { "Hello." })`, nil)
		e.ex("Assent send")
		e.waitScreen("Good day.")
	})
}

// A whole reply is one undo step, and what a person typed before it another one.
func TestNvimPluginUndoesAReplyAtOnce(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, editScript)
		e := startNvimPlugin(newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": ""}), version, "")
		begin(e)
		e.act("ask.chat.md", pending(e), "Deny")
		finished(e, "All is well now.")
		e.undo("ask.chat.md")
		if diff := cmp.Diff("## You\n\n"+request+"\n\n", e.text("ask.chat.md")); diff != "" {
			t.Errorf("after one undo (-want +got):\n%s", diff)
		}
		e.do("redo", e.file("ask.chat.md"), nil)
		if err := contains(e.text("ask.chat.md"), "All is well now."); err != nil {
			t.Error(err)
		}
	})
}

// What was sent along, calls and results are closed in a chat once they are complete; a call that waits is open.
func TestNvimPluginClosesBlocks(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, editScript)
		e := startNvimPlugin(newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": ""}), version, "")
		e.keepDocuments("ask.chat.md")
		ask(e)
		pending(e)
		e.lua(`vim.cmd("silent! only | normal! gg") vim.diagnostic.enable(false) vim.o.ruler = false vim.o.laststatus = 0`, nil)
		screenIs(t, "folded", e.nvimScreen())
		if method := e.luaText("return vim.go.foldmethod"); method != "manual" {
			t.Errorf("new windows fold by %s", method)
		}
	})
}

// A chat about chosen lines, with the keyboard in a terminal; what is sent along with it is closed.
func TestNvimPluginAsksAboutLines(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, scriptedModel+"turn\nexpect: Helo, world.\nsay: \"A greeting.\\n\\nWith a typo.\\n\"\n")
		w := newWorld(t, address, map[string]string{"README.md": readmeText})
		program := installed(t, "nvim.sh")[nvimVersions[version]]
		term := startTerminal(w, "nvim", w.env, program, "--clean", "-i", "NONE", "-n", "--cmd", "set runtimepath^="+nvimPlugin(t), w.path("README.md"))
		term.wait("Helo, world.")
		term.text(":3Assent ask")
		term.keys("Enter")
		term.wait("@README.md:3")
		term.text("GoWhat is this?")
		term.keys("Escape")
		term.text(":Assent send")
		term.keys("Enter")
		term.wait("With a typo.", "▸ context outline · 2 lines", "▸ context line 3 of README.md · 1 line")
		term.keep("asked")
	})
}

// :checkhealth tells what is there, and what is missing with what to do about it.
func TestNvimPluginHealth(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, scriptedModel)
		e := startNvimPlugin(newWorld(t, address, map[string]string{"README.md": readmeText}), version, "")
		e.open("README.md")
		const report = `vim.cmd("checkhealth assent") return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`
		text := e.luaText(report)
		for _, part := range []string{"OK Neovim 0.1", "OK " + assentProgram(t) + ": assent ", "OK In " + e.w.workspace + ", attached to 1 buffer", "OK llama3.1:8b"} {
			if err := contains(text, part); err != nil {
				t.Error(err)
			}
		}
		e.lua(`require("assent").setup({ cmd = { "no-such-program" } })`, nil)
		text = e.luaText(report)
		if err := contains(text, "ERROR There is no program no-such-program on PATH"); err != nil {
			t.Error(err)
		}
	})
}

// Without the program nothing is said about files, and of a chat it is said once.
func TestNvimPluginWithoutTheProgram(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		w := newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText, "ask.chat.md": "", "b.chat.md": ""})
		e := startNvimPlugin(w, version, `require("assent").setup({ cmd = { "no-such-program" } })`)
		e.ex("edit README.md")
		e.lua(`vim.wait(50)`, nil)
		if got := e.messages(); len(got) > 0 {
			t.Errorf("of a file it is said: %q", got)
		}
		e.ex("edit ask.chat.md | edit b.chat.md")
		said(e, "Assent: no program no-such-program: see :checkhealth assent")
		if got := e.messages(); len(got) > 1 {
			t.Errorf("it is said more than once: %q", got)
		}
	})
}

// What an option cannot be is one sentence that says what it can.
func TestNvimPluginOptions(t *testing.T) {
	e := startNvimPlugin(newWorld(t, "127.0.0.1:1", nil), "nvim-0.12", "")
	for given, want := range map[string]string{
		`{ folow = true }`:                     "Assent: there is no option folow; there are: autostart, cmd, folds, follow, hunks, notify, output, picker, root_markers, settings, undo_join",
		`{ cmd = "assent" }`:                   `Assent: the option cmd must be a table, not "assent"`,
		`{ hunks = { sign = true } }`:          "Assent: there is no option hunks.sign; there are: deleted, signs, text",
		`{ follow = "cursor", folds = false }`: "",
	} {
		got := e.luaText(`
			vim.o.columns = 400
			local said, over = "", false
			vim.notify = function(text) said = text end
			require("assent").setup(` + given + `)
			vim.schedule(function() over = true end)
			vim.wait(60000, function() return over end)
			return said`)
		if got != want {
			t.Errorf("%s: %s", given, got)
		}
	}
}

// A file is not saved after an edit where the setting says so.
func TestNvimPluginSavesNothingWhereToldSo(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, editScript)
		e := startNvimPlugin(newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": ""}), version,
			`require("assent").setup({ settings = { saveAfterEdit = false } })`)
		e.keepDocuments("README.md", "ask.chat.md")
		e.open("README.md")
		ask(e)
		e.act("ask.chat.md", pending(e), "Approve once")
		finished(e, "All is well now.")
		e.waitText("README.md", "Hello, world.")
		if e.w.read("README.md") != readmeText || !e.modified("README.md") {
			t.Error("the file was saved")
		}
	})
}

// Where Neovim has vim.lsp.config, what the user declared by it comes first.
func TestNvimPluginTakesWhatTheUserDeclared(t *testing.T) {
	e := startNvimPlugin(newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText}), "nvim-0.12",
		`vim.lsp.config("assent", { cmd = { "assent", "serve", "--max-steps", "7" } }) require("assent").setup({ settings = { maxSteps = 9 } })`)
	e.open("README.md")
	got := e.luaText(`local c = vim.lsp.get_clients({ name = "assent" })[1] return table.concat(c.config.cmd, " ") .. " and " .. c.settings.assent.maxSteps`)
	if got != "assent serve --max-steps 7 and 9" {
		t.Errorf("the server was started by %s", got)
	}
}

// A function that starts the server and callbacks are the user's own: the plugin does its part all the same.
func TestNvimPluginBesideTheUsersCallbacks(t *testing.T) {
	_, address := play(t, scriptedModel)
	e := startNvimPlugin(newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": "## You\n\n"}), "nvim-0.12", `
		local function note(name) return function() _G[name] = true end end
		vim.lsp.config("assent", {
			cmd = function(dispatchers) return vim.lsp.rpc.start({ "assent", "serve" }, dispatchers, { cwd = vim.fn.getcwd() }) end,
			on_attach = note("attached"), on_exit = note("ended"),
		})`)
	e.open("README.md")
	e.open("ask.chat.md")
	if got := e.luaText(`return tostring(attached) .. " " .. vim.wo.foldexpr`); got != "true v:lua.require'assent.folds'.expr()" {
		t.Errorf("attached: %s", got)
	}
	if err := contains(e.luaText(`vim.cmd("checkhealth assent") return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`),
		"A function of your configuration starts it."); err != nil {
		t.Error(err)
	}
	e.lua(`for _, c in ipairs(vim.lsp.get_clients()) do c:stop() end`, nil)
	eventually(t, "the end", func() error {
		return contains(e.luaText(`return tostring(ended) .. " " .. #require("assent.state").chats()`), "true 0")
	})
}

// Names of files may have what other functions of Vim take for a pattern.
func TestNvimPluginFindsBuffersByName(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		w := newWorld(t, "127.0.0.1:1", nil)
		e := startNvimPlugin(w, version, "")
		for _, name := range []string{"a[1].md", "b{x,y}.md", "c*d.md", "e f'g.md", "h$HOME.md", "ü#%.md"} {
			var found bool
			e.lua(`local buf = vim.fn.bufadd([==[`+w.path(name)+`]==]) vim.fn.bufload(buf)
				return require("assent.buffers").of(vim.uri_from_bufnr(buf)) == buf`, &found)
			if !found {
				t.Errorf("%s is not found", name)
			}
		}
	})
}
