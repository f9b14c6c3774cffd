//go:build unix

package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools/diskfile/diskfiletest"
)

// Nothing that a workspace puts in the place of a file that Assent reads of its own accord holds up a run, or takes all
// memory: neither a pipe nor a device, a folder or an endless file.
// F02.
func TestOddFilesHoldUpNothing(t *testing.T) {
	names := []string{
		".assent/settings.json", ".assent/permissions.json", ".assent/tools/odd.json", ".assent/prompts/system.md", ".assent/commands/odd.md", ".assent/chats/odd.chat.md",
		theirServers, "AGENTS.md", "CLAUDE.md", ".gitignore", "sub/.gitignore", ".git/HEAD", ".git/index", ".git/packed-refs", ".git/info/exclude", "notes.md", "main.go",
		"picture.png", "other.chat.md",
	}
	folders := []string{".assent/tools", ".assent/commands", ".assent/chats", ".git/objects/pack"}
	for odd, make := range diskfiletest.Odd {
		for _, places := range [][]string{names, folders} {
			synctest.Test(t, func(t *testing.T) {
				files := map[string]string{chat: "## You\n\nSay why: notes.md, @main.go, @picture.png, @sub @diff @symbol:run\n", "sub/a.go": "package a\n"}
				l := newLab(t, "turn\njson {\"answer\":\"Because.\"}\n", lsptest.Options{}, files)
				defer l.Leave()
				for _, name := range places {
					l.must(diskfiletest.Replace(filepath.Join(l.Dir, name), make))
				}
				_, err := l.Execute("assent.trustFolder", map[string]any{"uri": "file://" + l.Dir})
				l.must(err)
				l.Open(chat)
				for _, mention := range []string{"@main", "@pict", "@di"} {
					l.Ask("textDocument/hover", chat, mention, nil)
					l.Ask("textDocument/completion", chat, mention, nil)
				}
				l.must(l.Editor.Call("workspace/symbol", map[string]any{"query": "odd"}, nil))
				l.must(l.Do(chat, "Say why", "Send"))
				l.WaitText(chat, "Because.")
				if text := l.Text(chat); strings.Contains(text, strings.Repeat("\x00", 100)) {
					t.Errorf("%s is shown: %.500q", odd, text)
				}
			})
		}
	}
}
