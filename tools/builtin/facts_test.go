package builtin_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/toolstest"
	"github.com/assent-ls/assent/tools/workspace"
)

// What a result shows is known as facts: nothing else reads the words of our own results.
func TestWhatAResultShows(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{
		"a.go": "func port() {}\n// port\n", "sub/b.go": "port()\n", "long.txt": strings.Repeat("one line\n", 500), "short.txt": "all of it\n",
	})
	shown := func(tool string, arguments map[string]any) (files, found []string, part bool) {
		spec, ok := b.Dispatcher.Registry().BuiltIn(tool)
		if !ok {
			t.Fatal(tool)
		}
		return tools.Shows(spec, b.Do(tool, arguments).Text())
	}
	if files, found, part := shown("search_files", toolstest.Args("pattern", "port")); !slices.Equal(files, []string{"a.go", "sub/b.go"}) ||
		found != nil || part {
		t.Errorf("a search shows %q, %q, %v", files, found, part)
	}
	if files, found, part := shown("read_file", toolstest.Args("path", "long.txt")); files != nil || found != nil || !part {
		t.Errorf("the beginning of a long file: %q, %q, %v", files, found, part)
	}
	if _, _, part := shown("read_file", toolstest.Args("path", "short.txt")); part {
		t.Error("a short file is shown whole")
	}
	if _, found, _ := shown("tool_search", toolstest.Args("query", "move a file")); !slices.Contains(found, "move_file") {
		t.Errorf("a search of tools describes %q", found)
	}
}

// A draft takes the place of the workspace for every tool that is about files, and for no other.
func TestTheToolsOfFiles(t *testing.T) {
	var names []string
	for _, tool := range builtin.Files(new(workspace.Workspace)) {
		names = append(names, tool.Spec().Name)
	}
	want := []string{
		"read_file", "list_directory", "search_files", "find_files", "write_file", "edit_file", "insert_text", "edit_files",
		"delete_file", "move_file", "replace_everywhere",
	}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}
