// Package docs holds the pages of the project, and the tests that check them against the code.
package docs

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/assent-ls/assent/"

// room is a folder of packages, and the rooms that it may import.
type room struct {
	path string
	may  []string
}

// rooms says who may import whom inside the module: a package may import its own room and those listed. The first row
// that fits counts. A room is a folder with all below it; "=" in front means the folder alone.
var rooms = []room{
	{"internal/visible", nil},
	{"internal/lazyregexp", nil},
	{"internal/content", nil},
	{"internal/jsonc", nil},
	{"internal/ranking", nil},
	{"internal/network", nil},
	{"docs/fence", nil},
	{"cmd/eval/tasks", []string{"agent/event", "agent/model", "agent/toolcall", "cmd/eval/runner", "tools/mcp/mcptest", "tools/shell", "tools/sql"}}, // its tests run them
	{"cmd", []string{"agent", "internal/content", "docs/fence", "internal/jsonc", "internal/network", "internal/ranking", "lsp", "prompts", "internal/settings", "tools", "internal/visible"}},
	{"lsp/documents", nil},
	{"lsp/ext", nil},
	{"lsp/tasks", nil},
	{"lsp/wire", []string{"internal/visible", "lsp/documents", "lsp/ext", "lsp/tasks"}},
	{"lsp/journal", []string{"tools/diskfile"}},
	{"internal/settings", []string{"internal/jsonc", "internal/ranking", "tools/diskfile"}},
	{"lsp/convert", []string{"agent/transcript", "lsp/documents", "lsp/ext", "lsp/wire"}},
	{"lsp/folders", []string{"agent", "lsp/convert", "lsp/documents", "lsp/tasks", "lsp/wire", "tools"}},
	{"lsp/chats/parsed", []string{"agent", "internal/visible", "lsp/documents", "lsp/journal", "tools"}},
	{"lsp/chats/features", []string{"agent", "internal/visible", "=lsp/chats", "lsp/chats/parsed", "lsp/documents", "lsp/ext", "prompts", "tools"}},
	{"lsp/chats", []string{"agent", "internal/visible", "lsp/documents", "lsp/ext", "lsp/journal", "lsp/tasks", "prompts", "tools"}},
	{"lsp/host", []string{"internal/visible", "=lsp/chats", "lsp/documents", "lsp/ext", "lsp/wire", "tools"}},
	{"lsp/lsptest", []string{"=lsp", "=lsp/wire"}}, // its tests do
	{"lsp", []string{"agent", "internal/content", "internal/jsonc", "internal/network", "prompts", "internal/settings", "tools", "internal/visible"}},
	{"agent/agenttest", []string{"agent", "internal/network"}},
	{"agent/transcript", []string{"internal/visible"}},
	{"agent/compose", []string{"agent/attach", "agent/model", "agent/toolcall", "agent/transcript", "internal/content", "prompts", "internal/visible"}},
	{"agent/slash", nil},
	{"agent/guidance/intent", nil},
	{"agent/guidance/table", nil},
	{"agent/guidance/schema", []string{"agent/toolcall/values", "=tools", "tools/builtin", "tools/workspace"}}, // its tests use a workspace
	{"agent/guidance/relevant", []string{"agent/attach", "agent/guidance/schema", "internal/content", "internal/ranking", "=tools", "tools/workspace"}},
	{"agent/guidance", []string{"agent/attach", "agent/compose", "agent/model", "agent/toolcall", "agent/transcript", "internal/content", "internal/ranking", "internal/visible", "prompts", "tools"}},
	{"agent/attach", []string{"agent/transcript", "internal/content", "internal/ranking", "=tools", "tools/workspace", "internal/visible"}}, // its tests use tools
	{"agent/toolcall/scan", nil},
	{"agent/toolcall/values", []string{"agent/toolcall/scan"}},
	{"agent/toolcall/prose", []string{"agent/toolcall/scan"}},
	{"agent/toolcall/grammar", []string{"agent/toolcall/prose", "agent/toolcall/scan", "agent/toolcall/values", "=agent/toolcall", "=agent/model"}},
	{"agent/toolcall/envelope", []string{"agent/toolcall/grammar", "agent/toolcall/scan", "agent/toolcall/values", "=agent/toolcall", "=agent/model", "tools/python/signature"}},
	{"agent/toolcall", []string{"=agent/model", "tools/python/signature"}},
	{"agent/model/gbnf", nil},
	{"agent/model/servers", []string{"agent/agenttest", "agent/model", "internal/jsonc", "internal/network", "internal/visible", "tools/diskfile", "tools/mcp"}},
	{"agent/model", []string{"internal/network", "tools/diskfile"}},
	{"agent/engine", []string{"agent/compose", "agent/model", "agent/toolcall", "agent/transcript", "internal/content", "internal/visible", "prompts", "=tools", "tools/policy", "tools/python/signature"}},
	{"agent/byhand", []string{"agent/event", "tools"}},
	{"agent/toolbox", []string{"=agent/model", "=agent/toolcall", "=tools", "tools/python/signature"}},
	{"agent/sent", []string{"agent/compose", "agent/event", "agent/images", "agent/toolcall", "agent/transcript", "internal/content", "=tools"}},
	{"agent/opencalls", []string{"agent/compose", "agent/model", "agent/toolcall", "agent/transcript", "tools"}},
	{"agent/images", []string{"agent/compose", "agent/model", "agent/transcript", "internal/content", "internal/visible", "prompts"}},
	{"agent/event", []string{"agent/attach", "agent/model", "agent/toolcall", "agent/transcript", "internal/content", "internal/visible", "=tools", "tools"}},
	{"agent/trace", []string{"=agent", "agent/event", "=agent/model", "=agent/toolcall", "=tools", "internal/network", "internal/visible"}}, // its tests make calls and results
	{"agent/session", []string{"agent", "internal/content", "internal/network", "prompts", "internal/ranking", "internal/settings", "tools", "internal/visible"}},
	{"agent", []string{"internal/content", "prompts", "tools", "internal/visible"}},
	{"tools/diskfile", nil},
	{"tools/workspace/tree", nil},
	{"tools/workspace", []string{"tools/diskfile", "internal/visible"}},
	{"tools/userstate", []string{"tools/diskfile", "tools/workspace"}},
	{"tools/edit", nil},
	{"tools/shell", []string{"=tools/sandbox", "tools/command", "tools/workspace", "internal/visible"}}, // its tests confine
	{"tools/effect", nil},
	{"tools/command", []string{"tools/diskfile"}},
	{"tools/egress/proxy", []string{"internal/network", "internal/visible", "tools/web/address"}},
	{"tools/egress", []string{"internal/network", "tools/userstate", "internal/visible"}},
	{"tools/usagelog", []string{"tools/workspace", "tools/userstate", "internal/visible"}},
	{"tools/changes", []string{"=tools/sandbox", "=tools/sandbox/sandboxtest"}},                                                            // its tests run commands
	{"tools/sandbox/layers", []string{"tools/changes", "tools/diskfile", "tools/excerpt", "=tools/sandbox", "=tools/sandbox/sandboxtest"}}, // its tests run commands
	{"tools/sandbox", []string{"internal/network", "tools/changes", "tools/sandbox/bounds", "tools/sandbox/confine", "tools/sandbox/hidden", "tools/sandbox/layers", "tools/sandbox/mask", "tools/sandbox/probe", "tools/sandbox/toolchain", "tools/workspace"}},
	{"tools/sandbox/bounds", nil},
	{"tools/sandbox/confine", nil},
	{"tools/sandbox/hidden", []string{"tools/changes", "tools/workspace"}},
	{"tools/sandbox/mask", nil},
	{"tools/sandbox/probe", nil},
	{"tools/sandbox/toolchain", []string{"tools/changes", "tools/workspace"}},
	{"tools/background", []string{"internal/visible", "=tools", "tools/effect", "tools/builtin", "tools/policy", "tools/runcommand"}}, // its tests run commands
	{"tools/gitdiff", []string{"tools/diskfile", "tools/edit", "tools/workspace"}},
	{"tools/ledger", []string{"tools/diskfile", "tools/edit", "tools/excerpt", "tools/workspace", "tools/userstate", "internal/visible"}},
	{"tools/trust", []string{"tools/diskfile", "tools/edit", "tools/workspace", "tools/userstate"}},
	{"tools/policy", []string{"internal/jsonc", "tools/command", "tools/diskfile", "tools/effect", "tools/web/address", "tools/workspace", "tools/userstate"}},
	{"tools/python/modules", nil},
	{"tools/python", []string{"internal/content", "tools", "internal/visible"}},
	{"tools/python/interpreter", []string{"tools/diskfile", "tools/python/modules", "tools/sandbox/confine"}},
	{"tools/web/address", []string{"internal/visible"}},
	{"tools/web", []string{"internal/network", "tools", "internal/visible"}},
	{"tools/editor", []string{"tools", "internal/visible"}},
	{"tools/mcp/websocket", nil},
	{"tools/mcp/mcptest", nil},
	{"tools/mcp/fakeserver", nil},
	{"tools/mcp/login/logintest", nil},
	{"tools/mcp/login", []string{"internal/network", "tools/diskfile", "tools/web", "tools/workspace", "tools/userstate", "internal/visible"}},
	{"tools/mcp/serve", []string{"internal/content", "internal/network", "tools", "internal/visible"}}, // its tests do
	{"tools/mcp", []string{"internal/content", "internal/jsonc", "internal/network", "tools", "internal/visible"}},
	{"tools/sql/sqltest", nil},
	{"tools/sql/statement", []string{"internal/visible"}},
	{"tools/sql", []string{"internal/jsonc", "internal/network", "internal/ranking", "tools", "internal/visible"}},
	{"tools/userdefined", []string{"internal/jsonc", "tools", "internal/visible"}},
	{"tools/proposal", []string{"tools", "internal/visible"}},                                           // its tests use tools
	{"tools/runcommand", []string{"internal/content", "internal/network", "tools", "internal/visible"}}, // its tests do
	{"tools/excerpt", []string{"tools/edit", "internal/visible"}},
	{"tools/arguments", []string{"internal/jsonc", "tools/excerpt", "internal/visible"}},
	{"tools/paths", []string{"tools/workspace"}},
	{"tools/python/signature", []string{"tools/builtin", "tools/python/modules"}},                              // its tests declare tools
	{"tools/search", []string{"=tools", "tools/edit", "tools/excerpt", "tools/workspace", "internal/ranking"}}, // its tests use results
	{"tools", []string{"internal/content", "internal/jsonc", "internal/ranking", "internal/visible"}},
	{"prompts", []string{"internal/content", "tools/diskfile", "tools/workspace", "internal/visible"}},
	{"editors", nil},
	{"docs", nil},
}

