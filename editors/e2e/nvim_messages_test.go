//go:build e2e

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sends are two ways to run a command of the server, as :Run NAME, beside what is configured.
const (
	sendsByPlugin = `vim.api.nvim_create_user_command("Run", "Assent <args>", { nargs = 1 })`
	sendsPlainly  = `
vim.api.nvim_create_user_command("Run", function(args)
	local here = { uri = vim.uri_from_bufnr(0), position = { line = vim.fn.line(".") - 1, character = 0 } }
	vim.lsp.buf_request(0, "workspace/executeCommand", { command = "assent." .. args.args, arguments = { here } })
end, { nargs = 1 })`
)

// No message takes a key at 80 columns, with the plugin or without: Neovim takes no text meanwhile, and swallows the
// key.
// F14.
func TestNvimMessagesTakeNoKey(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		for name, start := range map[string]func(w *world) []string{
			"plugin": func(w *world) []string {
				return []string{"--cmd", "set runtimepath^=" + nvimPlugin(t), "-u", w.lua(sendsByPlugin)}
			},
			"plain": func(w *world) []string {
				return []string{"-u", w.config("neovim.md", "lua", "assent.lua"), "-S", w.lua(sendsPlainly)}
			},
		} {
			t.Run(name, func(t *testing.T) {
				_, address := play(t, scriptedModel+"turn\nsay: \"Good day.\"\n")
				w := newWorld(t, address, map[string]string{
					"ask.chat.md": "## You\n\nHello.\n",
					".assent/mcp.json": `{"mcpServers": {
						"a-server-with-a-name-of-some-length": {"command": "no-such-program"},
						"another-server-with-a-long-name": {"command": "no-such-program"}}}`,
				})
				command := []string{installed(t, "nvim.sh")[nvimVersions[version]], "--clean", "-i", "NONE", "-n", "ask.chat.md"}
				term := startTerminal(w, "nvim", w.env, append(command, start(w)...)...)
				must(t, term.tmux("resize-window", "-x", "80", "-y", "24").Run())
				term.wait("Hello.")
				eventually(t, "the server", func() error {
					if w.served("initialized") == 0 {
						return errors.New("it did not start")
					}
					return nil
				})
				run := func(command, said string) {
					t.Helper()
					nvimCommand(term, "Run "+command)
					term.wait(said)
				}
				run("send", "Good day.") // and a warning of each server
				run("redoTurn", "no turn of this chat has changes")
				run("send", "is empty: write your")
				run("undoTurn", "no turn of this chat has changes")
				term.text("Gotyped")
				term.wait("typed")
				if screen := term.screen(); strings.Contains(screen, "Press ENTER") || !strings.Contains(screen, "INSERT") {
					t.Errorf("Neovim waits for a key:\n%s", screen)
				}
			})
		}
	})
}

// lua writes a file of Lua, outside of the workspace.
func (w *world) lua(text string) string {
	w.t.Helper()
	file := filepath.Join(w.home(), "config", "more.lua")
	must(w.t, os.WriteFile(file, []byte(text), 0o600))
	return file
}
