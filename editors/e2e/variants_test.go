//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// start plays a script to a Neovim with the story's files.
func startScripted(t *testing.T, version, script string, files map[string]string) *editor {
	t.Helper()
	_, address := play(t, script)
	return startNvim(newWorld(t, address, files), version)
}

var plainFiles = map[string]string{"README.md": readmeText}

// An edit of a file that is not open is made on disk, and can be taken back.
func TestFileNotOpen(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startScripted(t, version, editScript, plainFiles)
		e.keepDocuments("ask.chat.md")
		ask(e)
		line := pending(e)
		e.act("ask.chat.md", line, "Approve once")
		finished(e, "All is well now.")
		want := strings.Replace(readmeText, "Helo", "Hello", 1)
		if diff := cmp.Diff(want, e.w.read("README.md")); diff != "" {
			t.Errorf("README.md on disk (-want +got):\n%s", diff)
		}
		e.act("ask.chat.md", line, "Undo this edit")
		eventually(t, "undo", func() error { return contains(e.w.read("README.md"), "Helo, world.") })
		if diff := cmp.Diff(readmeText, e.w.read("README.md")); diff != "" {
			t.Errorf("README.md after Undo this edit (-want +got):\n%s", diff)
		}
	})
}

// Line ends of Windows stay what they are.
func TestDosLineEnds(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		dos := strings.ReplaceAll(readmeText, "\n", "\r\n")
		e := startScripted(t, version, editScript, map[string]string{"README.md": dos})
		approveStoryOnDisk(t, e, strings.Replace(dos, "Helo", "Hello", 1))
	})
}

func approveStoryOnDisk(t *testing.T, e *editor, want string) {
	t.Helper()
	e.keepDocuments("README.md", "ask.chat.md")
	e.open("README.md")
	ask(e)
	e.act("ask.chat.md", pending(e), "Approve once")
	finished(e, "All is well now.")
	e.save("README.md")
	if diff := cmp.Diff(want, e.w.read("README.md")); diff != "" {
		t.Errorf("README.md on disk (-want +got):\n%s", diff)
	}
}

// Undo this edit takes back that edit and nothing else.
func TestUndoThisEdit(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startScripted(t, version, editScript, plainFiles)
		begin(e)
		line := pending(e)
		e.act("ask.chat.md", line, "Approve once")
		finished(e, "All is well now.")
		e.insert("README.md", 0, len("# Demo"), " later")
		e.act("ask.chat.md", line, "Undo this edit")
		e.waitText("README.md", "Helo, world.")
		want := "# Demo later\n\nHelo, world.\n\nThe last line. Unsaved.\n"
		if diff := cmp.Diff(want, e.text("README.md")); diff != "" {
			t.Errorf("README.md in the editor (-want +got):\n%s", diff)
		}
	})
}

// eachNvimStart is eachNvim for a test that is the same in other editors.
func eachNvimStart(t *testing.T, test func(t *testing.T, start func(w *world) *editor)) {
	eachNvim(t, func(t *testing.T, version string) {
		test(t, func(w *world) *editor { return startNvim(w, version) })
	})
}

// eachDriven runs a test in every editor that is driven from within, but VS Code.
func eachDriven(t *testing.T, test func(t *testing.T, start func(w *world) *editor)) {
	eachNvimStart(t, test)
	t.Run("emacs", func(t *testing.T) { test(t, startEmacs) })
}

func TestDeny(t *testing.T) {
	eachDriven(t, func(t *testing.T, start func(w *world) *editor) {
		_, address := play(t, scriptedModel+editTurn+"turn\nsay: Then I leave it.\n")
		e := start(newWorld(t, address, plainFiles))
		begin(e)
		e.act("ask.chat.md", pending(e), "Deny")
		finished(e, "Then I leave it.")
		checkDenied(t, e)
	})
}

// A chat about chosen lines is begun in a file of the workspace.
func TestAskAbout(t *testing.T) {
	eachDriven(t, func(t *testing.T, start func(w *world) *editor) {
		_, address := play(t, scriptedModel)
		w := newWorld(t, address, plainFiles)
		e := start(w)
		e.open("README.md")
		e.act("README.md", 2, "Ask Assent")
		beganAbout(w)
	})
}

// whyDenied is a reason, and denyScript a model that is told it.
const (
	whyDenied  = "Helo is a name"
	denyScript = scriptedModel + editTurn + "turn\nexpect: " + whyDenied + "\nsay: I see.\n"
)

// The reason is what the user writes into the chat; the model is told.
func TestDenyAndSayWhy(t *testing.T) {
	eachDriven(t, func(t *testing.T, start func(w *world) *editor) {
		_, address := play(t, denyScript)
		e := start(newWorld(t, address, plainFiles))
		begin(e)
		line := pending(e)
		e.act("ask.chat.md", line, "Deny and say why") // makes the block for the reason
		e.waitText("ask.chat.md", "```reason ")
		e.insert("ask.chat.md", e.lineOf("ask.chat.md", "```reason ")+1, 0, whyDenied)
		e.act("ask.chat.md", e.waitPending("ask.chat.md").Line, "Deny and say why")
		finished(e, "I see.")
		checkDenied(t, e)
	})
}

