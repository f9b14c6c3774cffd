//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// ownAddress is an address of this machine that is not loopback, or the test is skipped.
func ownAddress(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() {
			return n.IP.String()
		}
	}
	t.Skip("NOT TESTED: this machine has no address but loopback")
	return ""
}

// At a terminal a person says which hosts a command may reach; what it contacted is on record, and --offline takes the
// choice away.
// Promise 1. Promise 9.
func TestACommandGoesOnlineAtATerminal(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", ownAddress(t)+":0")
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	page := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the page") }))
	page.Listener = l
	page.Start()
	t.Cleanup(page.Close)
	at := l.Addr().String()
	script := func(expect string) string {
		call := fmt.Sprintf(`{"tool":"run_command","arguments":{"command":"curl -s http://%s/"}}`, at)
		return "turn\njson " + call + "\nturn\nexpect-last: " + expect + "\njson {\"answer\":\"Done.\"}\n"
	}
	s := newUser(t, script("the page"))
	if said, _, _ := s.run("doctor"); !strings.Contains(said, "Commands run in a sandbox") {
		t.Skip("NOT TESTED: no sandbox here")
	}
	p := s.sitDown(nil, "run", "--folder", s.root, "Go on.")
	for _, step := range []struct{ shows, ends, key string }{
		{"[w] run with the network", "say why: ", "w"},
		{"Its words name no host", "say why: ", "1"}, // an address that is not of the public internet is never proposed
		{"[y] answer", "say why: ", "y"},
		{"hosts (", ": ", at},
	} {
		p.sees(step.shows)
		p.sees(step.ends)
		p.types(step.key + "\r")
	}
	p.sees("Done.")
	if status, screen := p.leaves(); status != 0 {
		t.Errorf("status %d:\n%s", status, screen)
	}
	if out, _, status := s.run("doctor", "--egress"); status != 0 || !strings.Contains(out, "command curl") || !strings.Contains(out, at) {
		t.Errorf("status %d: %s", status, out)
	}
	for _, flag := range []string{"--offline", "--json"} {
		s := newUser(t, script("denied"))
		out, notes, _ := s.run("run", "--folder", s.root, flag, "--json", "Go on.")
		if !strings.Contains(out, `"try":true`) || strings.Contains(out, `"online":true`) != (flag != "--offline") {
			t.Errorf("%s: %s\n%s", flag, out, notes)
		}
	}
}
