//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/editors/e2e/picture"
)

// pictureSetup makes Neovim look the same everywhere.
const pictureSetup = `
vim.o.termguicolors = true
vim.o.background = "%s"
vim.o.statusline = " %%f %%m %%= %%{v:lua.require'assent'.statusline()} "
vim.o.shortmess = vim.o.shortmess .. "I"
require("assent").setup({ notify = false })
`

// retake writes a picture into the folder that ASSENT_PICTURES names, over an older one: make pictures. The others are
// to be looked at in the output folder.
func retake(t testing.TB, name string, picture []byte) {
	t.Helper()
	dir := os.Getenv("ASSENT_PICTURES")
	if _, err := os.Stat(filepath.Join(dir, name)); dir == "" || err != nil {
		return
	}
	must(t, os.WriteFile(filepath.Join(dir, name), picture, 0o644)) //nolint:gosec // a page shows it
}

// picture keeps the screen as SVG in the output folder, and where a page shows it.
func (term *terminal) picture(name string, theme picture.Theme) {
	term.w.t.Helper()
	out, err := term.tmux("capture-pane", "-e", "-p").Output()
	must(term.w.t, err)
	svg := picture.SVG(string(out), term.columns, theme)
	term.w.keep(name+".svg", svg)
	retake(term.w.t, name+".svg", []byte(svg))
}

// TestPicturesOfTheTerminal holds a conversation in which a change is approved, on a screen of each usual width.
func TestPicturesOfTheTerminal(t *testing.T) {
	for _, columns := range []int{80, 120} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			_, address := play(t, editScript)
			w := newWorld(t, address, map[string]string{"README.md": readmeText})
			term := startTerminalOf(w, "run", columns, w.env, w.program, "run")
			term.wait("ends the conversation.", "\n>")
			term.text(request)
			term.keys("Enter")
			term.wait("deny and say why:")
			term.text("y")
			term.keys("Enter")
			term.wait("All is well now.")
			term.waitEnd("> ")
			name := fmt.Sprintf("terminal-%d-", columns)
			term.picture(name+"dark", picture.Theme{Foreground: "#d0d0d0", Background: "#1c1c1c"})
			term.picture(name+"light", picture.Theme{Foreground: "#1c1c1c", Background: "#ffffff"})
		})
	}
}

// waitEnd waits until the last line of the screen is a text.
func (term *terminal) waitEnd(text string) {
	term.w.t.Helper()
	eventually(term.w.t, "the end of the screen", func() error {
		lines := strings.Split(strings.TrimRight(term.screen(), "\n "), "\n")
		if last := lines[len(lines)-1]; strings.TrimSpace(last) != strings.TrimSpace(text) {
			return fmt.Errorf("it is %q", last)
		}
		return nil
	})
}

// TestPicturesOfTheToolsPage shows the page of Show tools in Neovim, in both colours, on a screen of each usual width.
func TestPicturesOfTheToolsPage(t *testing.T) {
	for background, theme := range nvimThemes {
		for _, columns := range []int{80, 120} {
			t.Run(fmt.Sprintf("%s-%d", background, columns), func(t *testing.T) {
				w := newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText})
				config := filepath.Join(w.home(), "config", "init.lua")
				must(t, os.WriteFile(config, []byte(fmt.Sprintf(pictureSetup+"vim.o.wrap = false\n", background)), 0o600))
				term := startTerminalOf(w, "nvim", columns, append(w.env, "TERM=tmux-256color", "COLORTERM=truecolor"),
					installed(t, "nvim.sh")[nvimVersions["nvim-0.12"]], "--clean", "-i", "NONE", "-n",
					"--cmd", "set runtimepath^="+nvimPlugin(t), "-u", config, "README.md")
				term.wait("Helo, world.")
				term.text(":Assent showTools\r")
				term.wait("calculator")
				term.text(":only | mode\r")
				term.coloured("calculator")
				eventually(t, "an empty last line", func() error {
					if strings.Contains(term.screen(), ":only") {
						return errors.New("the command is there")
					}
					return nil
				})
				term.picture(fmt.Sprintf("neovim-tools-%d-%s", columns, background), theme)
			})
		}
	}
}

// coloured waits until a row of the screen that has a text has colours, too.
func (term *terminal) coloured(text string) {
	term.w.t.Helper()
	eventually(term.w.t, "colours", func() error {
		out, err := term.tmux("capture-pane", "-e", "-p").Output()
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, text) && strings.Count(line, "\x1b[") > 2 {
				return nil
			}
		}
		return fmt.Errorf("there are none, %w", err)
	})
}

// nvimThemes are the colours of Neovim's own scheme.
var nvimThemes = map[string]picture.Theme{
	"dark": {Foreground: "#e0e2ea", Background: "#14161b"}, "light": {Foreground: "#14161b", Background: "#e0e2ea"},
}

// TestSettingsPageVSCode opens the settings of the extension in VS Code's own page, which has them in groups.
func TestSettingsPageVSCode(t *testing.T) {
	e := startVSCode(newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText}))
	e.open("README.md")
	e.do("run", arguments{"name": "workbench.action.openSettings", "arguments": []string{"@ext:assent-ls.assent"}}, nil)
	e.sees("Assent: Model")
	e.sees("Temperature")
	e.pictures("settings")
}

