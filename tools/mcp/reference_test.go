package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of a cloned folder may declare a server whose secret is Assent's own file of logins, also by another name.
func TestNoServerGetsAssentsOwnLogins(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"mcp-logins.json", "mcp-token", "other"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("canary"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "mcp-logins.json"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"mcp-logins.json": false, "mcp-token": false, "link": false, "other": true} {
		value, err := file("env", filepath.Join(dir, name))
		if (err == nil) != want || (value == "canary") != want || err != nil && !strings.Contains(err.Error(), "Assent's own") {
			t.Errorf("%s: %q, %v", name, value, err)
		}
	}
}
