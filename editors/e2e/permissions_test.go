//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// keys types as a person does: <C-x><C-o> asks for completion.
func keys(e *editor, typed string) {
	e.t.Helper()
	e.do("lua", arguments{"text": "vim.api.nvim_input([[" + typed + "]])"}, nil)
}

// threeEdits are three chats in which the model edits the README: before, with and after a rule.
const threeEdits = editScript + `
turn
	call edit_file {"path": "README.md", "old_text": "Hello, world.", "new_text": "Hullo, world."}
turn
	say: "Done without a question."
turn
	call edit_file {"path": "README.md", "old_text": "Hullo, world.", "new_text": "Hallo, world."}
turn
	say: "Forbidden, then."
`

// permissionsStory always allows a tool; after a restart that is remembered; it is revoked in its file, and then there
// is a question again. A rule of the user's own then decides the call that waits.
func permissionsStory(t *testing.T, start func(w *world) *editor) *editor {
	t.Helper()
	_, address := play(t, threeEdits)
	w := newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": "", "second.chat.md": "", "third.chat.md": ""})
	e := start(w)
	begin(e)
	e.act("ask.chat.md", pending(e), "Always allow edit_file in this workspace")
	finished(e, "All is well now.")
	e.save("README.md")
	e.kill()

	e = start(w)
	again := func(name string) {
		e.open(name)
		e.insert(name, 0, 0, "## You\n\nIn README.md: once more.\n")
		e.act(name, 2, "Send")
	}
	e.open("README.md")
	again("second.chat.md")
	e.waitText("second.chat.md", "Done without a question.")
	e.waitText("README.md", "Hullo")

	must(t, e.command("assent.showPermissions", "second.chat.md", 0))
	const given = "../state/assent/permissions.json"
	eventually(t, "the list is shown", func() error { return e.try("text", e.file(given), nil) })
	e.act(given, e.lineOf(given, "edit_file"), "Revoke: allow edit_file")
	eventually(t, "the grant is gone", func() error {
		if text := w.read(given); strings.Contains(text, "edit_file") {
			return fmt.Errorf("it is still there:\n%s", text)
		}
		return nil
	})
	e.save("README.md")
	again("third.chat.md")
	e.waitPending("third.chat.md")
	if text := e.text("README.md"); !strings.Contains(text, "Hullo") {
		t.Errorf("it was edited without a question:\n%s", text)
	}
	w.write(ownRules, "{\n  \"deny\": [{\"tool\": \"edit_file\"}]\n}\n")
	e.open(ownRules)
	e.waitText("third.chat.md", "Forbidden, then.")
	return e
}

// ownRules is the user's permissions file.
const ownRules = "../config/assent/permissions.json"

// TestPermissionsNvim goes on to write in the user's file with the help of completion.
func TestPermissionsNvim(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := permissionsStory(t, func(w *world) *editor { return startNvim(w, version) })
		e.do("cursor", arguments{"file": e.w.path(ownRules), "line": 1, "character": 11}, nil)
		keys(e, `a"pa<C-x><C-o>`)
		e.waitText(ownRules, `{"paths": [],"tool": "edit_file"}`)
	})
}

func TestPermissionsVSCode(t *testing.T) {
	permissionsStory(t, startVSCode)
}