// outsiders says which rooms alone may import a package from elsewhere, tests included.
var outsiders = []struct {
	path string
	only []string
}{
	{"github.com/bmatcuk/doublestar/v4", []string{"tools/policy"}},
	{"github.com/tailscale/hujson", []string{"internal/jsonc"}},
	{"go.lsp.dev/", []string{"=lsp", "lsp/config", "lsp/convert", "lsp/folders", "lsp/host", "lsp/lsptest", "lsp/review", "lsp/wire"}},
	{"github.com/ollama/ollama", []string{"agent/model/ollama"}},
	{"github.com/modelcontextprotocol/go-sdk", []string{"tools/mcp", "cmd/bench"}},
	{"github.com/coder/websocket", []string{"tools/mcp/websocket"}},
	{"github.com/spf13/cobra", []string{"cmd"}},
	{"golang.org/x/image", []string{"internal/content"}},
	{"github.com/JohannesKaufmann/html-to-markdown/v2", []string{"tools/web"}},
	{"github.com/andybalholm/cascadia", []string{"tools/web"}},
	{"github.com/tdewolff/parse/v2", []string{"tools/web"}},
	{"modernc.org/sqlite", []string{"agent/session/history"}},
	{"github.com/tetratelabs/wazero", []string{"tools/python/interpreter"}},
	{"go.opentelemetry.io/proto/otlp", []string{"agent/session"}}, // its tests
}

