package lsp_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/mcp/fakeserver"
	"github.com/assent-ls/assent/tools/workspace"
)

// withServer gives a language server the MCP server notes that the file server.json of a scenario describes, if it has
// one. The file is no part of the workspace.
func withServer(t *testing.T, dir string) func(*lsp.Options) {
	t.Helper()
	file := filepath.Join(dir, "server.json")
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return func(*lsp.Options) {}
	}
	if err == nil {
		err = os.Remove(file)
	}
	if err != nil {
		t.Fatal(err)
	}
	reach := fakeserver.Reach(t, data)
	return func(o *lsp.Options) {
		o.Servers = func(ws *workspace.Workspace, _ func() settings.Settings) *mcp.Source {
			return mcp.New(mcp.Options{
				Launch: []byte(`{"servers": {"notes": {"url": "https://notes.example.org/"}}}`), Reach: reach,
				Workspace: ws, Trust: o.Trust, State: o.State, Taken: taken(), Version: "test", Models: true,
			})
		}
	}
}

// taken are the names that the server's tool cannot have: it may run programs, as no other tool of these tests does.
func taken() []string {
	return slices.DeleteFunc(builtin.Reserved(), func(name string) bool { return name == chats.PythonTool })
}
