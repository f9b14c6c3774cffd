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
	"time"
)

// surfacesScript changes a file at two places, is refused once with a reason, and streams at the end.
const surfacesScript = scriptedModel + `
turn
	call read_file {"path": "list.txt"}
turn
	say: "Two words should be in capitals."
	call edit_file {"path": "list.txt", "old_text": "two", "new_text": "TWO"}
turn
	hold
	call edit_file {"path": "list.txt", "old_text": "six", "new_text": "SIX"}
turn
	say: "Shall I change the last one, too?"
	call edit_file {"path": "list.txt", "old_text": "seven", "new_text": "SEVEN"}
turn
	expect-last: Seven is fine as it is.
	say: "I leave it."
`

// TestSurfacesVSCode goes through all that the extension shows, with mouse and keyboard, and takes pictures of it:
// vscode-*.png.
// Promise 7.
func TestSurfacesVSCode(t *testing.T) {
	script := surfacesScript + strings.TrimPrefix(streamScript(400, 20*time.Millisecond, "hang\n"), scriptedModel)
	server, address := play(t, script)
	long := "# Notes\n\n" + strings.Repeat("Something to read.\n\n", 30)
	e := startVSCode(newWorld(t, address, map[string]string{
		"list.txt": listText, "notes.md": long, "ask.chat.md": "## You\n\nSee @notes.md and put two and six in list.txt into capitals.\n",
	}))
	e.keepDocuments("list.txt", "ask.chat.md")
	e.open("list.txt")
	e.open("ask.chat.md")
	e.click("Send")
	e.waitPending("ask.chat.md")
	e.sees("1 waits")
	e.sees("Approve once: edit list.txt")
	e.do("cursor", e.at("ask.chat.md", 4), nil) // a chat is folded while its cursor is in sight
	eventually(t, "the attached files are folded", func() error {
		if view := e.view("ask.chat.md"); len(view.Ranges) < 4 {
			return fmt.Errorf("the window shows %v", view)
		}
		return nil
	})
	e.pictures("pending")

	// The preview of an edit is the editor's own diff, and there, too, it can be approved.
	e.click("Show what would happen")
	eventually(t, "a diff is in front", func() error { return contains(e.tab(), "list.txt") })
	e.pictures("preview")
	e.approveByKey("SIX", "TWO")
	e.open("notes.md") // in the place of the chat
	eventually(t, "the preview is gone", func() error {
		if strings.HasPrefix(e.tab(), "edit ") {
			return errors.New("it is in front")
		}
		return nil
	})

	// Elsewhere a notification tells of the next one, and takes no focus. A key that came too late was refused before.
	e.do("run", arguments{"name": "notifications.clearAll"}, nil)
	server.Release()
	e.sees("Assent waits for your answer: edit list.txt")
	e.pictures("notification")
	if at := e.where(); at.File != e.w.path("notes.md") {
		t.Errorf("the notification took the focus to %v", at)
	}
	e.do("clock", arguments{"ahead": time.Minute.Milliseconds()}, nil) // a person has read it
	e.click("Approve once: edit list.txt")
	listIs(e, strings.NewReplacer("two", "TWO", "six", "SIX").Replace(listText))

	// A click in the moment in which the next one appears approves nothing, and shows it.
	e.sees("Assent waits for your answer: edit list.txt")
	e.do("clock", arguments{"ahead": 0, "stopped": true}, nil) // however long this test takes, it is the same moment
	e.click("Approve once: edit list.txt")
	eventually(t, "the call is shown", func() error {
		if at := e.where(); at.File != e.w.path("ask.chat.md") {
			return fmt.Errorf("the cursor is in %v", at)
		}
		return nil
	})
	listIs(e, strings.NewReplacer("two", "TWO", "six", "SIX").Replace(listText))

	e.do("clock", arguments{"ahead": 0}, nil)

	// Deny with a reason, by keys.
	line := e.waitPending("ask.chat.md").Line
	e.do("cursor", e.at("ask.chat.md", line), nil)
	e.do("press", arguments{"file": e.w.path("ask.chat.md"), "keys": []string{"Control+k", "Control+n"}}, nil)
	e.sees("Deny: edit list.txt")
	e.do("write", arguments{"text": "Seven is fine as it is."}, nil)
	e.do("press", arguments{"keys": []string{"Enter"}}, nil)
	finished(e, "I leave it.")

	// Long blocks are folded, once.
	e.do("cursor", e.at("ask.chat.md", 0), nil)
	eventually(t, "the attached notes are folded", func() error {
		if view := e.view("ask.chat.md"); len(view.Ranges) < 2 && view.Last > 70 {
			return fmt.Errorf("all lines stand open: %v", view)
		}
		return nil
	})

	// The list of what waits for a decision.
	e.do("run", arguments{"name": "assent.changes.focus"}, nil)
	e.sees("Changes By Assent") // as the view writes all titles
	e.sees("6: SIX")
	e.do("run", arguments{"name": "assent.vscode.nextChange"}, nil)
	e.pictures("changes")
	e.do("click", arguments{"row": "2: TWO", "name": "Keep hunk"}, nil)
	hints(e, 5)
	e.do("click", arguments{"row": "6: SIX", "name": "Reject hunk"}, nil)
	kept := strings.Replace(listText, "two", "TWO", 1)
	listIs(e, kept)
	e.undo("list.txt")
	listIs(e, strings.NewReplacer("two", "TWO", "six", "SIX").Replace(listText))

	// A reply that streams is followed, and Stop ends it; the cursor stays.
	last := strings.Count(e.text("ask.chat.md"), "\n")
	e.insert("ask.chat.md", last, 0, "Go on.\n")
	e.do("cursor", e.at("ask.chat.md", last), nil)
	e.click("Send")
	e.waitText("ask.chat.md", "[310]")
	eventually(t, "the end of the reply is in view", func() error {
		if view := e.view("ask.chat.md"); view.bottom() < view.Last-3 {
			return fmt.Errorf("the window shows %v", view)
		}
		return nil
	})
	if view := e.view("ask.chat.md"); view.Cursor != last {
		t.Errorf("the cursor went from line %d to %d", last, view.Cursor)
	}
	e.pictures("streaming")
	e.click("Stop")
	eventually(t, "Stop", func() error { return contains(strings.Join(e.actions("ask.chat.md", last), "\n"), "Retry") })
	var milliseconds float64
	e.do("activation", nil, &milliseconds)
	t.Logf("the extension was ready after %.1f ms", milliseconds)
	e.do("run", arguments{"name": "assent.vscode.firstSteps"}, nil)
	e.sees("First steps with Assent")
	e.completes("program", "chat", "approve") // although the editor did not know the steps when they were done
	e.pictures("first-steps")
}

