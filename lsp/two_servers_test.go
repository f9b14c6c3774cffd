package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools/userstate"
)

// TestTwoEditorsOnOneWorkspace has two editors with a server each open the same chat. What one of them writes the other
// refuses to write, and says who does; another chat waits until the model is free, says for what, and can be stopped
// until then.
func TestTwoEditorsOnOneWorkspace(t *testing.T) {
	dir, states := t.TempDir(), t.TempDir()
	for _, name := range []string{"ask.chat.md", "other.chat.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("## You\n\nWhy?\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		model, transport := agenttest.StartInMemory(t, "turn\njson {\"answer\":\"Because.\nhold\njson \"}\nturn\njson {\"answer\":\"At last.\"}\n")
		start := func(name string) *lsptest.Env {
			state, err := userstate.OpenState(states)
			if err != nil {
				t.Fatal(err)
			}
			queued := func(o *lsp.Options) {
				newAgent := o.Agent
				o.Agent = func(s settings.Settings) (*agent.Agent, error) {
					a, err := newAgent(s)
					if err == nil {
						a.UseQueue(session.Queue(state, "the server", 1, func(err error) { t.Error(err) }))
					}
					return a, err
				}
			}
			return lsptest.NewEnv(t, serveWith(t, state, t.TempDir(), transport, queued), dir, lsptest.Options{Name: name, Assent: takesAll})
		}
		first, second := start("Neovim"), start("Helix")
		for _, env := range []*lsptest.Env{first, second} {
			env.Open("ask.chat.md")
			env.Open("other.chat.md")
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(first.Do("ask.chat.md", "Why?", "Send"))
		first.WaitText("ask.chat.md", "Because.")

		err := second.Do("ask.chat.md", "Why?", "Send")
		if err == nil || !strings.Contains(err.Error(), "this chat is being written by Neovim (process ") || !strings.Contains(err.Error(), "close it there first") {
			t.Errorf("a chat that is being written: %v", err)
		}

		waits := func() bool {
			for _, p := range second.Progress() {
				if !p.Ended && strings.Contains(p.Last, "Neovim's reply in ask.chat.md comes first") { // the process is this one
					return true
				}
			}
			return false
		}
		must(second.Do("other.chat.md", "Why?", "Send"))
		second.WaitFor("the progress says who comes first", waits)
		second.WaitFor("the state says it, too", func() bool {
			all := second.Editor.Own(ext.StateMethod)
			return len(all) > 0 && strings.Contains(string(all[len(all)-1]), "Neovim's reply in ask.chat.md comes first")
		})
		must(second.Do("other.chat.md", "Why?", "Stop"))
		second.WaitIdle()
		must(second.Do("other.chat.md", "Why?", "Retry"))
		second.WaitFor("the progress says it again", waits)
		if n := len(model.Chats()); n != 1 {
			t.Errorf("the model got %d requests at a time", n)
		}
		model.Release()
		second.WaitText("other.chat.md", "At last.")
		first.WaitIdle()
		second.WaitIdle()
		first.Leave()
		second.Leave()
	})
}
