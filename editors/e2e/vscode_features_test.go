//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestFeaturesVSCode asks the editor, as its own menus and views do, for what it shows of a chat by plain LSP.
func TestFeaturesVSCode(t *testing.T) {
	const chat = "---\ntitle: A short talk\n---\n\n## You\n\nSee @notes.md\n\n## Assistant\n\nHello.\n\n## You\n\nSee @no\n"
	_, address := play(t, scriptedModel+"turn\nsay: Good.\n")
	e := startVSCode(newWorld(t, address, map[string]string{"notes.md": readmeText, "ask.chat.md": chat}))
	e.keepDocuments("ask.chat.md")
	e.open("ask.chat.md")
	for _, c := range []struct {
		feature, want   string
		line, character int
	}{
		{"completion", "notes.md", 14, len("See @no")},
		{"hover", "notes.md", 6, len("See @n")},
		{"outline", "You: See @notes.md", 0, 0},
		{"colors", `"data":{"0":`, 0, 0},
		{"chats", "A short talk", 0, 0},
		{"rename", "A longer talk", 1, len("title: A")},
	} {
		e.features(c.feature, c.line, c.character, c.want)
	}
	eventually(t, "the chat has its new title", func() error {
		if title := e.text("ask.chat.md"); !strings.HasPrefix(title, "---\ntitle: A longer talk\n") {
			return fmt.Errorf("%s", title)
		}
		return nil
	})
	e.click("Send")
	finished(e, "Good.")
	e.features("hints", 0, 0, "tokens")
}

// features waits until what the editor shows of a place in the chat contains a text.
func (e *editor) features(feature string, line, character int, want string) {
	e.t.Helper()
	args := e.at("ask.chat.md", line)
	args["feature"], args["character"], args["text"] = feature, character, want
	eventually(e.t, feature, func() error {
		var got string
		if e.do("feature", args, &got); !strings.Contains(got, want) {
			return errors.New(got)
		}
		return nil
	})
}
