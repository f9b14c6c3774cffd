package workspace

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestOnlyDirectoriesAskTheDisk: what a workspace is asked goes through tree.Directory, which a draft has, too. Only these
// files may know the system's own calls.
func TestOnlyDirectoriesAskTheDisk(t *testing.T) {
	disk := []string{
		"identity_bsd.go", "identity_linux.go", "identity_none.go", "identity_other.go", "identity_unix.go", // of open files
		"key.go", "workspace.go", // open a workspace, before there is a draft of it
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || slices.Contains(disk, name) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		looked++
		for _, spec := range file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if path == "os" || path == "syscall" || path == "io/ioutil" || strings.HasPrefix(path, "golang.org/x/sys/") {
				t.Errorf("%s imports %s: a draft would not be asked. Add a method to tree.Directory", name, path)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			in, ok := call.X.(*ast.Ident)
			asks := []string{"EvalSymlinks", "Walk", "WalkDir", "Glob"} // of filepath
			if ok && (in.Name == "filepath" && slices.Contains(asks, call.Sel.Name) || in.Name == "fs" && call.Sel.Name == "WalkDir") {
				t.Errorf("%s calls %s.%s, which asks no draft", name, in.Name, call.Sel.Name)
			}
			return true
		})
	}
	if looked == 0 {
		t.Error("nothing was looked at")
	}
}
