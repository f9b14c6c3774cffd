//go:build unix

package main

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

// foundServer plays a server of llama.cpp on this machine that nobody declared, for a user whose Ollama has no model.
func foundServer(t *testing.T) (*user, *quirkserver.Server) {
	t.Helper()
	there := quirkserver.New(quirkserver.LlamaCpp)
	there.Models, there.Context = []string{"found-7b"}, 16384
	at, err := url.Parse(there.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	s := newUser(t, "model vectors:1b capabilities=embedding\n")
	s.ports = at.Port()
	return s, there
}

// onlyLookedAt fails if the server got anything but questions what it is and which models it has.
func onlyLookedAt(t *testing.T, there *quirkserver.Server) {
	t.Helper()
	for _, r := range there.Requests("") {
		if r.Method != "GET" || len(r.Body) > 0 {
			t.Errorf("before the approval it got %s %s %s", r.Method, r.Path, r.Body)
		}
	}
}

// TestAFoundServerIsApprovedAtATerminal: nothing is sent to it before the yes, which later chats need no more.
func TestAFoundServerIsApprovedAtATerminal(t *testing.T) {
	s, there := foundServer(t)
	ask := []string{"run", "--folder", s.root, "--model", "found-7b", "Hello?"}
	if _, notes, status := s.run(ask...); status != 1 || !strings.Contains(notes, "a server that nobody declared, at 127.0.0.1:"+s.ports) {
		t.Errorf("with nobody at the terminal: status %d\n%s", status, notes)
	}
	onlyLookedAt(t, there)
	p := s.sitDown(nil, ask...)
	p.sees("This chat would be sent to llamacpp/found-7b at 127.0.0.1:" + s.ports)
	if shown := p.sees("[n] deny: "); !strings.Contains(shown, "listens") {
		t.Errorf("whose process it is is not said:\n%s", shown)
	}
	onlyLookedAt(t, there)
	p.types("y\n")
	if status, screen := p.leaves(); status != 0 || !strings.Contains(screen, "Hello.") {
		t.Fatalf("status %d:\n%s", status, screen)
	}
	kept, err := os.ReadFile(filepath.Join(os.Getenv("XDG_STATE_HOME"), "assent", "model-servers.json"))
	if err != nil || !strings.Contains(string(kept), "127.0.0.1:"+s.ports) {
		t.Errorf("%s, %v", kept, err)
	}
	before := len(there.Chats())
	if out, notes, status := s.run(ask...); status != 0 || !strings.Contains(out, "Hello.") || len(there.Chats()) <= before {
		t.Errorf("the next chat: status %d\n%s\n%s", status, out, notes)
	}
	s.ports = "" // what the user switched off is not used, either
	if _, notes, status := s.run(ask...); status != 1 || !strings.Contains(notes, `"found-7b"`) {
		t.Errorf("with no port: status %d\n%s", status, notes)
	}
}

// TestAFoundServerIsDeniedAtATerminal: the answer counts for one time, and nothing was sent.
func TestAFoundServerIsDeniedAtATerminal(t *testing.T) {
	s, there := foundServer(t)
	for range 2 {
		p := s.sitDown(nil, "run", "--folder", s.root, "--model", "found-7b", "Hello?")
		p.sees("This chat would be sent to llamacpp/found-7b at 127.0.0.1:" + s.ports)
		p.sees("[n] deny: ")
		p.types("n\n")
		if status, screen := p.leaves(); status != exitStopped || !strings.Contains(screen, "Nothing was sent to the server at 127.0.0.1:"+s.ports) {
			t.Errorf("status %d:\n%s", status, screen)
		}
	}
	onlyLookedAt(t, there)
}

// TestPortsOfTheSettings: doctor and models say what they find, and ask no port where there is none in the list.
func TestPortsOfTheSettings(t *testing.T) {
	s, there := foundServer(t)
	if out, _, _ := s.run("models"); !strings.Contains(out, "llamacpp/found-7b") || !strings.Contains(out, "not approved yet") {
		t.Errorf("models says\n%s", out)
	}
	if out, _, _ := s.run("doctor"); !strings.Contains(out, "llamacpp answers at http://127.0.0.1:"+s.ports) {
		t.Errorf("doctor says\n%s", out)
	}
	onlyLookedAt(t, there)
	asked := len(there.Requests(""))
	s.ports = ""
	for _, command := range []string{"models", "doctor"} {
		if out, _, _ := s.run(command); strings.Contains(out, "llamacpp") || len(there.Requests("")) > asked {
			t.Errorf("%s asked the port:\n%s", command, out)
		}
	}
	if _, notes, status := s.run("models", "--server-ports", "99999"); status != exitUsage || !strings.Contains(notes, `"99999" is no port`) {
		t.Errorf("status %d\n%s", status, notes)
	}
}
