//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// startVim runs a Vim in a terminal with ALE and the configuration of its page, on the given files in windows of their own.
func startVim(w *world, files ...string) *terminal {
	w.t.Helper()
	tools := installed(w.t, "vim.sh")
	config := w.config("vim.md", "vim", "assent.vim")
	vimrc := filepath.Join(w.home(), "vimrc")
	must(w.t, os.WriteFile(vimrc, []byte("set nocompatible nomore rtp^="+tools["ALE"]+"\nfiletype plugin on\nsource "+config+"\n"), 0o644))
	command := []string{tools["VIM_PROGRAM"], "-o", "-n", "-i", "NONE", "-u", vimrc}
	for _, name := range files {
		command = append(command, w.path(name))
	}
	return startTerminal(w, "vim", w.env, command...)
}

// vimMenu takes a row of the code actions of the cursor's line, by the number that Vim gives it.
func vimMenu(term *terminal, title string) {
	term.w.t.Helper()
	term.text(":ALECodeAction")
	term.keys("Enter")
	var row int
	eventually(term.w.t, "the menu", func() error {
		for line := range strings.Lines(term.screen()) {
			if n, err := fmt.Sscanf(line, "%d)", &row); n == 1 && err == nil && strings.Contains(line, ") "+title) {
				return contains(term.screen(), "empty cancels")
			}
		}
		return fmt.Errorf("no row %q", title)
	})
	term.text(fmt.Sprint(row))
	term.keys("Enter")
}

// vimFollow goes somewhere until a line of the screen shows all parts: Vim does not follow what grows below its window.
func vimFollow(term *terminal, command string, parts ...string) {
	term.w.t.Helper()
	eventually(term.w.t, command, func() error {
		term.text(command)
		term.keys("Enter")
		<-time.After(200 * time.Millisecond)
		for line := range strings.Lines(term.screen()) {
			if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) }) {
				return nil
			}
		}
		return fmt.Errorf("no line has %q", parts)
	})
}

// The story in Vim, whose plugin answers no edit and shows no progress.
func TestStoryVim(t *testing.T) {
	_, address := play(t, editScript)
	w := newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": "## You\n\n" + request + "\n"})
	term := startVim(w, "ask.chat.md", "README.md")
	term.wait(request[:20], "Helo, world.")
	vimMenu(term, "Send")
	vimFollow(term, ":ALEFirst", "tool edit_file", "Waits for your answer")
	term.keep("pending")
	vimMenu(term, "Approve once: edit README.md")
	vimFollow(term, ":$", "All is well now.")
	term.keep("finished")
	vimBuffers(term, map[string]string{"README.md": "Hello, world.", "ask.chat.md": "result c2 ok"})
	term.text(":buffer README.md")
	term.keys("Enter")
	term.text("u")
	vimBuffers(term, map[string]string{"README.md": "Helo, world."})
}

// vimBuffers waits until the buffers of files hold texts. What is saved is the buffers: nothing was on disk before.
func vimBuffers(term *terminal, want map[string]string) {
	term.w.t.Helper()
	term.text(":wall")
	term.keys("Enter")
	for file, part := range want {
		eventually(term.w.t, file, func() error { return contains(term.w.read(file), part) })
	}
}
