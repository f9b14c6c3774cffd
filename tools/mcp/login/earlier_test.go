package login

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools/userstate"
)

// TestEarlierLoginsOpen: a login that was kept before refusals were noted is read as it was.
func TestEarlierLoginsOpen(t *testing.T) {
	dir := t.TempDir()
	const first = `{"version":1,"data":{"notes":{"asked":["Bearer"],"grant":{"since":"2026-11-22T10:00:00Z",
		"issuer":"https://example.org","resource":"https://example.org/mcp","client_id":"a","client_style":0,
		"token_url":"https://example.org/token","access_token":"x"}}}}`
	if err := os.WriteFile(filepath.Join(dir, File), []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	state, err := userstate.OpenState(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := NewStore(state, network.New(false, nil)).of("notes")
	if err != nil || got.Grant == nil || got.Grant.Access != "x" || len(got.Asked) != 1 || got.Refused != "" {
		t.Errorf("%+v, %v", got, err)
	}
	if problems := state.Problems(); len(problems) > 0 {
		t.Errorf("%q", problems)
	}
}
