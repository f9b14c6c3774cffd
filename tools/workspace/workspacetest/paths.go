//go:build unix

// Package workspacetest has workspaces that are hostile, and the paths that no tool may follow in them.
package workspacetest

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Hostile makes a workspace with every kind of way out of it, and beside it a folder with a canary.
func Hostile(t *testing.T) (root, outside string) {
	t.Helper()
	root = filepath.Join(realPath(t, t.TempDir()), "ws")
	write(t, root, map[string]string{
		"README.md": "hello\n", "src/main.go": "package main\n", "src/deep/a.txt": "a\n", "empty/": "",
	})
	outside = filepath.Join(filepath.Dir(root), "ws-evil")
	write(t, outside, map[string]string{"secret.txt": "canary\n", "dir/x.txt": "canary\n"})
	for name, target := range map[string]string{
		"link-file": outside + "/secret.txt", "link-dir": outside, "link-rel": "../ws-evil/secret.txt",
		"link-rel-dir": "../ws-evil",
		"link-up":      "..", "src/link-up": "../..", "link-root": "/", "link-etc": "/etc",
		"link-proc": "/proc/self/root",
		"link-cwd":  "/proc/self/cwd",
		"link-null": "/dev/null", "link-loop": "link-loop", "loop-a": "loop-b", "loop-b": "loop-a",
		"link-chain": "link-chain2", "link-chain2": "link-rel",
		"link-dangling": "../nothing-there", "link-evil-name": root + "-evil/secret.txt",
		"link-dots": "src/../../ws-evil/secret.txt", "link-slash": outside +
			"/",
	} {
		link(t, target, filepath.Join(root, name))
	}
	if err := syscall.Mkfifo(filepath.Join(root, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	link(t, "fifo", filepath.Join(root, "link-fifo"))
	// A socket's path is short by rule, so it is made by its relative name.
	t.Chdir(root)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return root, outside
}

// RefusedPaths are paths that lead out of a workspace made by Hostile, or to nothing that a tool may use.
func RefusedPaths(root, outside string) []string {
	return []string{
		"..", "../", "../ws-evil/secret.txt", "./../ws-evil/secret.txt", "src/../../ws-evil/secret.txt", "src/../..",
		"a/b/../../../ws-evil",
		"....//../..", "src/deep/../../../ws-evil/secret.txt", "../ws/README.md", "//../ws-evil", "./..",
		".//..//ws-evil", "ws/../../ws-evil",
		"/", "//", "/etc/passwd", "//etc/passwd", "///etc/passwd", "/README.md", "/./etc/passwd", "/..",
		outside, outside + "/secret.txt", root + "-evil/secret.txt", root + "/../ws-evil/secret.txt", root + "/..",
		root +
			"/src/../../ws-evil", root + "../ws-evil",
		strings.ToUpper(
			root,
		) + "/README.md", "/proc/self/root", "/proc/self/root" + root +
			"/README.md", "/proc/self/cwd/README.md", "/proc/1/environ",
		"/dev/null", "/dev/stdin", "/dev/fd/0", "/dev/tcp/127.0.0.1/80",
		"link-file", "link-dir", "link-dir/", "link-dir/secret.txt", "link-dir/dir/x.txt", "link-dir/new.txt",
		"link-rel", "link-rel-dir/secret.txt", "link-rel-dir/../ws-evil/secret.txt",
		"link-up", "link-up/ws-evil/secret.txt", "src/link-up", "src/link-up/ws-evil/secret.txt", "link-root",
		"link-root/etc/passwd", "link-etc/passwd", "link-proc/etc/passwd",
		"link-cwd/README.md", "link-null", "link-loop", "link-loop/x", "loop-a", "loop-b/x", "link-chain",
		"link-chain2", "link-dangling", "link-dangling/x",
		"link-evil-name", "link-dots", "link-slash", "link-slash/secret.txt", "src/../link-file", "./link-file", root +
			"/link-file", "link-file/", "link-file/.",
		"fifo", "link-fifo", "socket",
		"README.md/", "README.md/.", "README.md/..", "README.md/../README.md", "README.md/x", "src/main.go/",
		"src/main.go/../main.go", "new.txt/", "new/./", "new/.",
		"\x00", "README.md\x00", "README.md\x00.txt", "src\x00/main.go", "README.md\n", "\nREADME.md", "README\r.md",
		"README.md\x1b[2K", "README.md\x7f",
		"READ\u202eME.md", "READ\u200bME.md", "README.md\ufeff", "READ\U000E0041ME.md", "\u2066README.md",
		"READ\u00ADME\u200e.md",
		"READ\u00ADME.md", ".g\u00adit/config", ".gi\u034ft/config", ".gi\u3164t/config", "README\u3164.md",
		"README.md\u2800", "READ\u034FME.md",
		"README\xff.md", "\xc0\xae\xc0\xae/ws-evil", `..\ws-evil\secret.txt`, `src\main.go`, `C:\Windows\system.ini`,
		"C:/Windows/system.ini", "c:README.md", `\\server\share\x`, "README.md::$DATA",
		"~", "~/.bashrc", "file:///etc/passwd", "file:/etc/passwd", "FILE:README.md", "http://localhost/x",
		"vscode://settings",
		strings.Repeat("a", 256), strings.Repeat("a/", 2500) + "a",
	}
}

// Guarded makes a workspace for ProtectedPaths.
func Guarded(t *testing.T) (root string) {
	t.Helper()
	root = filepath.Join(realPath(t, t.TempDir()), "ws")
	write(t, root, map[string]string{
		".git/config": "[core]\n", ".assent/prompts/system.md": "x\n", "notes.chat.md": "## You\n",
		"src/main.go": "x\n",
	})
	link(t, ".git", filepath.Join(root, "innocent"))
	link(t, "notes.chat.md", filepath.Join(root, "notes.md"))
	link(t, "src/main.go", filepath.Join(root, ".envrc"))
	link(t, ".vscode/settings.json", filepath.Join(root, "future.json"))
	return root
}

// ProtectedPaths are names of what is protected in a workspace made by Guarded, whether it exists or not.
func ProtectedPaths(root string) []string {
	return []string{
		// Every file that governs what runs, existing or not.
		"notes.chat.md", "a/b/c.chat.md", ".chat.md", ".assent", ".assent/", ".assent/prompts/system.md",
		".assent/chats/1.chat.md", ".assent/new",
		".git", ".git/config", ".git/hooks/pre-commit", ".git/HEAD", "sub/.git/config", "sub/.git", ".gitmodules",
		".gitattributes",
		".vscode/settings.json", ".vscode/tasks.json", ".vscode/launch.json", ".vscode", ".idea/workspace.xml",
		".mcp.json", "sub/.mcp.json", ".cursor/mcp.json",
		".envrc", ".bashrc", ".zshrc", ".profile", ".bash_profile", ".exrc", ".nvim.lua", ".husky/pre-commit",
		".devcontainer/devcontainer.json",
		"proj.code-workspace", ".ssh/authorized_keys", ".npmrc", ".pre-commit-config.yaml", ".dir-locals.el", ".env",
		// Variants that some file system takes for the same.
		".GIT/config", ".Git/Config", ".gIt/hooks/x", ".VSCODE/Settings.json", "NOTES.CHAT.MD", "notes.Chat.Md",
		".MCP.JSON", ".Assent/x",
		".git./config", ".git /config", ".git. . /config", ".mcp.json.", ".mcp.json ", "notes.chat.md.",
		".vscode../settings.json", "GIT~1/config",
		"./.git/config", ".//.git//config", "src/../.git/config", "src/./../.git/hooks/x", "ws/.git/config", root +
			"/.git/config",
		".g\u200cit/config", ".gi\u200dt/config", ".\uff47it/config", ".vſcode/settings.json", ".hus\u212ay/x",
		".mcp.j\u017fon",
		"notes.chat.m\uff44", ".as\u017fent/x", ".git\ufe0f/config", ".\U0001d406it/config",
		".\U0001d406\uff29\uff34/config",
		// By a link: the name or what it leads to.
		"innocent/config", "innocent", "notes.md", ".envrc", "future.json",
	}
}

// GuardedPaths are names of what is guarded in a workspace with a file AGENTS.md, a link innocent.txt to it, a link
// CLAUDE.md to notes.txt, and a link folder to the folder sub, whether it exists or not.
func GuardedPaths(root string) []string {
	return []string{
		"AGENTS.md", "sub/AGENTS.md", "a/b/c/AGENTS.md", "CLAUDE.md", "sub/CLAUDE.md", "agents.md", "Agents.Md",
		"AGENTS.MD", "claude.MD", "sub/agents.MD",
		"./AGENTS.md", "sub/../AGENTS.md", ".//sub//..//CLAUDE.md", "AGENTS.md.", "AGENTS.md ", "AGENTS.md. .",
		"AGENTS.md:stream", root +
			"/AGENTS.md", root +
			"/new/claude.md",
		"AGENTS.m\uff44", "\uff21GENTS.md", "AGENT\u017f.md", "AGENTS.m\U0001d41d", "AGENTS\ufe0f.md",
		"AG\u200cENTS.md", "A\u200dGENTS.md", "CL\U0001d400UDE.md",
		"innocent.txt", "folder/AGENTS.md", "folder/../AGENTS.md", "new folder/AGENTS.md",
	}
}

// write makes files, and folders where a name ends with "/".
func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(path, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.Symlink(target, name))
}

func realPath(t *testing.T, name string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(name)
	must(t, err)
	return real
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
