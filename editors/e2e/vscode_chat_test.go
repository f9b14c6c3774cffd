//go:build e2e

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestNativeChatVSCode plays the story in the editor's own chat: @assent answers, its question has buttons, and all of
// it is in a chat document of the workspace. Nobody signed in.
func TestNativeChatVSCode(t *testing.T) {
	_, address := play(t, editScript+"turn\n\texpect-last: Thank you.\n\tsay: \"You are welcome.\"\n")
	w := newWorld(t, address, map[string]string{"README.md": readmeText})
	e := vscode{program: w.program, chat: true}.start(w)
	e.keepDocuments("README.md")
	e.open("README.md")
	e.do("setting", arguments{"name": "assent.notify", "value": false}, nil) // the buttons of the view are meant
	e.do("run", arguments{"name": "workbench.action.chat.open"}, nil)
	e.do("chat", arguments{"text": "@assent " + request}, nil)
	e.sees("Now the edit.")
	e.sees("Approve once: edit README.md")
	e.pictures("chat")
	if got := e.text("README.md"); got != readmeText {
		t.Errorf("the edit was made before it was approved:\n%s", got)
	}
	e.click("Approve once: edit README.md")
	e.waitText("README.md", "Hello, world.")
	e.sees("All is well now.")
	e.sees("Open the chat document")
	// The view names @assent for the next message by itself, which goes into the same document.
	e.do("chat", arguments{"text": "Thank you."}, nil)
	e.sees("You are welcome.")
	eventually(t, "the chat document is on disk", func() error {
		found, err := filepath.Glob(e.w.path(".assent/chats/*.chat.md"))
		if err != nil || len(found) != 1 {
			return errors.Join(err, errors.New("there is no chat"))
		}
		text, err := os.ReadFile(found[0])
		return errors.Join(err, contains(string(text), "All is well now."), contains(string(text), "## You\n\nThank you.\n\n## Assistant\n\nYou are welcome."))
	})
}
