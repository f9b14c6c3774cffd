//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// A mention at the end of a message is a link before and while the reply streams in right behind it, and the reply is
// none. The pieces come faster than the editor asks for links, so that changes cross the asking.
func TestLinksVSCode(t *testing.T) {
	_, address := play(t, streamScript(10000, 3*time.Millisecond, ""))
	e := startVSCode(newWorld(t, address, map[string]string{"notes.md": readmeText, "ask.chat.md": "## You\n\nSee @notes.md"}))
	e.keepDocuments("ask.chat.md")
	e.do("setting", arguments{"name": "assent.followReply", "value": false}, nil) // the message stays in sight
	e.open("ask.chat.md")
	mentionOnly := func() error {
		var links []string
		if e.do("links", e.file("ask.chat.md"), &links); !slices.Equal(links, []string{"@notes.md"}) {
			return fmt.Errorf("underlined: %q", links)
		}
		return nil
	}
	eventually(t, "the mention is a link", mentionOnly)
	e.click("Send")
	e.waitText("ask.chat.md", "[29]")
	eventually(t, "only the mention is a link", func() error {
		if strings.Contains(e.text("ask.chat.md"), piece(9999)) {
			t.Fatal("the reply was a link all the time")
		}
		return mentionOnly()
	})
	e.shot("links")
}
