//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestPreviewOfSeveralFilesVSCode looks at an edit of more files than the window shows at once: the editor's own diff
// has them all, and each of their changes comes into sight, there and back. It can be approved there.
// Promise 7.
func TestPreviewOfSeveralFilesVSCode(t *testing.T) {
	type change struct {
		Path string `json:"path"`
		Old  string `json:"old_text"`
		New  string `json:"new_text"`
	}
	var changes []change
	files, after, script := map[string]string{"ask.chat.md": "## You\n\nChange two lines of each file.\n"}, map[string]string{}, scriptedModel+"turn\n"
	for _, name := range []string{"ant", "bee", "cat", "dog", "eel", "fox"} {
		var lines []string
		for i := range 40 {
			lines = append(lines, fmt.Sprintf("%s has line %d.", name, i))
		}
		text, path := strings.Join(lines, "\n")+"\n", name+".txt"
		for _, i := range []int{3, 36} {
			changes = append(changes, change{path, lines[i], fmt.Sprintf("%s got line %d.", name, i)})
		}
		files[path], after[path] = text, strings.NewReplacer(lines[3], changes[len(changes)-2].New, lines[36], changes[len(changes)-1].New).Replace(text)
		script += fmt.Sprintf("\tcall read_file {\"path\": %q}\n", path)
	}
	edits, err := json.Marshal(map[string]any{"edits": changes})
	must(t, err)
	_, address := play(t, script+"turn\n\tcall edit_files "+string(edits)+"\nturn\n\tsay: All is well now.\n")
	e := startVSCode(newWorld(t, address, files))
	e.keepDocuments("ask.chat.md")
	e.open("ask.chat.md")
	e.click("Send")
	e.waitPending("ask.chat.md")
	e.click("Show what would happen")
	eventually(t, "a diff of all files is in front", func() error {
		var shown []string
		e.do("diffs", nil, &shown)
		if want := []string{"ant.txt", "bee.txt", "cat.txt", "dog.txt", "eel.txt", "fox.txt"}; !slices.Equal(shown, want) {
			return fmt.Errorf("it has %v", shown)
		}
		return nil
	})
	e.shot("several-files")
	for _, c := range changes {
		e.scrollsTo(c.New, "Go to Next Change")
	}
	slices.Reverse(changes)
	for _, c := range changes {
		e.scrollsTo(c.New, "Go to Previous Change")
	}
	eventually(t, "the edit is approved by key", func() error {
		if e.w.read("ant.txt") == after["ant.txt"] {
			return nil
		}
		e.do("press", arguments{"keys": []string{"Control+Alt+Enter"}}, nil)
		return errors.New("not yet")
	})
	finished(e, "All is well now.")
	for path, want := range after {
		if got := e.w.read(path); got != want {
			t.Errorf("%s holds\n%s", path, got)
		}
	}
	var shown []string
	if e.do("diffs", nil, &shown); len(shown) > 0 {
		t.Errorf("the preview still shows %v", shown)
	}
}

// scrollsTo clicks a button until the window shows a text.
func (e *editor) scrollsTo(text, button string) {
	e.t.Helper()
	eventually(e.t, text+" comes into sight", func() error {
		var found bool
		if e.do("sees", arguments{"text": text}, &found); found {
			return nil
		}
		e.click(button)
		return errors.New("it does not")
	})
}
