//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/assent-ls/assent/docs/fence"
)

// Each block of a page in the language of an editor is read by that editor; TestBlocksOfPages in cmd/assent has the
// others. What installs the Neovim plugin does so.
func TestBlocksOfPages(t *testing.T) {
	blocks, err := fence.OfPages("../..")
	must(t, err)
	for _, b := range blocks {
		read := map[string]func(*testing.T, fence.Block){"lua": nvimReads, "elisp": emacsReads, "vim": vimReads}[b.Language]
		if b.Page == "editors/neovim.md" && b.Language == "sh" {
			read = nvimReads
		}
		if read != nil {
			t.Run(fmt.Sprintf("%s:%d", b.Page, b.Line), func(t *testing.T) { read(t, b) })
		}
	}
}

// nvimReads starts Neovim as somebody does who put the block into init.lua, or ran it in a shell. Where it says where
// the plugin is, the plugin is there afterwards, with its help; else it was before.
func nvimReads(t *testing.T, b fence.Block) {
	eachNvim(t, func(t *testing.T, version string) {
		if strings.Contains(b.Text, "vim.pack") && version == "nvim-0.10" {
			return // it has none, as the page says
		}
		w := newWorld(t, "127.0.0.1:1", nil)
		clone := cloneOf(w)
		text := strings.NewReplacer("/path/to/assent", clone, `"https://github.com/assent-ls/assent"`, strconv.Quote(clone)).Replace(b.Text)
		program := installed(t, "nvim.sh")[nvimVersions[version]]
		switch {
		case b.Language == "sh":
			c := w.command("sh", "bash", "-euc", text)
			c.Env = withoutDataHome(c.Env)
			must(t, c.Run())
			text = ""
		case strings.Contains(b.Text, `"assent-ls/assent"`):
			text = fmt.Sprintf(pluginManagers, clone) + strings.Replace(text, "{", "lazy {", 1)
		case text == b.Text:
			text = fmt.Sprintf("vim.opt.runtimepath:prepend(%q)\n%s", clone+"/editors/nvim", text)
		}
		w.write("../config/nvim/init.lua", text)
		out := filepath.Join(w.home(), "said")
		c := w.command("nvim", program, "--headless", "-i", "NONE", "-n",
			"-c", "let wrong = v:errmsg", "-c", "silent! help assent",
			"-c", "call writefile([wrong, expand('%:t'), exists(':Assent')], '"+out+"')", "-c", "qa!")
		c.Env = withoutDataHome(c.Env)
		must(t, c.Run())
		said, err := os.ReadFile(out)
		must(t, err)
		if string(said) != "\nassent.txt\n2\n" {
			t.Errorf("an error, the page of the help, and whether there is :Assent: %q", said)
		}
	})
}

// pluginManagers is what plugin managers that are no part of Neovim do with a repository that is named by its owner, from
// their sources: packer clones it to where Neovim finds a package at its start, mini.deps clones it and runs packadd at
// once, and lazy.nvim puts the clone on the runtimepath and runs all that is in plugin/. %q is the repository.
const pluginManagers = `
local function clone(package)
  local path = vim.fs.joinpath(vim.fn.stdpath("data"), "site", "pack", package, "assent")
  vim.fn.system({ "git", "clone", "-q", %q, path })
  assert(vim.v.shell_error == 0)
  return path
end
function use(name)
  clone("packer/start")
end
MiniDeps = { add = function(name)
  clone("deps/opt")
  vim.cmd.packadd("assent")
end }
function lazy(spec)
  local path = clone("lazy/opt")
  vim.opt.runtimepath:append(path)
  for _, file in ipairs(vim.fn.glob(path .. "/plugin/**/*.lua", true, true)) do
    vim.cmd("silent source " .. file)
  end
end
`

// withoutDataHome is an environment in which the user's data are where they are without another wish.
func withoutDataHome(env []string) (kept []string) {
	for _, pair := range env {
		if !strings.HasPrefix(pair, "XDG_DATA_HOME=") {
			kept = append(kept, pair)
		}
	}
	return kept
}

// cloneOf makes a repository with the plugin as it is now.
func cloneOf(w *world) string {
	w.t.Helper()
	clone := filepath.Join(w.home(), "clone")
	for _, folder := range []string{"editors/nvim", "lua", "plugin"} {
		must(w.t, os.CopyFS(filepath.Join(clone, folder), os.DirFS(filepath.Join("..", "..", folder))))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "All"}} {
		c := exec.Command("git", append([]string{"-C", clone}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			w.t.Fatalf("git %s: %v\n%s", args[0], err, out)
		}
	}
	return clone
}

// emacsReads has Emacs read each form: what a block needs may not be there.
func emacsReads(t *testing.T, b fence.Block) {
	w := newWorld(t, "127.0.0.1:1", map[string]string{"block.el": b.Text})
	must(t, w.command("emacs", installed(t, "emacs.sh")["EMACS"], "-Q", "--batch", "--eval", fmt.Sprintf(`(with-temp-buffer
		(insert-file-contents %q)
		(emacs-lisp-mode)
		(check-parens)
		(while (progn (forward-comment (point-max)) (not (eobp))) (read (current-buffer))))`, w.path("block.el"))).Run())
}

// vimReads has Vim run a block.
func vimReads(t *testing.T, b fence.Block) {
	w := newWorld(t, "127.0.0.1:1", map[string]string{"block.vim": b.Text})
	_ = w.command("vim", installed(t, "vim.sh")["VIM_PROGRAM"], "-N", "-u", "NONE", "-i", "NONE", "-n", "-es",
		"-c", "source block.vim", "-c", "call writefile([v:errmsg], 'said')", "-c", "qa!").Run() // a status of 1 after any message
	if said := w.read("said"); said != "\n" {
		t.Errorf("Vim says: %s", said)
	}
}