// TestPicturesOfNeovim plays the story in a terminal as a person sees it, in both colours: what waits, its list, and
// what a turn changed.
func TestPicturesOfNeovim(t *testing.T) {
	for background, theme := range nvimThemes {
		t.Run(background, func(t *testing.T) {
			_, address := play(t, editScript)
			w := newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": "## You\n\n" + request + "\n"})
			config := filepath.Join(w.home(), "config", "init.lua")
			must(t, os.WriteFile(config, []byte(fmt.Sprintf(pictureSetup, background)), 0o600))
			program := installed(t, "nvim.sh")[nvimVersions["nvim-0.12"]]
			term := startTerminal(w, "nvim", append(w.env, "TERM=tmux-256color", "COLORTERM=truecolor"), program,
				"--clean", "-i", "NONE", "-n", "--cmd", "set runtimepath^="+nvimPlugin(t), "-u", config, "README.md", "-c", "botright vsplit ask.chat.md")
			term.wait("## You")
			term.text(":Assent send\r")
			term.wait("tool edit_file", "waits for you")
			term.text(":Assent pending\r")
			term.wait("what waits for you")
			term.picture("neovim-pending-"+background, theme)
			term.text("a")
			term.wait("All is well now.", "Hello, world.")
			term.picture("neovim-changed-"+background, theme)
		})
	}
}

// TestPicturesOfHelix shows the menu of a call that waits, in a light and a dark theme of Helix.
func TestPicturesOfHelix(t *testing.T) {
	for background, look := range map[string]struct {
		scheme string
		theme  picture.Theme
	}{"dark": {"onedark", picture.Theme{Foreground: "#abb2bf", Background: "#282c34"}}, "light": {"onelight", picture.Theme{Foreground: "#383a42", Background: "#fafafa"}}} {
		t.Run(background, func(t *testing.T) {
			_, address := play(t, editScript)
			w := newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": "## You\n\n" + request + "\n"})
			w.write("../config/helix/config.toml", "theme = \""+look.scheme+"\"\n[editor]\ntrue-color = true\n")
			term := startHelix(w, "ask.chat.md")
			term.wait(request[:20])
			helixLine(term, "In README")
			helixMenu(term, "Send", 0)
			helixFollow(term, "tool edit_file")
			helixLine(term, "tool edit_file")
			term.keys("Space")
			term.wait("Perform code action")
			term.text("a")
			term.wait("Approve once: edit README.md")
			term.picture("helix-pending-"+background, look.theme)
			helixEscape(term)
		})
	}
}

// TestPicturesOfEmacs shows the answers to a call that waits in the minibuffer, in a dark and a light theme of Emacs.
func TestPicturesOfEmacs(t *testing.T) {
	for background, look := range map[string]struct {
		scheme string
		theme  picture.Theme
	}{"dark": {"modus-vivendi", picture.Theme{Foreground: "#ffffff", Background: "#2e3436"}}, "light": {"modus-operandi", picture.Theme{Foreground: "#000000", Background: "#ffffff"}}} {
		t.Run(background, func(t *testing.T) {
			_, address := play(t, editScript)
			w := newWorld(t, address, map[string]string{".assent/.gitignore": "*\n", "README.md": readmeText, "ask.chat.md": "## You\n\n" + request + "\n"})
			term := startTerminal(w, "emacs", append(w.env, "COLORTERM=truecolor"), installed(t, "emacs.sh")["EMACS"], "-nw", "-Q",
				"-l", w.config("emacs.md", "elisp", "assent.el"), "--eval", "(progn (load-theme '"+look.scheme+" t) (menu-bar-mode -1) "+
					"(setq eglot-ignored-server-capabilities '(:inlayHintProvider)))", "ask.chat.md") // when hints come is chance
			term.wait("Connected!", request[:20])
			emacsMenu(term, "default Send")
			term.keys("Enter")
			emacsFollow(term, "! ```tool edit_file")
			term.keys("C-r")
			term.text("tool edit_file")
			term.keys("Enter", "C-l")
			emacsMenu(term, "default Show what would happen")
			term.keys("Tab")
			term.wait("Approve once: edit README.md")
			term.picture("emacs-pending-"+background, look.theme)
		})
	}
}

// emacsMenu opens the code actions of the cursor's line, of which Emacs proposes the first.
func emacsMenu(term *terminal, proposed string) {
	term.w.t.Helper()
	term.keys("M-x")
	term.wait("\nM-x") // the prompt
	term.text("eglot-code-actions")
	term.keys("Enter")
	term.wait(proposed)
}

// emacsFollow goes to the end of the document until it shows a text: Emacs does not follow what grows below its window.
func emacsFollow(term *terminal, text string) {
	term.w.t.Helper()
	eventually(term.w.t, "the end of the document", func() error {
		term.keys("M->")
		<-time.After(100 * time.Millisecond)
		return contains(term.screen(), text)
	})
}

// TestPicturesOfVim shows the menu of a call that waits, in the dark and the light colours of a scheme of Vim.
func TestPicturesOfVim(t *testing.T) {
	for background, theme := range map[string]picture.Theme{"dark": {Foreground: "#c6c6c6", Background: "#000000"}, "light": {Foreground: "#000000", Background: "#ffffff"}} {
		t.Run(background, func(t *testing.T) {
			_, address := play(t, editScript)
			w := newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": "## You\n\n" + request + "\n"})
			term := startVimWith(w, "syntax on\nset termguicolors background="+background+"\ncolorscheme lunaperche\n", "ask.chat.md")
			term.wait(request[:20])
			vimMenu(term, "Send")
			vimPending(term)
			term.text("Gzb")
			vimLine(term, "tool edit_file")
			term.text(":ALECodeAction")
			term.keys("Enter")
			term.wait("Approve once: edit README.md", "empty cancels")
			term.picture("vim-pending-"+background, theme)
		})
	}
}
