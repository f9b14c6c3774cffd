package diagnosis

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/diskfile"
)

const maxConfiguration = 1 << 20 // bytes that are read of a file of an editor

// Places are where a user's things are on this machine.
type Places struct {
	Home   string // empty: there is none
	Config string // the folder of configurations, such as ~/.config
	Data   string // the folder of what programs install, such as ~/.local/share
	Self   string // this program, links followed
}

// Here are the places of this user. It reads the environment alone.
func Here() Places {
	var p Places
	p.Home, _ = os.UserHomeDir()
	p.Config, _ = os.UserConfigDir()
	p.Data = os.Getenv("XDG_DATA_HOME")
	if p.Data == "" && p.Home != "" {
		p.Data = filepath.Join(p.Home, ".local", "share")
	}
	if self, err := os.Executable(); err == nil {
		p.Self = self
		if real, err := filepath.EvalSymlinks(self); err == nil {
			p.Self = real
		}
	}
	return p
}

// Editor is one that was found on this machine.
type Editor struct {
	Name   string
	Page   string // its page, below editors/
	Starts string // which program its configuration starts: "assent", or a path; empty: none, as far as can be seen
	File   string // where that is written
}

// editor is how one is found. Patterns are below Config (C/), Home (H/) or Data (D/).
type editor struct {
	name, page string
	programs   []string
	files      []string // that say which program is started
	plugins    []string // whose being there says that assent is started
}

// editors are all that have a page. Of Neovim's files those of usual layouts are looked at.
func editors() []editor {
	return []editor{
		{
			"Neovim", "neovim.md",
			[]string{"nvim"},
			[]string{"C/nvim/init.lua", "C/nvim/init.vim", "C/nvim/*/*.lua", "C/nvim/*/*/*.lua"},
			[]string{"D/nvim/site/pack/*/*/assent*"},
		},
		{
			"VS Code", "vscode.md",
			[]string{"code", "codium", "code-insiders"},
			[]string{"C/Code/User/settings.json"},
			[]string{"H/.vscode/extensions/*assent*", "H/.vscode-oss/extensions/*assent*"},
		},
		{"Helix", "helix.md", []string{"hx", "helix"}, []string{"C/helix/languages.toml"}, nil},
		{"Zed", "zed.md", []string{"zed", "zeditor"}, []string{"C/zed/settings.json"}, nil},
		{
			"Emacs", "emacs.md",
			[]string{"emacs"},
			[]string{"H/.emacs", "H/.emacs.el", "H/.emacs.d/init.el", "C/emacs/init.el"},
			nil,
		},
		{"Vim", "vim.md", []string{"vim"}, []string{"H/.vimrc", "H/.vim/vimrc", "C/vim/vimrc"}, nil},
		{
			"Sublime Text", "sublime.md",
			[]string{"subl"},
			[]string{"C/sublime-text/Packages/User/LSP.sublime-settings"},
			nil,
		},
		{"Kate", "kate.md", []string{"kate"}, []string{"C/kate/lspclient/settings.json"}, nil},
	}
}

// named is a program called assent in a configuration, by a path or alone.
var named = regexp.MustCompile(`["'\s=(\[]((?:(?:~|\$HOME)?(?:/[^"'\s/,;()]+)*/)?assent)(?:\.exe)?["'\s,)\]]`)

// Editors lists the editors that are on PATH, or whose configuration starts Assent.
func (p Places) Editors() (found []Editor) {
	for _, e := range editors() {
		now := Editor{Name: e.name, Page: e.page}
		for _, pattern := range e.files {
			for _, file := range p.match(pattern) {
				text, err := diskfile.ReadSmall(file, maxConfiguration)
				if m := named.FindSubmatch(text); err == nil && m != nil && now.Starts == "" {
					now.Starts, now.File = string(m[1]), file
				}
			}
		}
		for _, pattern := range e.plugins {
			if there := p.match(pattern); len(there) > 0 && now.Starts == "" {
				now.Starts, now.File = "assent", there[0]
			}
		}
		installed := slices.ContainsFunc(e.programs, func(program string) bool {
			_, err := exec.LookPath(program)
			return err == nil
		})
		if installed || now.Starts != "" {
			found = append(found, now)
		}
	}
	return found
}

// match lists the files that a pattern of an editor means.
func (p Places) match(pattern string) []string {
	folder := map[string]string{"C": p.Config, "H": p.Home, "D": p.Data}[pattern[:1]]
	if folder == "" {
		return nil
	}
	found, _ := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern[2:]))) // the patterns are good
	return found
}

// Wrong says what is wrong with the program that an editor starts; empty: it is this one.
func (p Places) Wrong(starts string) string {
	program := starts
	for _, home := range []string{"~", "$HOME"} {
		if rest, ok := strings.CutPrefix(starts, home+"/"); ok {
			program = filepath.Join(p.Home, rest)
		}
	}
	if !filepath.IsAbs(program) {
		onPath, err := exec.LookPath("assent")
		if err != nil {
			return "assent is not on PATH: put it there, or a link to it"
		}
		program = onPath
	}
	real, err := filepath.EvalSymlinks(program)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return program + " does not exist"
	case err == nil && p.Self != "" && real != p.Self:
		return program + " is another assent than this one"
	}
	return ""
}