// clients are the rooms of the program that alone hold an HTTP client (invariant 16): of the model server, of the web
// where the user switched it on, of the hosts that a command may reach, of the collector of traces that the user named, and of MCP servers that the user
// declared. tools/mcp/serve serves, and asks nobody. cmd/bench is no part of the program.
var clients = []string{"internal/network", "agent/model/ollama", "agent/model/openai", "agent/model/servers", "agent/model/transport", "tools/web", "tools/egress/proxy", "agent/trace", "=tools/mcp", "tools/mcp/login", "tools/mcp/serve", "tools/mcp/websocket", "cmd/bench"}

// absent says what a folder's own code must not import, whatever its room may.
var absent = map[string][]string{
	"agent":            {"net/http", "os", "os/exec", module + "tools/diskfile", module + "tools/workspace"}, // the session knows files
	"agent/session":    {"net/http"},
	"agent/transcript": {"net/http", "os"},
	"agent/compose":    {"context", "net/http", "os"},
	"agent/toolcall":   {"net/http", "os"},
	"tools/policy":     {"net/http", "os", "os/exec"},
	"lsp/documents":    {"net/http", "os"},

	"agent/toolcall/envelope": {"net/http", "os"},
	"agent/toolcall/formats":  {"net/http", "os"},
	"agent/toolcall/grammar":  {"net/http", "os"},
	"agent/toolcall/prose":    {"net/http", "os"},
	"agent/toolcall/scan":     {"net/http", "os"},
	"agent/toolcall/values":   {"net/http", "os"},
	"tools/sql/statement":     {"context", "net/http", "os"},
}

