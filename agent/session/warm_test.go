package session_test

import (
	"testing"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/guidance/relevant"
)

// The files are read while a person types the first question, for the models alone that a message brings files to.
func TestFilesAreReadBeforeTheFirstSend(t *testing.T) {
	for format, want := range map[string]int{"guided": 1, "native": 0} {
		l := newLab(t)
		l.write("tides.md", "The ebb begins at noon.\n")
		l.env.Words, l.env.Options = &relevant.Words{}, engine.Options{Format: format}
		if err := l.chat("ask.chat.md", "## You\n\n").Warm(); err != nil {
			t.Fatal(err)
		}
		if found := l.env.Words.Rank("When is the ebb?", 5); len(found) != want {
			t.Errorf("%s: %q was read", format, found)
		}
	}
}

// So they are while a person types the next one.
func TestFilesAreReadBeforeTheNextSend(t *testing.T) {
	l := newLab(t)
	l.env.Words, l.env.Options = &relevant.Words{}, engine.Options{Format: "guided"}
	chat := l.chat("ask.chat.md", "## You\n\n")
	if err := chat.Warm(); err != nil {
		t.Fatal(err)
	}
	l.write("tides.md", "The ebb begins at noon.\n")
	chat.Look()
	if found := l.env.Words.Rank("When is the ebb?", 5); len(found) != 1 {
		t.Errorf("%q was read", found)
	}
}
