//go:build e2e

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// twoWrites is one reply with two calls of one tool.
const twoWrites = scriptedModel + `
turn
	call write_file {"path": "one.md", "content": "harmless\n"}
	call write_file {"path": "two.md", "content": "grave\n"}
turn
	say: "All is well now."
`

// shownPreviews tells every window's file in the folder of previews, and its text.
const shownPreviews = `
local seen = {}
for _, win in ipairs(vim.api.nvim_list_wins()) do
  local buf = vim.api.nvim_win_get_buf(win)
  if vim.api.nvim_buf_get_name(buf):find("/previews/", 1, true) then
    seen[vim.fs.basename(vim.api.nvim_buf_get_name(buf))] = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
  end
end
return next(seen) and seen or vim.empty_dict()`

// TestPreviewNvim keeps the preview of one call open in a window while that of another one is shown: each shows its own
// call, and after the answer the first, read again, says that its question is over.
// Promise 7.
func TestPreviewNvim(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, twoWrites)
		w := newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": ""})
		e := startNvim(w, version)
		ask(e)
		e.waitPending("ask.chat.md")
		eventually(t, "both calls wait", func() error {
			if got := len(e.diagnostics("ask.chat.md")); got < 2 {
				return fmt.Errorf("%d diagnostics", got)
			}
			return nil
		})
		seen := func() (previews map[string]string) {
			e.do("lua", arguments{"text": shownPreviews}, &previews)
			return previews
		}
		show := func(call, content string) {
			e.act("ask.chat.md", e.lineOf("ask.chat.md", "tool write_file "+call), "Show what would happen")
			eventually(t, "the preview of "+call, func() error {
				previews := seen()
				for name, text := range previews {
					if strings.HasPrefix(name, call+"-") && strings.Contains(text, content) {
						return nil
					}
				}
				return fmt.Errorf("shown are %q", previews)
			})
			e.do("lua", arguments{"text": "vim.cmd('split')"}, nil) // it stays open beside the chat
		}
		show("c1", "+harmless")
		show("c2", "+grave")
		previews := seen()
		if len(previews) != 2 {
			t.Fatalf("shown are %q", previews)
		}
		for name, text := range previews {
			call, other := "harmless", "grave"
			if strings.HasPrefix(name, "c2-") {
				call, other = other, call
			}
			if !strings.Contains(text, call) || strings.Contains(text, other) {
				t.Errorf("%s shows\n%s", name, text)
			}
		}
		e.act("ask.chat.md", e.lineOf("ask.chat.md", "tool write_file c1"), "Approve once: write one.md (new)")
		eventually(t, "the mark on the preview of the call that ran", func() error {
			e.do("lua", arguments{"text": "vim.o.autoread = true; vim.cmd('checktime')"}, nil)
			for name, text := range seen() {
				over := strings.HasPrefix(text, "This question is over")
				if over != strings.HasPrefix(name, "c1-") {
					return fmt.Errorf("%s is over: %v", filepath.Base(name), over)
				}
			}
			return nil
		})
	})
}

// TestPreviewEmacs shows what a call would do in a window beside the chat.
func TestPreviewEmacs(t *testing.T) {
	_, address := play(t, editScript)
	e := startEmacs(newWorld(t, address, plainFiles))
	begin(e)
	e.act("ask.chat.md", pending(e), "Show what would happen")
	eventually(t, "the preview", func() error {
		var windows map[string]string
		e.do("windows", nil, &windows)
		for name, text := range windows {
			if strings.Contains(name, "/previews/") {
				return contains(text, "+Hello, world.")
			}
		}
		return fmt.Errorf("the windows show %q", windows)
	})
}

// TestPreviewNvimPlugin answers a question in its chat while its preview is open: that says so. No file gets into its
// window, whose title is that of the preview.
func TestPreviewNvimPlugin(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, editScript)
		w := newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": ""})
		e := startNvimPlugin(w, version, "")
		ask(e)
		line := pending(e)
		e.ex("Assent pending")
		e.press("p")
		e.waitScreen("+Hello, world.")
		var still bool
		e.lua(`_G.shown = vim.api.nvim_get_current_buf()
			local ok = pcall(vim.cmd.edit, "README.md")
			return not ok and vim.api.nvim_get_current_buf() == shown`, &still)
		if !still {
			t.Error("a file is in the window of the preview")
		}
		if err := contains(e.nvimScreen(), "This question is over"); err == nil {
			t.Error("the question is called over while it waits")
		}
		e.act("ask.chat.md", line, "Deny")
		e.waitScreen("This question is over.")
		e.waitScreen("Over: ")
	})
}