// allowScript is a model that edits twice.
const allowScript = editScript + `
turn
	call edit_file {"path": "README.md", "old_text": "Hello, world.", "new_text": "Hullo, world."}
turn
	say: "Without a question."
`

// What is allowed in a chat is not asked about there again.
func TestAllowInThisChat(t *testing.T) {
	eachDriven(t, func(t *testing.T, start func(w *world) *editor) {
		_, address := play(t, allowScript)
		e := start(newWorld(t, address, plainFiles))
		begin(e)
		e.act("ask.chat.md", pending(e), "Allow edit_file in this chat")
		finished(e, "All is well now.")
		lines := strings.Count(strings.TrimRight(e.text("ask.chat.md"), "\n"), "\n")
		e.insert("ask.chat.md", lines, len("## You"), "\n\nOnce more, in README.md.\n")
		e.act("ask.chat.md", lines+2, "Send")
		finished(e, "Without a question.")
		e.waitText("README.md", "Hullo, world.")
	})
}

func checkDenied(t *testing.T, e *editor) {
	t.Helper()
	if got := e.text("README.md"); !strings.Contains(got, "Helo, world.") || e.w.read("README.md") != readmeText {
		t.Errorf("a denied edit was made:\n%s", got)
	}
	if chat := e.text("ask.chat.md"); !strings.Contains(chat, " denied") {
		t.Errorf("the chat has no denied result:\n%s", chat)
	}
}

// Stop ends the run for the user at once, and closes the request.
func TestStopWhileStreaming(t *testing.T) {
	for _, how := range []string{"command", "code action", "progress"} {
		t.Run(strings.ReplaceAll(how, " ", "-"), func(t *testing.T) {
			each := eachDriven
			if how == "progress" { // Emacs shows it, and has no key for it
				each = eachNvimStart
			}
			each(t, func(t *testing.T, start func(w *world) *editor) { stopWhileStreaming(t, start, how) })
		})
	}
}

func stopWhileStreaming(t *testing.T, start func(w *world) *editor, how string) {
	server, address := play(t, streamScript(20, 20*time.Millisecond, "hang\n"))
	e := start(newWorld(t, address, plainFiles))
	e.keepDocuments("ask.chat.md")
	ask(e)
	e.waitText("ask.chat.md", "[3]")
	switch how {
	case "command":
		must(t, e.command("assent.stop", "ask.chat.md", 0))
	case "code action":
		e.act("ask.chat.md", 0, "Stop")
	case "progress":
		e.do("cancel_progress", nil, nil)
	}
	// The model hangs and would hold the request for ever: only the stop can have closed it.
	eventually(t, "the request is closed", func() error {
		if chats := server.Chats(); !chats[0].Gone {
			return fmt.Errorf("the chat shows:\n%s", e.text("ask.chat.md"))
		}
		return nil
	})
	eventually(t, "the end", func() error {
		var progress []string
		e.do("progress", nil, &progress)
		if n := len(progress); n == 0 || !strings.HasPrefix(progress[n-1], "end:") {
			return fmt.Errorf("progress is %q", progress)
		}
		return contains(strings.Join(e.actions("ask.chat.md", e.lineOf("ask.chat.md", request)), "\n"), "Retry")
	})
	before := e.text("ask.chat.md")
	e.actions("ask.chat.md", 0) // whatever the server had sent by then is there
	if diff := cmp.Diff(before, e.text("ask.chat.md")); diff != "" {
		t.Errorf("the chat changed after the stop (-then +now):\n%s", diff)
	}
	if !strings.Contains(before, "[0] [1] [2] [3]") {
		t.Errorf("what was shown is gone:\n%s", before)
	}
}

// The editor dies while a call waits. Reopened, the chat shows it as not run; Resume asks afresh.
func TestKilledWhilePending(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, scriptedModel+editTurn+"turn\nsay: All is well now.\n")
		w := newWorld(t, address, plainFiles)
		e := startNvim(w, version)
		begin(e)
		pending(e)
		e.save("ask.chat.md")
		e.kill()

		e = startNvim(w, version)
		e.keepDocuments("README.md", "ask.chat.md")
		e.open("README.md")
		e.open("ask.chat.md")
		line := e.lineOf("ask.chat.md", "tool edit_file")
		titles := e.actions("ask.chat.md", line)
		if all := strings.Join(titles, "\n"); !strings.Contains(all, "Resume") || strings.Contains(all, "Approve") {
			t.Errorf("a call from the file must be revived first; the menu has %q", titles)
		}
		e.act("ask.chat.md", line, "Resume")
		e.act("ask.chat.md", pending(e), "Approve once")
		e.waitText("README.md", "Hello, world.")
		finished(e, "All is well now.")
	})
}

