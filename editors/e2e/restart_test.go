//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// restartAsked is what a person reads who changed the setting.
const restartAsked = "what you changed counts only then: sandbox."

// TestRestartVSCode changes a setting that counts only after a restart: the button starts the server again, once.
func TestRestartVSCode(t *testing.T) {
	w := newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText})
	e := startVSCode(w)
	e.open("README.md")
	startedTimes(e, 1)
	changeSandbox(e)
	e.sees(restartAsked)
	e.pictures("restart")
	e.click("Restart Assent")
	startedTimes(e, 2)
	if messages := e.messages(); len(messages) > 0 {
		t.Errorf("after the restart it says %q", messages)
	}
}

// TestRestartNvim does the same by the command that the message names: the server serves the same files again.
func TestRestartNvim(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		w := newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText})
		e := startNvimPlugin(w, version, "")
		e.open("README.md")
		startedTimes(e, 1)
		changeSandbox(e)
		eventually(t, "the message", func() error {
			return contains(strings.Join(e.messages(), "\n"), "Assent: :Assent restart, so that what you changed counts: sandbox")
		})
		before := w.served("textDocument/didOpen")
		e.ex("Assent restart")
		startedTimes(e, 2)
		eventually(t, "the same files", func() error {
			if n := w.served("textDocument/didOpen") - before; n != 2 {
				return fmt.Errorf("%d were opened again", n)
			}
			return nil
		})
	})
}

// changeSandbox changes the user's settings file in the editor, and saves it.
func changeSandbox(e *editor) {
	e.t.Helper()
	const file = "../config/assent/settings.json"
	e.open(file)
	e.insert(file, 0, 1, `"sandbox": "off", `)
	e.save(file)
}

func startedTimes(e *editor, want int) {
	e.t.Helper()
	eventually(e.t, "the server", func() error {
		if n := e.w.served("initialized"); n != want {
			return fmt.Errorf("it started %d times, not %d", n, want)
		}
		return nil
	})
}
