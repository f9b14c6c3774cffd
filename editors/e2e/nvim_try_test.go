//go:build e2e

package e2e

import (
	"strings"
	"testing"
)

// A command is tried on a copy in Neovim: it is offered, its changes are seen and chosen by hunk, kept, undone and done
// again.
func TestNvimPluginTriesACommand(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, scriptedModel+`
turn
	call run_command {"command": "sed -i 's/^1$/one/; s/9/nine/' list.txt; echo new > new.txt; echo changed"}
turn
	expect-last: The user kept a part of these: list.txt (1 of 2 hunks).
	say: "All is well now."
`)
		const list = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
		e := startNvimPlugin(newWorld(t, address, map[string]string{"list.txt": list, "ask.chat.md": "## You\n\nChange the list.\n"}), version, "")
		e.open("ask.chat.md")
		e.act("ask.chat.md", 2, "Send")
		call := func(title string) {
			t.Helper()
			e.waitPending("ask.chat.md")
			line := 0
			eventually(t, title, func() error {
				line = e.lineOf("ask.chat.md", "tool run_command")
				return contains(strings.Join(e.actions("ask.chat.md", line), "\n"), title)
			})
			e.act("ask.chat.md", line, title)
		}
		e.waitText("ask.chat.md", "tool run_command")
		call("Try it on a copy: run sed")
		e.waitText("ask.chat.md", "+nine")
		if got := e.w.read("list.txt"); got != list {
			t.Errorf("before the answer the list is %q", got)
		}
		call("Choose what to keep")
		e.waitText("ask.chat.md", "1 list.txt line 1: discard")
		line := e.lineOf("ask.chat.md", "1 list.txt line 1: discard")
		e.lua(`vim.cmd([==[%s/^1 list.txt line 1: discard/1 list.txt line 1: keep/]==])`, nil)
		e.act("ask.chat.md", line, "Answer")
		e.waitText("ask.chat.md", "All is well now.")
		kept := strings.Replace(list, "1\n", "one\n", 1)
		for _, step := range []struct{ action, want string }{{"", kept}, {"Undo turn: list.txt", list}, {"Redo turn: list.txt", kept}} {
			if step.action != "" {
				e.act("ask.chat.md", e.lineOf("ask.chat.md", "Change the list."), step.action)
			}
			eventually(t, "the list after "+step.action, func() error {
				if got := e.w.read("list.txt"); got != step.want {
					return contains(got, step.want)
				}
				return nil
			})
		}
	})
}
