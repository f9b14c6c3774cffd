//go:build e2e

package e2e

import (
	"strings"
	"testing"
)

// A command runs with the network in Neovim: it is offered, the files that it could send are said, and the next question
// names the host that it was refused.
func TestNvimPluginRunsWithTheNetwork(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, scriptedModel+`
turn
	call run_command {"command": "h=registry; curl -sf https://$h.example/"}
turn
	expect-last: did not let it reach the network
	say: "All is well now."
`)
		e := startNvimPlugin(newWorld(t, address, map[string]string{"list.txt": "1\n", "ask.chat.md": "## You\n\nGet it.\n"}), version, "")
		e.open("ask.chat.md")
		e.act("ask.chat.md", 2, "Send")
		for _, step := range []struct{ title, then string }{
			{"Run with the network: run h=registry", "It could send there what it can read"},
			{"Run without a host, and see which it wants", "You chose: Run without a host"},
			{"Run with the network: run h=registry", "- registry.example:443, which it wanted before"},
			{"Do not run it", "All is well now."},
		} {
			e.waitPending("ask.chat.md")
			line := 0
			eventually(t, step.title, func() error {
				line = e.lineOf("ask.chat.md", "tool run_command")
				actions := e.actions("ask.chat.md", line)
				if len(actions) > 0 && strings.HasPrefix(actions[0], step.title) {
					t.Errorf("%s is the first row", step.title)
				}
				return contains(strings.Join(actions, "\n"), step.title)
			})
			e.act("ask.chat.md", line, step.title)
			e.waitText("ask.chat.md", step.then)
		}
	})
}