// lspUsers are the files of cmd that may import lsp or what is below it: the server of the editors, and what is
// generated from it.
var lspUsers = []string{"cmd/assent/serve.go", "cmd/generate/nvim.go", "cmd/generate/pages.go", "cmd/generate/protocol.go", "cmd/generate/vscode.go"}

// helpers are imported by tests, by each other and by nothing else.
var helpers = []string{
	"lsp/lsptest", "agent/agenttest", "agent/model/backendtest", "agent/model/openai/quirkserver",
	"tools/command/commandtest", "tools/diskfile/diskfiletest", "tools/mcp/fakeserver", "tools/mcp/login/logintest", "tools/python/interpreter/interpretertest", "tools/sandbox/sandboxtest", "tools/shell/shelltest", "tools/toolstest", "tools/workspace/workspacetest",
}

type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// Promise 9. Invariant 16.
func TestImports(t *testing.T) {
	packages := list(t)
	for _, p := range packages {
		for _, problem := range check(p) {
			t.Error(problem)
		}
	}
}

// TestOnlyServeNeedsLSP: the command line, the evaluation and the measurements are front ends of their own.
func TestOnlyServeNeedsLSP(t *testing.T) {
	var users []string
	err := filepath.WalkDir("../cmd", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
			return within(strings.TrimPrefix(strings.Trim(i.Path.Value, `"`), module), []string{"lsp"})
		}) {
			users = append(users, filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator))))
		}
		return nil
	})
	if err != nil || !slices.Equal(users, lspUsers) {
		t.Errorf("%v: lsp is imported by %v, and should be by %v", err, users, lspUsers)
	}
}

// check lists what a package does that the tables do not allow.
func check(p listed) []string {
	var problems []string
	path := strings.TrimPrefix(p.ImportPath, module)
	complain := func(imported string) { problems = append(problems, path+" must not import "+imported) }
	for _, imported := range p.Imports {
		inside, isOurs := strings.CutPrefix(imported, module)
		switch {
		case isOurs && !mayImport(path, inside), !isOurs && !mayUse(path, imported), slices.Contains(absent[path], imported):
			complain(imported)
		case imported == "net/http" && !within(path, clients) && !within(path, helpers):
			complain(imported)
		case isOurs && within(inside, helpers) && !within(path, helpers):
			complain(imported + " outside of tests")
		}
	}
	for _, imported := range slices.Concat(p.TestImports, p.XTestImports) {
		inside, isOurs := strings.CutPrefix(imported, module)
		if (isOurs && !mayImport(path, inside) && !within(inside, helpers)) || (!isOurs && !mayUse(path, imported)) {
			complain(imported + " in its tests")
		}
	}
	if !slices.ContainsFunc(rooms, func(r room) bool { return within(path, []string{r.path}) }) {
		problems = append(problems, path+" is in no room of the table")
	}
	return problems
}

func mayImport(from, to string) bool {
	if to == "internal/lazyregexp" { // it decides nothing and needs nothing
		return true
	}
	for _, r := range rooms {
		if within(from, []string{r.path}) {
			return within(to, r.may) || within(to, []string{r.path})
		}
	}
	return false
}

func mayUse(from, imported string) bool {
	for _, o := range outsiders {
		if strings.HasPrefix(imported, o.path) {
			return within(from, o.only)
		}
	}
	return true
}

// within reports whether a package lies in one of the rooms.
func within(path string, rooms []string) bool {
	return slices.ContainsFunc(rooms, func(room string) bool {
		folder, alone := strings.CutPrefix(room, "=")
		return path == folder || (!alone && strings.HasPrefix(path, folder+"/"))
	})
}

func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []listed
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// The table must be able to say no.
func TestCheckRefuses(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{"tools", module + "agent"},
		{"tools/workspace", module + "tools"},
		{"agent", module + "lsp"},
		{"agent", module + "tools/workspace"},
		{"agent/session", module + "lsp/documents"},
		{"prompts", module + "agent/model"},
		{"lsp/documents", "go.lsp.dev/protocol"},
		{"agent", "github.com/ollama/ollama/api"},
		{"agent", "net/http"},
		{"lsp/chats", "net/http"},
		{"cmd/assent", "net/http"},
		{"lsp", module + "lsp/lsptest"},
		{"cmd/assent", module + "agent/agenttest"},
		{"utils", "fmt"},
	} {
		if got := check(listed{ImportPath: module + c.from, Imports: []string{c.to}}); len(got) == 0 {
			t.Errorf("%s may import %s", c.from, c.to)
		}
	}
}
