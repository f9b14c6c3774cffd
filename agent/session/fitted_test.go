package session_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/internal/content"
)

// A large image is sent smaller, and with the same bytes in every later request, whether a message names it, links it
// or a tool read it.
func TestALargeImageIsSentSmaller(t *testing.T) {
	for name, message := range map[string]string{"mentioned": "What is @big.png?", "named": "What is big.png?", "linked": "What is ![this](big.png)?", "read": "Look."} {
		replies := []agenttest.Reply{agenttest.Say("Grey."), agenttest.Say("Still grey.")}
		if name == "read" {
			replies = append([]agenttest.Reply{agenttest.CallTool("read_file", `{"path":"big.png"}`)}, replies...)
		}
		l := newLab(t, replies...).seeing()
		l.write("big.png", string(picture(t, 4000)))
		document, end := l.converse("ask.chat.md", "eyes", "## You\n\n"+message+"\n")
		if end.Outcome != event.Completed {
			t.Fatal(name, end)
		}
		if _, end = l.converse("ask.chat.md", "eyes", document+"\n## You\n\nSure?\n"); end.Outcome != event.Completed {
			t.Fatal(name, end)
		}
		var sent [][]byte
		for _, r := range l.backend.Requests() {
			for _, m := range r.Messages {
				sent = append(sent, m.Images...)
			}
		}
		if len(sent) != 2 || !bytes.Equal(sent[0], sent[1]) {
			t.Fatalf("%s: %d images were sent, of the same bytes: %v", name, len(sent), len(slices.CompactFunc(sent, bytes.Equal)) == 1)
		}
		if small, err := content.NewImage(sent[0]); err != nil || small.Width != content.MaxSide {
			t.Errorf("%s: sent %v, %v", name, small, err)
		}
	}
}

// What only looks like an image has a sentence in its place, and the chat goes on.
func TestABrokenLargeImage(t *testing.T) {
	l := newLab(t, agenttest.Say("I cannot see it.")).seeing()
	data := picture(t, 4000)
	data[len(data)/2] ^= 0xff
	l.write("big.png", string(data))
	document, end := l.converse("ask.chat.md", "eyes", "## You\n\nWhat is @big.png?\n")
	texts, images := l.sent()
	if end.Outcome != event.Completed || images[0] != nil || !strings.Contains(texts[0], `"big.png" is broken: it begins like an image and cannot be read.`) {
		t.Errorf("%v: sent %q with %d images\n%s", end, texts[0], len(images[0]), document)
	}
}
