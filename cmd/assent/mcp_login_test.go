//go:build linux

package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assent-ls/assent/tools/mcp/login/logintest"
)

// TestALoginFromTheCommandLine: a person agrees at the terminal to the address that they are shown, and their browser
// does the rest.
func TestALoginFromTheCommandLine(t *testing.T) {
	s := newUser(t, "")
	guarded := logintest.Serve(t)
	authority := guarded.Authority
	s.own(fmt.Sprintf(`{"mcpServers": {"tickets": {"url": %q}}}`, guarded.URL))
	bin := t.TempDir()
	opened := filepath.Join(bin, "opened")
	script := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\necho \"$1\" >"+opened+"\n"), 0o700)
	if err := errors.Join(script, syscall.Mkfifo(opened, 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	if _, notes, _ := s.run("mcp", "tools", "--folder", s.root); !strings.Contains(notes, "wants you to log in: `assent mcp login tickets` does that") {
		t.Error(notes)
	}
	if _, notes, status := s.run("mcp", "login", "--folder", s.root, "tickets"); status != exitUnanswered || !strings.Contains(notes, "nothing was sent") {
		t.Errorf("status %d: %s", status, notes)
	}
	p := s.sitDown(nil, "mcp", "login", "--folder", s.root, "tickets")
	p.sees(authority)
	p.sees("do not:")
	p.types("n\n")
	if status, screen := p.leaves(); status != 1 || !strings.Contains(screen, "you did not agree") || guarded.Asked.Load() > 0 {
		t.Errorf("status %d, asked %d times: %s", status, guarded.Asked.Load(), screen)
	}
	p = s.sitDown(nil, "mcp", "login", "--folder", s.root, "tickets")
	p.sees("do not:")
	p.types("y\n")
	p.sees("Log in there with your browser")
	said, err := os.ReadFile(opened) // when the browser is opened
	there := strings.TrimSpace(string(said))
	if err != nil || !strings.HasPrefix(there, authority+"/authorize?") {
		t.Fatal(there, err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, there, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != http.StatusOK || answer.Body.Close() != nil {
		t.Fatal(err)
	}
	if status, screen := p.leaves(); status != 0 || !strings.Contains(screen, "logged in: tickets") || strings.Contains(screen, logintest.Token) {
		t.Errorf("status %d: %s", status, screen)
	}
	if out, _, _ := s.run("mcp", "list", "--folder", s.root); !strings.Contains(out, "logged in at "+authority+" since ") {
		t.Error(out)
	}
	if out, notes, status := s.run("mcp", "tools", "--folder", s.root); status != 0 || !strings.Contains(out, "open of server tickets") {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	if out, notes, status := s.run("mcp", "logout", "--folder", s.root, "tickets"); status != 1 || !strings.Contains(out, "logged out: tickets") || !strings.Contains(notes, "could not be told") {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	if out, _, _ := s.run("mcp", "list", "--folder", s.root); strings.Contains(out, "logged in at") {
		t.Error(out)
	}
}
