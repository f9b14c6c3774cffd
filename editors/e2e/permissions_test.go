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

// TestPermissionsNvim always allows a tool, writes a rule of its own with the help of completion, which then decides, and revokes what
// was always allowed in its file.
func TestPermissionsNvim(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, editScript)
		w := newWorld(t, address, plainFiles)
		e := startNvim(w, version)
		begin(e)
		e.act("ask.chat.md", pending(e), "Always allow edit_file in this workspace")
		e.waitText("README.md", "Hello")

		const mine = "../config/assent/permissions.json"
		w.write(mine, "{\n  \"deny\": [{\"tool\": \"edit_file\"}]\n}\n")
		e.open(mine)
		e.do("cursor", arguments{"file": w.path(mine), "line": 1, "character": 11}, nil)
		keys(e, `a"pa<C-x><C-o>`)
		e.waitText(mine, `{"paths": [],"tool": "edit_file"}`)
		keys(e, `<C-y><Esc>`)
		e.save(mine)

		must(t, e.command("assent.showPermissions", mine, 0))
		const given = "../state/assent/permissions.json"
		e.open(given)
		e.act(given, e.lineOf(given, "edit_file"), "Revoke: allow edit_file")
		eventually(t, "the grant is gone", func() error {
			if text := w.read(given); strings.Contains(text, "edit_file") {
				return fmt.Errorf("it is still there:\n%s", text)
			}
			return nil
		})
	})
}
