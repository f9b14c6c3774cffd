//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pendingTitles are the product's words on a pending edit, in order; the first is harmless.
var pendingTitles = []string{
	"Show what would happen",
	"Approve once: edit README.md",
	"Allow edit_file in this chat",
	"Always allow edit_file in this workspace",
	"Deny",
	"Deny and say why",
}

// begin opens the README with an unsaved change and a chat with the request, and sends it.
func begin(e *editor) {
	e.t.Helper()
	e.keepDocuments("README.md", "ask.chat.md")
	e.open("README.md")
	e.insert("README.md", 4, len("The last line."), " Unsaved.")
	ask(e)
}

// ask opens a chat with the request and sends it by the code action.
func ask(e *editor) {
	e.t.Helper()
	e.open("ask.chat.md")
	e.insert("ask.chat.md", 0, 0, "## You\n\n"+request+"\n")
	e.act("ask.chat.md", 2, "Send")
}

// pending waits for the call that changes the README and returns its line; the menu there must be complete and in
// order.
func pending(e *editor) int {
	e.t.Helper()
	found := e.waitPending("ask.chat.md")
	lines := strings.Split(e.text("ask.chat.md"), "\n")
	if !strings.HasPrefix(strings.TrimLeft(lines[found.Line], "`"), "tool edit_file ") {
		e.t.Errorf("the diagnostic stands on %q, not on the first line of the call", lines[found.Line])
	}
	titles := e.actions("ask.chat.md", found.Line)
	if diff := cmp.Diff(pendingTitles, titles[:min(len(pendingTitles), len(titles))]); diff != "" {
		e.t.Errorf("titles in the menu (-want +got):\n%s", diff)
	}
	return found.Line
}

// finished waits until the run is over: the last answer is there and below it one empty turn of the user.
func finished(e *editor, answer string) {
	e.t.Helper()
	eventually(e.t, "the end of the run", func() error {
		text := e.text("ask.chat.md")
		if err := contains(text, answer); err != nil {
			return err
		}
		if !strings.HasSuffix(strings.TrimRight(text, "\n"), "\n## You") {
			return contains(text[strings.LastIndex(text, answer):], "\n## You")
		}
		return nil
	})
}

// approveStory is the story up to the model's last answer, in any editor.
func approveStory(t *testing.T, e *editor) {
	begin(e)
	line := pending(e)
	var jumped int
	e.do("next_problem", e.file("ask.chat.md"), &jumped)
	if jumped != line {
		t.Errorf("the next problem is line %d, the call stands on %d", jumped, line)
	}
	if got := e.text("README.md"); !strings.Contains(got, "Helo, world.") {
		t.Errorf("the edit was made before it was approved:\n%s", got)
	}
	e.act("ask.chat.md", line, "Approve once: edit README.md")
	e.waitText("README.md", "Hello, world.")
	finished(e, "All is well now.")
	want := strings.Replace(strings.Replace(readmeText, "Helo", "Hello", 1), "line.", "line. Unsaved.", 1)
	if diff := cmp.Diff(want, e.text("README.md")); diff != "" {
		t.Errorf("README.md in the editor (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(readmeText, e.w.read("README.md")); diff != "" {
		t.Errorf("README.md on disk was touched while it had unsaved changes (-want +got):\n%s", diff)
	}
	chat := e.text("ask.chat.md")
	for _, part := range []string{"## Assistant", "I will look at the file.", "tool read_file ", "Now the edit.", "result ", " ok "} {
		if !strings.Contains(chat, part) {
			t.Errorf("the chat has no %q:\n%s", part, chat)
		}
	}
}

// story runs the whole of it in an editor that was started with the world's files.
func story(t *testing.T, start func(w *world) *editor) {
	_, address := play(t, editScript)
	w := newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": ""})
	e := start(w)
	approveStory(t, e)
	e.undo("README.md")
	if got := e.text("README.md"); !strings.Contains(got, "Helo, world.") {
		t.Errorf("undo in the buffer did not take the edit back:\n%s", got)
	}
}

// Promise 7. Invariant 9.
func TestStoryNvim(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		story(t, func(w *world) *editor { return startNvim(w, version) })
	})
}

func TestStoryEmacs(t *testing.T) { story(t, startEmacs) }

func TestStoryVSCode(t *testing.T) {
	story(t, func(w *world) *editor {
		e := startVSCode(w)
		t.Cleanup(func() { _ = e.try("shot", arguments{"name": "end"}, nil) })
		return e
	})
}

func TestStoryHelix(t *testing.T) {
	_, term := helixAsk(t, editScript)
	helixFollow(term, "tool edit_file")
	term.keep("pending")
	helixLine(term, "tool edit_file")
	helixMenu(term, "Approve once: edit README.md", 1)
	helixFollow(term, "All is well now.")
	term.keep("finished")
	helixCommand(term, "write")
	helixCommand(term, "open README.md")
	term.wait("Hello, world.")
	helixEscape(term)
	term.text("u")
	term.wait("Helo, world.")
}
