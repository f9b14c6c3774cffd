package builtin_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/toolstest"
)

// Every tool that takes a path says which: that is what rules about paths see.
func TestPlansNameTheirPaths(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"src/a.txt": "one\n", "b.txt": "two\n"})
	for link, target := range map[string]string{"link.txt": "src/a.txt", "folder": "src"} {
		if err := os.Symlink(target, filepath.Join(b.Dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	b.Do("read_file", toolstest.Args("path", "src/a.txt"))
	for _, tt := range []struct {
		tool string
		args map[string]any
		want []string
	}{
		{"read_file", toolstest.Args("path", "./src/../b.txt"), []string{"b.txt"}},
		{"read_file", toolstest.Args("path", "link.txt"), []string{"src/a.txt", "link.txt"}},
		{"list_directory", toolstest.Args("path", ""), []string{"."}},
		{"list_directory", toolstest.Args("path", "folder/"), []string{"src", "folder"}},
		{"search_files", toolstest.Args("pattern", "x"), []string{"."}},
		{"search_files", toolstest.Args("pattern", "x", "path", "folder/a.txt"), []string{"src/a.txt", "folder/a.txt"}},
		{"find_files", toolstest.Args("pattern", "*.go"), []string{"."}},
		{"write_file", toolstest.Args("path", "folder/new/c.txt", "content", "x"), []string{"src/new/c.txt", "folder/new/c.txt"}},
		{"write_file", toolstest.Args("path", "link.txt", "content", "x"), []string{"src/a.txt", "link.txt"}},
		{"edit_file", toolstest.Change("/src/a.txt", "one", "1"), []string{"src/a.txt"}},
		{"get_time", toolstest.Args(), nil},
	} {
		if diff := cmp.Diff(tt.want, b.Plan(tt.tool, tt.args).Paths); diff != "" {
			t.Errorf("%s %v:\n%s", tt.tool, tt.args, diff)
		}
	}
}

func TestResultsSayWhatChanged(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "one\r\ntwo\r\n"})
	abs := filepath.Join(b.Workspace.Root(), "a.txt")
	for _, tt := range []struct {
		name string
		tool string
		args map[string]any
		want []tools.FileChange
	}{
		{"a file that was not read", "edit_file", toolstest.Change("a.txt", "one", "1"), nil},
		{"an edit", "edit_file", toolstest.Change("a.txt", "one", "1"), []tools.FileChange{{Path: abs, Before: new("one\r\ntwo\r\n"), After: new("1\r\ntwo\r\n")}}},
		{"done before", "edit_file", toolstest.Change("a.txt", "one", "1"), nil},
		{"a whole file", "write_file", toolstest.Args("path", "a.txt", "content", "x\ny"), []tools.FileChange{{Path: abs, Before: new("1\r\ntwo\r\n"), After: new("x\r\ny\r\n")}}},
		{"a new file", "write_file", toolstest.Args("path", "sub/b.txt", "content", ""), []tools.FileChange{{Path: filepath.Join(b.Workspace.Root(), "sub/b.txt"), After: new("")}}},
		{"a read", "read_file", toolstest.Args("path", "a.txt"), nil},
	} {
		if diff := cmp.Diff(tt.want, b.Do(tt.tool, tt.args).Changes); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
}
