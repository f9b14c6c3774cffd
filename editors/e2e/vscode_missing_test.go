//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// helping are the extension's commands that need no server.
var helping = []string{"assent.vscode.start", "assent.vscode.chooseProgram", "assent.vscode.settings", "assent.vscode.firstSteps"}

// startWithoutProgram starts VS Code where no program assent is on PATH, and gives the folder on PATH into which one
// can be installed.
func startWithoutProgram(w *world) (e *editor, folder string) {
	w.t.Helper()
	folder = filepath.Join(w.home(), "bin")
	must(w.t, os.Mkdir(folder, 0o755))
	for i, pair := range w.env {
		if path, ok := strings.CutPrefix(pair, "PATH="+filepath.Dir(w.program)+":"); ok {
			w.env[i] = "PATH=" + folder + ":" + path
		}
	}
	// VS Code takes PATH from a login shell.
	must(w.t, os.WriteFile(filepath.Join(w.home(), ".profile"), fmt.Appendf(nil, "PATH=%s:$PATH\n", folder), 0o600))
	e = vscode{}.start(w)
	e.do("open", e.file("README.md"), nil)
	return e, folder
}

// TestMissingProgramVSCode runs each command of the extension where there is no program: each says what is missing and
// what to do.
func TestMissingProgramVSCode(t *testing.T) {
	const explanation = "Assent cannot start because there is no program assent on PATH: install it, or choose its file."
	w := newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText})
	e, _ := startWithoutProgram(w)
	e.sees(explanation)
	var contributed, registered []string
	e.do("contributed", nil, &contributed)
	e.do("registered", nil, &registered)
	for _, name := range contributed {
		if !slices.Contains(registered, name) {
			t.Errorf("%s is not registered", name)
			continue
		}
		if slices.Contains(helping, name) && name != "assent.vscode.start" {
			continue
		}
		e.do("run", arguments{"name": "notifications.clearAll"}, nil)
		eventually(t, "no notification is left", func() error {
			if messages := e.messages(); len(messages) > 0 {
				return errors.New(strings.Join(messages, "\n"))
			}
			return nil
		})
		e.do("run", arguments{"name": name}, nil)
		e.do("run", arguments{"name": "notifications.showList"}, nil) // of many in a second VS Code shows only the first
		eventually(t, name, func() error {
			if messages := e.messages(); !slices.Equal(messages, []string{explanation}) {
				return fmt.Errorf("the messages are %q", messages)
			}
			return nil
		})
	}
}

// TestProgramArrivesVSCode installs the program, and changes which one is meant, while VS Code runs: nothing needs a
// reload.
func TestProgramArrivesVSCode(t *testing.T) {
	_, address := play(t, editScript)
	w := newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": "## You\n\n" + request + "\n"})
	e, folder := startWithoutProgram(w)
	e.keepDocuments("README.md", "ask.chat.md")
	e.do("palette", arguments{"text": "Assent: New chat"}, nil)
	e.click("How to get it")
	e.sees("The extension needs the program assent")
	e.shot("how-to-get-it")
	e.completes()

	must(t, os.Symlink(w.program, filepath.Join(folder, "assent")))
	e.newChat()

	const missing = "/nowhere/assent"
	e.do("setting", arguments{"name": "assent.path", "value": missing}, nil)
	e.sees(`Assent cannot start because assent.path is "` + missing + `", and no program is there: install it, or choose another file.`)
	other := filepath.Join(w.home(), "other")
	must(t, os.WriteFile(other, []byte("#!/bin/sh\necho other 1.0\n"), 0o755))
	e.do("setting", arguments{"name": "assent.path", "value": other}, nil)
	e.sees("Assent cannot start because " + other + " is not the program assent, or cannot run on this machine: choose another file.")
	started := filepath.Join(w.home(), "started")
	counted := filepath.Join(w.home(), "counted")
	must(t, os.WriteFile(counted, fmt.Appendf(nil, "#!/bin/sh\necho \"$1\" >>'%s'\nexec '%s' \"$@\"\n", started, w.program), 0o755))
	e.do("setting", arguments{"name": "assent.path", "value": counted}, nil)
	e.newChat()

	e.open("ask.chat.md")
	e.palette("Assent: Send")
	e.act("ask.chat.md", e.waitPending("ask.chat.md").Line, "Approve once: edit README.md")
	finished(e, "All is well now.")
	if runs, err := os.ReadFile(started); err != nil || string(runs) != "version\nserve\n" { // and not once for each message
		t.Errorf("the program was started as %q: %v", runs, err)
	}
	e.do("run", arguments{"name": "assent.vscode.firstSteps"}, nil)
	e.completes("program", "chat", "approve")
	e.shot("completed")
}

// newChat makes a chat by the palette.
func (e *editor) newChat() {
	e.t.Helper()
	before := e.tab()
	e.do("palette", arguments{"text": "Assent: New chat"}, nil)
	eventually(e.t, "a new chat is in front", func() error {
		if tab := e.tab(); tab == before || !strings.HasSuffix(tab, ".chat.md") {
			return errors.New(tab + " is in front")
		}
		return nil
	})
}

// completes waits until these steps of the walkthrough are checked off, besides the one about models, which only has to
// be read.
func (e *editor) completes(want ...string) {
	e.t.Helper()
	eventually(e.t, "the steps of the walkthrough", func() error {
		var steps []string
		e.do("completed", nil, &steps)
		steps = slices.DeleteFunc(steps, func(step string) bool { return step == "model" })
		if !slices.Equal(steps, want) {
			return fmt.Errorf("%v are checked off, want %v", steps, want)
		}
		return nil
	})
}
