package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// opening are the ways to open a file or a folder for reading that wait for the other end of a pipe, or read a device
// for ever. Package diskfile opens files that somebody else may have put there.
var opening = []string{"os.Open", "os.ReadFile", ".FS", ".Open"}

// openedElsewhere are the functions that open a file otherwise, and why they may.
var openedElsewhere = map[string]string{
	"agent/model/ollama/memory.go Memory":            "a file of the kernel",
	"cmd/assent/decode/decode.go run":                "the user names it on the command line, and may name a pipe",
	"internal/network/names.go hosts":                "the hosts file of the system",
	"tools/changes/apply_linux.go Finish":            "a file in the private folder of a command",
	"tools/diskfile/replace.go syncFolder":           "diskfile's own folder",
	"tools/sandbox/bounds/group_linux.go Exceeded":   "a file of the kernel's control groups",
	"tools/sandbox/bounds/group_linux.go NewGroup":   "a folder of the kernel's control groups",
	"tools/sandbox/bounds/group_linux.go above":      "a file of the kernel's control groups",
	"tools/sandbox/order_linux.go readOrder":         "a file in the private folder of a command",
	"tools/sandbox/private_linux.go removeAbandoned": "a file in the private folder of a command",
	"tools/sandbox/probe/probe_linux.go reads":       "a file that the self-test made",
	"tools/sandbox/probe/probe_linux.go opens":       "a file of the first process, which must not open",
	"tools/sandbox/probe/prepare_linux.go listenIn":  "a folder that the self-test made",
	"tools/sandbox/probe/prepare_linux.go Untouched": "a file that the self-test made",
	"tools/shell/processes_linux.go children":        "a file of the kernel, about this process",
	"tools/workspace/tree/directory.go Regular":      "a file that Lstat says is regular; the disk opens it without waiting",
}

// notShipped are folders of programs and helpers that only developers run.
var notShipped = []string{"cmd/bench", "cmd/eval", "cmd/generate", "cmd/modules", "cmd/release", "editors", "docs", "lsp/lsptest", "agent/agenttest", "tools/mcp/mcptest", "tools/command/commandtest", "tools/sql/sqltest", "tools/toolstest"}

// No pipe, device or endless file in a workspace stops the program: what it reads is opened by diskfile, which refuses
// them.
// F02.
func TestFilesAreOpenedInOnePlace(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		rel := filepath.ToSlash(strings.TrimPrefix(path, "../"))
		if d != nil && d.IsDir() && (slices.Contains(notShipped, rel) || len(rel) > 2 && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && opens(f, strings.Contains(string(text), "os.Root")) {
				seen[rel+" "+f.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for place := range seen {
		if openedElsewhere[place] == "" {
			t.Errorf("%s opens a file that may be a pipe or a device: use package diskfile", place)
		}
	}
	for place := range openedElsewhere {
		if !seen[place] {
			t.Errorf("%s opens nothing: take it out of the list", place)
		}
	}
}

// opens reports whether a function opens something in one of these ways, except by a name of the kernel's. Only a file
// that uses os.Root has its methods.
func opens(f *ast.FuncDecl, root bool) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		way := "." + name.Sel.Name
		if in, ok := name.X.(*ast.Ident); ok && in.Name == "os" {
			way = "os" + way
		} else if !root || way == ".Open" && len(call.Args) != 1 {
			return true
		}
		found = found || slices.Contains(opening, way) && !harmless(call)
		return true
	})
	return found
}

// harmless reports whether a call's arguments name a file of /proc, or an open folder itself.
func harmless(call *ast.CallExpr) bool {
	is := false
	for _, arg := range call.Args {
		ast.Inspect(arg, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, err := strconv.Unquote(lit.Value)
				is = is || err == nil && (text == "." || strings.HasPrefix(text, "/proc/"))
			}
			return true
		})
	}
	return is
}
