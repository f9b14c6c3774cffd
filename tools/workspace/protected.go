package workspace

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Names that configure a program which people run: whoever writes them can make it run something, or can loosen what
// is asked. All are folded (see fold).
var (
	protectedDirs = map[string]string{
		".assent": "Assent's own chats, grants and prompts", ".git": "git's own files, which can start programs",
		".hg": "Mercurial's own files", ".svn": "Subversion's own files", ".jj": "Jujutsu's own files",
		".vscode": "editor settings and tasks", ".idea": "editor settings and tasks", ".zed": "editor settings and tasks",
		".helix": "editor settings", ".fleet": "editor settings and tasks", ".devcontainer": "how a container is started",
		".husky": "git hooks", ".githooks": "git hooks", ".ssh": "keys and ssh settings", ".gnupg": "keys",
		".cursor": "an agent's settings", ".claude": "an agent's settings", ".codex": "an agent's settings",
		".gemini": "an agent's settings", ".amazonq": "an agent's settings", ".opencode": "an agent's settings",
		".continue": "an agent's settings", ".direnv": "what a shell runs", "git~1": "git's own files, which can start programs",
	}
	protectedFiles = map[string]string{
		".mcp.json": "tool servers that are started", "mcp.json": "tool servers that are started",
		".gitmodules": "addresses that git fetches", ".gitconfig": "git settings, which can start programs",
		".gitattributes": "git filters", ".envrc": "what a shell runs", ".env": "secrets and settings of programs",
		".bashrc": "what a shell runs", ".bash_profile": "what a shell runs", ".bash_login": "what a shell runs",
		".bash_logout": "what a shell runs", ".bash_aliases": "what a shell runs", ".profile": "what a shell runs",
		".zshrc": "what a shell runs", ".zshenv": "what a shell runs", ".zprofile": "what a shell runs",
		".zlogin": "what a shell runs", ".zlogout": "what a shell runs", ".kshrc": "what a shell runs",
		".cshrc": "what a shell runs", ".tcshrc": "what a shell runs", ".login": "what a shell runs",
		".inputrc": "what a shell runs", "config.fish": "what a shell runs", ".netrc": "passwords", ".pypirc": "passwords",
		".npmrc": "settings of npm, which can start programs", ".yarnrc": "settings of Yarn", ".yarnrc.yml": "settings of Yarn",
		".exrc": "what an editor runs", ".vimrc": "what an editor runs", ".nvimrc": "what an editor runs",
		".gvimrc": "what an editor runs", ".nvim.lua": "what an editor runs", ".lvimrc": "what an editor runs",
		".dir-locals.el": "what an editor runs", ".dir-locals-2.el": "what an editor runs",
		".pre-commit-config.yaml": "git hooks", "lefthook.yml": "git hooks", ".devcontainer.json": "how a container is started",
		".opencode.json": "an agent's settings",
	}
	protectedEnds = map[string]string{
		".chat.md": "a chat", ".code-workspace": "editor settings and tasks",
	}
)

// protected says in a sentence why a path needs a question of its own, by its words alone, so that a file that does
// not exist yet is covered; empty if it needs none.
func protected(rel string) string {
	var last string
	for part := range strings.SplitSeq(rel, "/") {
		if last = fold(part); last == "" {
			continue
		}
		if why, ok := protectedDirs[last]; ok {
			return sentence(rel, why)
		}
		if why, ok := protectedFiles[last]; ok {
			return sentence(rel, why)
		}
		for end, why := range protectedEnds {
			if strings.HasSuffix(last, end) {
				return sentence(rel, why)
			}
		}
	}
	return ""
}

func sentence(rel, why string) string {
	return fmt.Sprintf("%q is protected: it holds %s.", strings.TrimPrefix(rel, "/"), why)
}

// fold maps every spelling that some file system takes for the same name to one: case, Unicode forms, characters that
// are ignored, trailing dots and blanks. (Stream suffixes are refused before.)
func fold(part string) string {
	part = strings.Map(func(r rune) rune {
		if misleading(r) || r == 0x200C || r == 0x200D || r >= 0xFE00 && r <= 0xFE0F || r == 0x00AD {
			return -1
		}
		return r
	}, part)
	part = norm.NFKC.String(strings.ToLower(norm.NFKC.String(part)))
	return strings.TrimRight(part, ". ")
}
