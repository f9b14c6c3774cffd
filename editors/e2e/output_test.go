//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"testing"
)

// slowCommand prints a line a second, so that its output is seen while it runs, however long an editor takes.
const slowCommand = scriptedModel + `
turn
	call run_command {"command": "for i in $(seq 300); do echo line $i of many; sleep 1; done"}
`

// startSlowCommand has a command run, and shows its output.
func startSlowCommand(e *editor) {
	e.t.Helper()
	e.open("ask.chat.md")
	e.act("ask.chat.md", 2, "Send")
	e.waitPending("ask.chat.md")
	e.act("ask.chat.md", e.lineOf("ask.chat.md", "tool run_command"), "Approve once")
	eventually(e.t, "output to be shown", func() error {
		var titles []string
		if err := e.try("actions", e.at("ask.chat.md", 2), &titles); err != nil {
			return err
		}
		if !slices.Contains(titles, "Show output") {
			return fmt.Errorf("the menu has %q", titles)
		}
		return nil
	})
	e.act("ask.chat.md", 2, "Show output")
}

const outputEnds = "[The call has ended: its result is in the chat.]"

// In Neovim the output is in a window of its own that follows the end, and the cursor stays in the chat.
func TestNvimPluginShowsOutput(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, slowCommand)
		e := startNvimPlugin(newWorld(t, address, map[string]string{"ask.chat.md": "## You\n\nRun it.\n"}), version, "")
		startSlowCommand(e)
		shown := func() string {
			return e.luaText(`local buf = vim.fn.bufnr("assent-output://ask.chat.md/c1")
				local win = vim.fn.bufwinid(buf)
				if buf < 0 or win < 0 then return "" end
				local at_end = vim.api.nvim_win_get_cursor(win)[1] == vim.api.nvim_buf_line_count(buf)
				local here = vim.fs.basename(vim.api.nvim_buf_get_name(0))
				return ("%s\nat end: %s, cursor in %s"):format(table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n"), at_end, here)`)
		}
		wait := func(part string) {
			t.Helper()
			eventually(t, part, func() error { return contains(shown(), part) })
		}
		wait("Output of run_command c1\n\nline 1 of many\n")
		wait("line 3 of many\n")
		e.act("ask.chat.md", 2, "Stop")
		wait("\n\n" + outputEnds + "\nat end: true, cursor in ask.chat.md")
	})
}

// In VS Code the output is in the panel.
func TestOutputVSCode(t *testing.T) {
	_, address := play(t, slowCommand)
	e := startVSCode(newWorld(t, address, map[string]string{"ask.chat.md": "## You\n\nRun it.\n"}))
	startSlowCommand(e)
	e.sees("Output of run_command c1")
	e.sees("line 3 of many")
	e.shot("output")
	e.act("ask.chat.md", 2, "Stop")
	e.sees(outputEnds)
}