// approveByKey presses the keys of Approve until the call ran: what came into sight only just now is not approved.
func (e *editor) approveByKey(before, after string) {
	e.t.Helper()
	eventually(e.t, "the call is approved by key", func() error {
		if text := e.text("list.txt"); strings.Contains(text, before) {
			e.t.Fatalf("%s was approved by the same key", before)
		} else if strings.Contains(text, after) {
			return nil
		}
		e.do("press", arguments{"keys": []string{"Control+Alt+Enter"}}, nil)
		return errors.New("not yet")
	})
}

// click clicks a button by its name.
func (e *editor) click(name string) { e.t.Helper(); e.do("click", arguments{"name": name}, nil) }

// sees waits until the window shows a text.
func (e *editor) sees(text string) {
	e.t.Helper()
	eventually(e.t, "the window shows "+text, func() error {
		var found bool
		e.do("sees", arguments{"text": text}, &found)
		if !found {
			return errors.New("it does not")
		}
		return nil
	})
}

func (e *editor) tab() string {
	e.t.Helper()
	var label string
	e.do("tab", nil, &label)
	return label
}

// shownLines is how a window is: the ranges of lines that it shows, the cursor, and the last line of the document.
type shownLines struct {
	Ranges       [][2]int
	Cursor, Last int
}

func (v shownLines) bottom() int {
	return slices.MaxFunc(v.Ranges, func(a, b [2]int) int { return a[1] - b[1] })[1]
}

func (e *editor) view(name string) shownLines {
	e.t.Helper()
	var v shownLines
	e.do("view", e.file(name), &v)
	return v
}

// pictures takes a picture in a light and in a dark theme, and with ASSENT_PICTURES keeps it in the folder that it
// names: make pictures.
func (e *editor) pictures(name string) {
	e.t.Helper()
	for _, look := range []struct{ name, theme, class string }{{"dark", "Default Dark Modern", "vs-dark"}, {"light", "Default Light Modern", "vs"}} {
		e.do("setting", arguments{"name": "workbench.colorTheme", "value": look.theme}, nil)
		e.do("theme", arguments{"class": look.class}, nil)
		name := "vscode-" + name + "-" + look.name
		e.shot(name)
		picture, err := os.ReadFile(filepath.Join(e.w.out, name+".png"))
		must(e.t, err)
		retake(e.t, name+".png", picture)
	}
}
