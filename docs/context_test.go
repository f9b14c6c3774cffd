package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// detached lists the functions that may make a context that nobody else ends, and why. All else takes the one that it
// is given, so that Stop ends everything.
var detached = map[string]string{
	"agent/agenttest/cmd/scriptedmodel/main.go main": "the program's life, ended by a signal",
	"agent/trace/trace.go New":                       "traces of runs that are over, too; it ends closeTime after the program's life",
	"agent/images.go keepImages":                     "the image of a call that has run: a result that came before Stop is not lost",
	"cmd/assent/main.go main":                        "the program's life, ended by a signal",
	"cmd/bench/main.go run":                          "the program's life, ended by a signal",
	"cmd/eval/main.go start":                         "the program's life, ended by a signal",
	"cmd/release/main.go run":                        "the program's life, ended by a signal",
	"lsp/wire/chain.go cancelable":                   "the answer to a request that was cancelled; it waits no longer than the connection lives",
	"lsp/wire/conn.go NewConn":                       "the connection's life, which leaveTimeout ends after the program's",
	"lsp/wire/lifecycle.go end":                      "shutdown, within leaveTimeout",
	"lsp/wire/conn.go end":                           "the last words, within leaveTimeout",
	"lsp/lsptest/editor.go Start":                    "a server in a test, which the fake editor ends",
	"tools/background/background.go New":             "the life of commands that go on between runs; Stop ends each, and who made it closes it",
	"tools/python/interpreter/help.go Help":          "the life of a helper process, which its parent ends",
	"tools/ledger/apply.go takeBack":                 "edits that are taken back because a later one failed; it ends after takeBackLimit",
	"tools/mcp/child.go NewChild":                    "the life of a helper program, which serves many calls; it ends when who made it closes it",
	"tools/mcp/mcptest/mcptest.go Serve":             "a server for tests, which ends with its input",
	"tools/mcp/server.go newServer":                  "the life of a server, which serves many runs; it ends when its workspace is closed",
	"tools/mcp/login/callback.go close":              "the page that a browser is sent when a login is over; it ends after a second",
	"tools/mcp/serve/inquire.go begin":               "a call that goes on between the requests of a client; it ends when one is cancelled, and with the server",
	"tools/mcp/serve/http.go overWebSocket":          "a session of one client; it ends with that client, when it is idle, and when the server is closed",
	"tools/builtin/replace_all.go changeBack":        "files that are changed back because a later one failed; it ends after rollbackTime",
	"tools/mcp/websocket/websocket.go Write":         "one message, which is not cut because its call was cancelled; it ends after writeLimit",
	"tools/mcp/trusting.go sumOf":                    "the hash of a file of a bounded size, before a question; nothing runs yet that could be stopped",
	"tools/report.go newVisibleReporter":             "the life of a call, at whose end it ends",
	"tools/sources.go newQuestion":                   "the question to a source, which other runs wait for, too; it ends after askLimit",
}

// Promise 4. Invariant 13.
func TestStopReachesEverything(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, place := range detaches(filepath.ToSlash(path[len("../"):]), source) {
			used[place] = true
			if detached[place] == "" {
				t.Errorf("%s makes a context that Stop does not end", place)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for place := range detached {
		if !used[place] {
			t.Errorf("%s makes no context any more: take it off the list", place)
		}
	}
}

// detaches names the functions of a file that make a context which no other one ends.
func detaches(path string, file *ast.File) []string {
	var places []string
	for _, decl := range file.Decls {
		place := path
		if f, ok := decl.(*ast.FuncDecl); ok {
			place = fmt.Sprintf("%s %s", path, f.Name.Name)
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if p, ok := s.X.(*ast.Ident); ok && p.Name == "context" && slices.Contains([]string{"Background", "TODO", "WithoutCancel"}, s.Sel.Name) {
				places = append(places, place)
			}
			return true
		})
	}
	return places
}

// The list must be able to say no.
func TestDetachesFinds(t *testing.T) {
	source := "package p\nvar v = context.TODO()\nfunc f(ctx context.Context) { g(context.WithoutCancel(ctx)) }\nfunc h() { _ = func() any { return context.Background } }\n"
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := detaches("p.go", file); !slices.Equal(got, []string{"p.go", "p.go f", "p.go h"}) {
		t.Errorf("found %q", got)
	}
}
