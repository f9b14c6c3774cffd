//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Who types into a file beside a reply of 2,000 tokens a second sees each letter, and none gets lost. How long a letter
// takes is told, with and without the reply.
func TestKeysBesideAReplyVSCode(t *testing.T) {
	_, address := play(t, streamScript(40_000, 500*time.Microsecond, ""))
	e := startVSCode(newWorld(t, address, map[string]string{"notes.md": "", "ask.chat.md": "## You\n\nGo on\n"}))
	e.keepDocuments("notes.md", "ask.chat.md")
	e.open("notes.md")
	e.open("ask.chat.md")
	text := strings.Repeat("what a person types ", 8)
	keys := func() (took []float64) {
		t.Helper()
		e.do("keys", arguments{"file": e.w.path("notes.md"), "text": text}, &took)
		if len(took) != len(text) {
			t.Errorf("%d of %d letters were drawn", len(took), len(text))
		}
		slices.Sort(took)
		return took
	}
	alone := keys()
	e.do("cursor", e.at("ask.chat.md", 2), nil)
	e.palette("Assent: Send")
	e.waitText("ask.chat.md", piece(9))
	began := len(e.text("ask.chat.md"))
	beside := keys()
	if grown := len(e.text("ask.chat.md")) - began; grown < len(text) {
		t.Errorf("the reply grew by %d bytes meanwhile", grown)
	}
	if got := e.text("notes.md"); got != text+text {
		t.Errorf("the file has %q", got)
	}
	middle, late := len(text)/2, len(text)*95/100
	t.Logf("a letter is drawn after %.1f ms (median; 95 of 100: %.1f ms) without the reply, %.1f ms (%.1f ms) beside it", alone[middle], alone[late], beside[middle], beside[late])
	e.shot("keys")
}
