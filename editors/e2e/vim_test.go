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

	"github.com/assent-ls/assent/agent/agenttest"
)

// startVim runs a Vim in a terminal with ALE and the configuration of its page, on the given files in windows of their
// own.
func startVim(w *world, files ...string) *terminal {
	w.t.Helper()
	return startVimWith(w, "", files...)
}

// startVimWith is startVim with lines of a vimrc that come after those of the page.
func startVimWith(w *world, lines string, files ...string) *terminal {
	w.t.Helper()
	tools := installed(w.t, "vim.sh")
	config := w.config("vim.md", "vim", "assent.vim")
	vimrc := filepath.Join(w.home(), "vimrc")
	must(w.t, os.WriteFile(vimrc, []byte("set nocompatible nomore rtp^="+tools["ALE"]+"\nfiletype plugin on\nsource "+config+"\n"+lines), 0o644))
	command := []string{tools["VIM_PROGRAM"], "-o", "-n", "-i", "NONE", "-u", vimrc}
	for _, name := range files {
		command = append(command, w.path(name))
	}
	return startTerminal(w, "vim", w.env, command...)
}

// vimMenu takes a row of the code actions of the cursor's line, by the number that Vim gives it. ALE asks about the
// text that it reported last: as long as the row is not there, the menu is left and opened again.
func vimMenu(term *terminal, title string) {
	term.w.t.Helper()
	vimMenuOf(term, ":ALECodeAction", title)
}

