package workspace_test

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestProtected(t *testing.T) {
	root := tree(t, map[string]string{
		".git/config": "[core]\n", ".assent/prompts/system.md": "x\n", "notes.chat.md": "## You\n", "src/main.go": "x\n",
	})
	link(t, ".git", filepath.Join(root, "innocent"))
	link(t, "notes.chat.md", filepath.Join(root, "notes.md"))
	link(t, "src/main.go", filepath.Join(root, ".envrc"))
	link(t, ".vscode/settings.json", filepath.Join(root, "future.json"))
	w := open(t, root, nil)
	for _, name := range []string{
		// Every file that governs what runs, existing or not.
		"notes.chat.md", "a/b/c.chat.md", ".chat.md", ".assent", ".assent/", ".assent/prompts/system.md", ".assent/chats/1.chat.md", ".assent/new",
		".git", ".git/config", ".git/hooks/pre-commit", ".git/HEAD", "sub/.git/config", "sub/.git", ".gitmodules", ".gitattributes",
		".vscode/settings.json", ".vscode/tasks.json", ".vscode/launch.json", ".vscode", ".idea/workspace.xml", ".mcp.json", "sub/.mcp.json", ".cursor/mcp.json",
		".envrc", ".bashrc", ".zshrc", ".profile", ".bash_profile", ".exrc", ".nvim.lua", ".husky/pre-commit", ".devcontainer/devcontainer.json",
		"proj.code-workspace", ".ssh/authorized_keys", ".npmrc", ".pre-commit-config.yaml", ".dir-locals.el", ".env",
		// Variants that some file system takes for the same.
		".GIT/config", ".Git/Config", ".gIt/hooks/x", ".VSCODE/Settings.json", "NOTES.CHAT.MD", "notes.Chat.Md", ".MCP.JSON", ".Assent/x",
		".git./config", ".git /config", ".git. . /config", ".mcp.json.", ".mcp.json ", "notes.chat.md.", ".vscode../settings.json", "GIT~1/config",
		"./.git/config", ".//.git//config", "src/../.git/config", "src/./../.git/hooks/x", "ws/.git/config", root + "/.git/config",
		".g\u200cit/config", ".gi\u200dt/config", ".g\u00adit/config", ".\uff47it/config", ".vſcode/settings.json", ".hus\u212ay/x", ".mcp.j\u017fon",
		"notes.chat.m\uff44", ".as\u017fent/x", ".git\ufe0f/config", ".\U0001d406it/config", ".\U0001d406\uff29\uff34/config",
		// By a link: the name or what it leads to.
		"innocent/config", "innocent", "notes.md", ".envrc", "future.json",
	} {
		p := resolve(t, w, name)
		if p.Protected == "" {
			t.Errorf("%q is not protected", name)
		} else if !strings.HasSuffix(p.Protected, ".") {
			t.Errorf("%q: %q is no sentence", name, p.Protected)
		}
	}
	for _, name := range []string{
		"src/main.go", "README.md", "chat.md", "notes.chat.md.txt", ".github/workflows/ci.yml", ".gitignore", "git/config", "assent/x", "vscode/settings.json",
		"my.git/x", "src/.editorconfig", "profile", "mcp.json.md", ".", "e\u0301.txt",
	} {
		if p := resolve(t, w, name); p.Protected != "" {
			t.Errorf("%q is protected: %s", name, p.Protected)
		}
	}
}
