//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// guarded is an MCP server that wants a login, and its authorization server; asked counts what the latter was asked.
func guarded(t *testing.T) (address, authority string, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	mux := http.NewServeMux()
	door := httptest.NewServer(mux)
	t.Cleanup(door.Close)
	answer := func(w http.ResponseWriter, value map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(value); err != nil {
			t.Error(err)
		}
	}
	login := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch own := "http://" + r.Host; r.URL.Path {
		case "/.well-known/oauth-authorization-server":
			answer(w, map[string]any{"issuer": own, "authorization_endpoint": own + "/authorize", "token_endpoint": own + "/token", "registration_endpoint": own + "/register", "code_challenge_methods_supported": []string{"S256"}})
		case "/register":
			answer(w, map[string]any{"client_id": "x", "token_endpoint_auth_method": "none"})
		case "/authorize":
			q := r.URL.Query()
			http.Redirect(w, r, q.Get("redirect_uri")+"?code=x&state="+url.QueryEscape(q.Get("state")), http.StatusFound)
		case "/token":
			answer(w, map[string]any{"access_token": "canary-token", "token_type": "Bearer"})
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(login.Close)
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"resource": door.URL + "/mcp", "authorization_servers": []string{login.URL}})
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	return door.URL + "/mcp", login.URL, asked
}

// TestALoginFromTheCommandLine: a person agrees at the terminal to the address that they are shown, and their browser does the rest.
func TestALoginFromTheCommandLine(t *testing.T) {
	s := newUser(t, "")
	address, authority, asked := guarded(t)
	s.own(fmt.Sprintf(`{"mcpServers": {"tickets": {"url": %q}}}`, address))
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
	if status, screen := p.leaves(); status != 1 || !strings.Contains(screen, "you did not agree") || asked.Load() > 0 {
		t.Errorf("status %d, asked %d times: %s", status, asked.Load(), screen)
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
	if status, screen := p.leaves(); status != 0 || !strings.Contains(screen, "logged in: tickets") || strings.Contains(screen, "canary") {
		t.Errorf("status %d: %s", status, screen)
	}
	if out, _, _ := s.run("mcp", "list", "--folder", s.root); !strings.Contains(out, "logged in at "+authority+" since ") {
		t.Error(out)
	}
	if out, notes, status := s.run("mcp", "logout", "--folder", s.root, "tickets"); status != 1 || !strings.Contains(out, "logged out: tickets") || !strings.Contains(notes, "could not be told") {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	if out, _, _ := s.run("mcp", "list", "--folder", s.root); strings.Contains(out, "logged in at") {
		t.Error(out)
	}
}