// The editor saves and quits while a call waits: opened again, the chat says that it was not run, and nothing is
// missing.
func TestQuitWhilePending(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, scriptedModel+editTurn)
		w := newWorld(t, address, plainFiles)
		e := startNvim(w, version)
		begin(e)
		pending(e)
		e.save("ask.chat.md")
		left := filepath.Join(w.home(), "left")
		e.do("lua", arguments{"text": fmt.Sprintf(
			`vim.api.nvim_create_autocmd("VimLeave", { callback = function() vim.fn.writefile({}, %q) end })`, left)}, nil)
		e.do("quit", nil, nil)
		eventually(t, "the editor leaves", func() error {
			_, err := os.Stat(left)
			return err
		})

		e = startNvim(w, version)
		e.keepDocuments("ask.chat.md")
		e.open("ask.chat.md")
		line := e.lineOf("ask.chat.md", "tool edit_file")
		want := []diagnostic{{Line: line, Severity: 3, Source: "assent", Message: "Not run: edit_file. The code action Resume asks about it again."}}
		eventually(t, "the chat says what was not run, and nothing else", func() error {
			if diff := cmp.Diff(want, e.diagnostics("ask.chat.md")); diff != "" {
				return errors.New(diff)
			}
			return nil
		})
	})
}

// New chat and Branch from here show what they made, with the cursor where one goes on writing: a line that the buffer
// has.
func TestNewDocumentsAreShown(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, scriptedModel)
		w := newWorld(t, address, map[string]string{"ask.chat.md": "## You\n\nOne?\n\n## Assistant\n\n1\n\n## You\n\nTwo?\n\n## Assistant\n\n2\n\n## You\n\n"})
		e := startNvim(w, version)
		shows := func(file string, line int) {
			t.Helper()
			eventually(t, "it is shown", func() error {
				if at := e.where(); !strings.HasSuffix(at.File, file) || at.Line != line {
					return fmt.Errorf("the cursor is at %v, want line %d of %s", at, line, file)
				}
				return nil
			})
		}
		e.open("ask.chat.md")
		e.act("ask.chat.md", 2, "Branch from here")
		shows("ask.branch-1.chat.md", 2)
		e.act("ask.chat.md", 10, "Branch from here")
		shows("ask.branch-2.chat.md", 10)
		e.do("command", arguments{"file": e.w.path("ask.chat.md"), "line": 2, "name": "assent.newChat"}, nil)
		shows("-1.chat.md", 2)
	})
}

// Retry answers a question again, and the old answer stays in a file beside the chat.
func TestRetry(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startScripted(t, version, scriptedModel+"turn\nsay: Better.\n", map[string]string{"ask.chat.md": "## You\n\nOne?\n\n## Assistant\n\nWorse.\n\n## You\n\n"})
		e.open("ask.chat.md")
		e.act("ask.chat.md", 2, "Retry")
		finished(e, "Better.")
		if text := e.text("ask.chat.md"); strings.Contains(text, "Worse.") || !strings.Contains(e.w.read("ask.before-retry-1.chat.md"), "Worse.") {
			t.Errorf("the old answer was not moved into a file beside:\n%s", text)
		}
	})
}

// The editor dies while a reply streams into a chat that was never saved: what was shown is offered back.
func TestKilledWhileStreaming(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, streamScript(20, 20*time.Millisecond, "hang\n"))
		w := newWorld(t, address, plainFiles)
		e := startNvim(w, version)
		e.open("ask.chat.md")
		e.insert("ask.chat.md", 0, 0, "## You\n\n"+request+"\n")
		e.save("ask.chat.md")
		e.act("ask.chat.md", 2, "Send")
		e.waitText("ask.chat.md", "[8]")
		e.kill()

		e = startNvim(w, version)
		e.keepDocuments("ask.chat.md")
		e.open("ask.chat.md")
		if text := e.text("ask.chat.md"); strings.Contains(text, "[0]") {
			t.Errorf("something was inserted by itself:\n%s", text)
		}
		e.act("ask.chat.md", 2, "Restore reply")
		e.waitText("ask.chat.md", "[0] [1] [2] [3] [4] [5] [6] [7] [8]")
	})
}

// Small models forget the last line end of a file, and Neovim keeps it whatever an edit says: what is then in the
// buffer is what was approved, and can be undone.
func TestWriteWithoutLastLineEnd(t *testing.T) {
	const script = scriptedModel + `
turn
	call read_file {"path": "README.md"}
turn
	call write_file {"path": "README.md", "content": "# Demo\n\nHello, world.\nThe last line. Unsaved."}
turn
	say: "All is well now."
`
	eachNvim(t, func(t *testing.T, version string) {
		e := startScripted(t, version, script, plainFiles)
		begin(e)
		line := e.waitPending("ask.chat.md").Line
		e.act("ask.chat.md", line, "Approve once")
		finished(e, "All is well now.")
		if diff := cmp.Diff("# Demo\n\nHello, world.\nThe last line. Unsaved.\n", e.text("README.md")); diff != "" {
			t.Errorf("README.md in the editor (-want +got):\n%s", diff)
		}
		if chat := e.text("ask.chat.md"); !strings.Contains(chat, "Replaced the content") {
			t.Errorf("the result does not tell what happened:\n%s", chat)
		}
		e.act("ask.chat.md", line, "Undo this edit")
		e.waitText("README.md", "Helo, world.\n\n")
	})
}
