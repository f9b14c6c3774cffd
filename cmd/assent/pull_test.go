//go:build unix

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
)

const missingModel = "model local:1b\nmissing new:1b bytes=2147483648\nturn\njson {\"answer\":\"Hello.\"}\n"

func (s *user) wasAsked(path string) bool {
	return slices.ContainsFunc(s.model.Requests(), func(r agenttest.Request) bool { return r.Path == path })
}

func TestAMissingModelIsPulledFromATerminal(t *testing.T) {
	for keys, pulled := range map[string]bool{"y\n": true, "n\n": false, "\x04": false} {
		s := newUser(t, missingModel)
		path := s.write("new.chat.md", "---\nmodel: new:1b\n---\n\n## You\n\nHello?\n")
		p := s.sitDown(nil, "send", "--folder", s.root, path)
		p.sees("The model server would fetch new:1b from registry.ollama.ai")
		p.sees("[y] pull it  [n] deny: ")
		if s.wasAsked("/api/pull") {
			t.Fatal("it was fetched before the answer")
		}
		p.types(keys)
		status, screen := p.leaves()
		if got := s.wasAsked("/api/pull"); got != pulled || pulled != strings.Contains(screen, "Hello.") || pulled != (status == 0) {
			t.Errorf("%q: pulled %v, status %d:\n%s", keys, got, status, screen)
		}
		if pulled && !strings.Contains(screen, "fetching the model: new:1b: 100 % of 2.0 GiB") {
			t.Errorf("how far it was is not told:\n%s", screen)
		}
	}
}

// Without a terminal nobody can say yes, whoever names the model, so nothing is fetched.
// Promise 9.
func TestNothingIsPulledUnasked(t *testing.T) {
	for _, args := range [][]string{{"send"}, {"--model", "new:1b", "send"}, {"send", "--json"}, {"inspect"}} {
		s := newUser(t, missingModel)
		path := s.write("new.chat.md", "---\nmodel: new:1b\n---\n\n## You\n\nHello?\n")
		out, notes, status := s.run(append(args, path, "--folder", s.root)...)
		if status != 1 || !strings.Contains(out+notes, "is not installed: run `ollama pull new:1b`") || s.wasAsked("/api/pull") {
			t.Errorf("%q: status %d\n%s%s", args, status, out, notes)
		}
	}
}
