package lsp_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/lsptest"
)

// TestTheInspectorShowsWhatIsSent opens the inspector before each message of a chat with a file that is open and
// unsaved, and compares the request on the page with the one that the server gets by Send, byte for byte. The document
// and what was read stay as they were.
func TestTheInspectorShowsWhatIsSent(t *testing.T) {
	for format, script := range map[string]string{
		"native": "turn\ncall read_file {\"path\":\"other.txt\"}\nturn\nsay: One.\nturn\nsay: Two <b> \u202e.\nturn\nsay: Three.\n",
		"guided": "turn\njson {\"tool\":\"read_file\",\"arguments\":{\"path\":\"other.txt\"}}\nturn\njson {\"answer\":\"One.\"}\nturn\njson {\"answer\":\"Two.\"}\nturn\njson {\"answer\":\"Three.\"}\n",
		"text":   "turn\nsay: One.\nturn\nsay: Two.\nturn\nsay: Three.\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab(t, script, lsptest.Options{Settings: map[string]any{"toolFormat": format}},
				map[string]string{chat: "## You\n\nLook at README.md \u200b.\n", "README.md": "Helo\n", "other.txt": "o\n"})
			defer l.Leave()
			l.Open("README.md")
			l.Type("README.md", "Unsaved.\n")
			l.Open(chat)
			for _, answer := range []string{"One.", "Two", "Three."} {
				synctest.Wait()
				before, sent := l.Text(chat), len(l.model.Chats())
				l.must(l.Do(chat, "Look at", "Show what the model sees"))
				l.must(l.Do(chat, "Look at", "Show what the model sees")) // to look twice changes nothing either
				if l.Text(chat) != before || len(l.model.Chats()) != sent {
					t.Fatalf("%s: to look changed the chat, or sent it", format)
				}
				shown := l.Shown()
				page, err := os.ReadFile(strings.TrimPrefix(string(shown[len(shown)-1].URI), "file://"))
				if err != nil {
					t.Fatal(err)
				}
				l.must(l.Do(chat, "Look at", "Send"))
				l.WaitText(chat, answer)
				l.WaitIdle()
				got := string(l.model.Chats()[sent].Body)
				if !json.Valid([]byte(got)) || !strings.Contains(string(page), "\n"+visible.JSON(got)+"\n") {
					t.Fatalf("%s: before %q the page was\n%s\nand sent was\n%s", format, answer, page, got)
				}
				l.Type(chat, "And README.md now?\n")
			}
		})
	}
}