// vimMenuOf is vimMenu by other keys.
func vimMenuOf(term *terminal, typed, title string) {
	term.w.t.Helper()
	term.text(typed)
	term.keys("Enter")
	var row int
	eventually(term.w.t, "the menu", func() error {
		screen := term.screen()
		none := strings.Contains(screen, "No code actions received")
		if err := contains(screen, "empty cancels"); err != nil && !none {
			return err
		}
		for line := range strings.Lines(screen) {
			if n, err := fmt.Sscanf(line, "%d)", &row); n == 1 && err == nil && strings.Contains(line, ") "+title) {
				return nil
			}
		}
		term.keys("Enter")
		<-time.After(200 * time.Millisecond)
		term.text(typed)
		term.keys("Enter")
		return fmt.Errorf("no row %q in\n%s", title, screen)
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
	vimPending(term)
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

// ALE counts bytes where LSP counts UTF-16 units: nothing may move in lines with letters that take more than one byte.
func TestOtherLettersVim(t *testing.T) {
	_, address := play(t, editScript)
	asked := request + " Schöne Grüße!"
	w := newWorld(t, address, map[string]string{"README.md": "Größe »Helo, world.« Ende\n", "ask.chat.md": "## You\n\n" + asked + "\n"})
	term := startVim(w, "ask.chat.md", "README.md")
	term.wait(request[:20], "Helo, world.")
	vimMenu(term, "Send")
	vimPending(term)
	vimMenu(term, "Approve once: edit README.md")
	vimFollow(term, ":$", "All is well now.")
	vimBuffers(term, map[string]string{"README.md": "Größe »Hello, world.« Ende\n", "ask.chat.md": asked + "\n"})
}

// vimBuffers waits until the buffers of files hold texts. What is saved is the buffers: nothing was on disk before.
func vimBuffers(term *terminal, want map[string]string) {
	term.w.t.Helper()
	for file, part := range want {
		eventually(term.w.t, file, func() error {
			term.text(":wall")
			term.keys("Enter")
			<-time.After(200 * time.Millisecond) // the buffer may not have it yet
			return contains(term.w.read(file), part)
		})
	}
}

// vimAsk opens a chat with the request and the README in a Vim, and sends it.
func vimAsk(t *testing.T, script string) (*agenttest.Server, *terminal) {
	t.Helper()
	server, address := play(t, script)
	w := newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": "## You\n\n" + request + "\n"})
	term := startVim(w, "ask.chat.md", "README.md")
	term.wait(request[:20], "Helo, world.")
	vimMenu(term, "Send")
	return server, term
}

// vimPending goes to the line of the call that waits.
func vimPending(term *terminal) {
	term.w.t.Helper()
	vimFollow(term, ":ALEFirst", "tool edit_file", "Waits for your answer")
	vimLine(term, "tool edit_file") // the first ALEFirst may have come before there was anything to go to
}

// vimLine goes to the last line with a text.
func vimLine(term *terminal, text string) {
	term.w.t.Helper()
	term.text(":$?" + text)
	term.keys("Enter")
}

func TestPreviewVim(t *testing.T) {
	_, term := vimAsk(t, editScript)
	vimPending(term)
	vimMenu(term, "Show what would happen")
	term.wait("previews/")
	term.keep("shown")
	term.text(":ALEHover")
	term.keys("Enter")
	term.wait("+Hello, world.")
	term.keep("hover")
}

func TestAllowInThisChatVim(t *testing.T) {
	_, term := vimAsk(t, allowScript)
	vimPending(term)
	vimMenu(term, "Allow edit_file in this chat")
	vimFollow(term, ":$", "All is well now.")
	term.text("GoOnce more, in README.md.")
	term.keys("Escape")
	vimMenu(term, "Send")
	vimFollow(term, ":$", "Without a question.")
	vimBuffers(term, map[string]string{"README.md": "Hullo, world."})
}

func TestDenyVim(t *testing.T) {
	_, term := vimAsk(t, scriptedModel+editTurn+"turn\nsay: Then I leave it.\n")
	vimPending(term)
	vimMenu(term, "Deny")
	vimFollow(term, ":$", "Then I leave it.")
	vimBuffers(term, map[string]string{"README.md": "Helo, world.", "ask.chat.md": " denied"})
}

func TestDenyAndSayWhyVim(t *testing.T) {
	_, term := vimAsk(t, denyScript)
	vimPending(term)
	vimMenu(term, "Deny and say why")
	vimFollow(term, ":$", "```reason")
	vimLine(term, "```reason")
	term.text("o" + whyDenied)
	term.keys("Escape")
	vimMenu(term, "Deny and say why")
	vimFollow(term, ":$", "I see.")
	vimBuffers(term, map[string]string{"README.md": "Helo, world.", "ask.chat.md": " denied"})
}

func TestStopVim(t *testing.T) {
	server, term := vimAsk(t, streamScript(20, 20*time.Millisecond, "hang\n"))
	vimFollow(term, ":$", "[3]")
	vimMenu(term, "Stop")
	must(t, server.WaitGone(t.Context(), 1))
	vimBuffers(term, map[string]string{"ask.chat.md": "[0] [1] [2] [3]"})
}

func TestReviewVim(t *testing.T) {
	_, address := play(t, twoEdits)
	w := newWorld(t, address, map[string]string{"list.txt": listText, "ask.chat.md": "## You\n\n" + request + "\n"})
	term := startVim(w, "ask.chat.md", "list.txt")
	term.wait(request[:20], "seven")
	vimMenu(term, "Send")
	for _, call := range []string{"edit_file c2", "edit_file c3"} {
		vimFollow(term, ":ALEFirst", call, "Waits for your answer")
		vimLine(term, call)
		vimMenu(term, "Approve once")
	}
	vimFollow(term, ":$", "All is well now.")
	term.text(":wincmd j | /TWO/")
	term.keys("Enter")
	vimMenu(term, "Keep hunk")
	term.text(":/SIX/")
	term.keys("Enter")
	vimMenu(term, "Reject hunk")
	vimBuffers(term, map[string]string{"list.txt": strings.Replace(listText, "two", "TWO", 1)})
	term.text(":wincmd k | 1;/In README/")
	term.keys("Enter")
	vimMenu(term, "Undo turn: list.txt")
	vimBuffers(term, map[string]string{"list.txt": listText})
}

// A chat about chosen lines is begun in a file, which Vim cannot be asked to open: a message names it.
func TestAskAboutVim(t *testing.T) {
	_, address := play(t, scriptedModel)
	w := newWorld(t, address, plainFiles)
	term := startVim(w, "README.md")
	term.wait("Helo, world.")
	vimMenuOf(term, "3GV:ALECodeAction", "Ask Assent")
	term.wait(".assent/chats/")
	term.keep("asked")
	beganAbout(w)
}
