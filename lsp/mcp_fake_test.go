package lsp_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-ls/assent/lsp"
	"github.com/assent-ls/assent/settings"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/mcp/fakeserver"
	"github.com/assent-ls/assent/tools/workspace"
)

// withServer gives a language server the MCP server notes that the file server.json of the folder describes, if there is one.
func withServer(t *testing.T, dir string) func(*lsp.Options) {
	t.Helper()
	return func(o *lsp.Options) {
		data, err := os.ReadFile(filepath.Join(dir, "server.json"))
		if os.IsNotExist(err) {
			return
		}
		if err != nil {
			t.Error(err)
		}
		reach := fakeserver.Reach(t, data)
		o.Servers = func(ws *workspace.Workspace, _ func() settings.Settings) *mcp.Source {
			return mcp.New(mcp.Options{
				Launch: []byte(`{"servers": {"notes": {"url": "https://notes.example.org/"}}}`), Reach: reach,
				Workspace: ws, Trust: o.Trust, State: o.State, Taken: tools.Reserved(), Version: "test",
			})
		}
	}
}
