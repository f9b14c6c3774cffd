package tools_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools"
)

// Every tool that takes a path says which: that is what rules about paths see.
func TestPlansNameTheirPaths(t *testing.T) {
	b := newBench(t, map[string]string{"src/a.txt": "one\n", "b.txt": "two\n"})
	for link, target := range map[string]string{"link.txt": "src/a.txt", "folder": "src"} {
		if err := os.Symlink(target, filepath.Join(b.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	b.do("read_file", args("path", "src/a.txt"))
	for _, tt := range []struct {
		tool string
		args map[string]any
		want []string
	}{
		{"read_file", args("path", "./src/../b.txt"), []string{"b.txt"}},
		{"read_file", args("path", "link.txt"), []string{"src/a.txt", "link.txt"}},
		{"list_directory", args("path", ""), []string{"."}},
		{"list_directory", args("path", "folder/"), []string{"src", "folder"}},
		{"search_files", args("pattern", "x"), []string{"."}},
		{"search_files", args("pattern", "x", "path", "folder/a.txt"), []string{"src/a.txt", "folder/a.txt"}},
		{"find_files", args("pattern", "*.go"), []string{"."}},
		{"write_file", args("path", "folder/new/c.txt", "content", "x"), []string{"src/new/c.txt", "folder/new/c.txt"}},
		{"write_file", args("path", "link.txt", "content", "x"), []string{"src/a.txt", "link.txt"}},
		{"edit_file", change("/src/a.txt", "one", "1"), []string{"src/a.txt"}},
		{"get_time", args(), nil},
	} {
		if diff := cmp.Diff(tt.want, b.plan(tt.tool, tt.args).Paths); diff != "" {
			t.Errorf("%s %v:\n%s", tt.tool, tt.args, diff)
		}
	}
}

// plan is what a built-in tool plans.
func (b *bench) plan(name string, arguments any) tools.Plan {
	b.Helper()
	for _, tool := range tools.Builtin(b.ws, tools.Options{}) {
		if tool.Spec().Name != name {
			continue
		}
		plan, err := tool.Plan(b.Context(), b.call(name, arguments))
		if err != nil {
			b.Fatalf("%s %v: %v", name, arguments, err)
		}
		return plan
	}
	b.Fatalf("no tool %s", name)
	return tools.Plan{}
}

func TestResultsSayWhatChanged(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "one\r\ntwo\r\n"})
	abs := filepath.Join(b.ws.Root(), "a.txt")
	for _, tt := range []struct {
		name string
		tool string
		args map[string]any
		want []tools.FileChange
	}{
		{"a file that was not read", "edit_file", change("a.txt", "one", "1"), nil},
		{"an edit", "edit_file", change("a.txt", "one", "1"), []tools.FileChange{{Path: abs, Before: new("one\r\ntwo\r\n"), After: new("1\r\ntwo\r\n")}}},
		{"done before", "edit_file", change("a.txt", "one", "1"), nil},
		{"a whole file", "write_file", args("path", "a.txt", "content", "x\ny"), []tools.FileChange{{Path: abs, Before: new("1\r\ntwo\r\n"), After: new("x\r\ny\r\n")}}},
		{"a new file", "write_file", args("path", "sub/b.txt", "content", ""), []tools.FileChange{{Path: filepath.Join(b.ws.Root(), "sub/b.txt"), After: new("")}}},
		{"a read", "read_file", args("path", "a.txt"), nil},
	} {
		if diff := cmp.Diff(tt.want, b.do(tt.tool, tt.args).Changes); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
}
