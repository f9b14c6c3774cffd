package guidance

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/workspace"
)

func builtinRegistry(t *testing.T) *tools.Registry {
	t.Helper()
	ws, err := workspace.Open(t.TempDir(), workspace.NoBuffers{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return tools.NewSources(builtin.Tools(ws, builtin.Options{})).Known()
}

// A request brings the tools that are meant for what it says about a file, and no others.
func TestSuited(t *testing.T) {
	registry := builtinRegistry(t)
	for request, want := range map[string]string{
		"Rename draft.txt to final.txt.":                        "move_file",
		"please MOVE the file notes into old/":                  "move_file",
		"Remove `old.txt` and move src/new.txt":                 "delete_file move_file",
		"The files in tmp are useless: delete these files":      "delete_file",
		"Could you delete the old report.csv?":                  "delete_file",
		"Remove the line about debug from server.conf.":         "",
		"Rename the function old_sum to new_sum in a.py":        "",
		"Delete the second paragraph of README.md":              "",
		"Move the import to the top of the file":                "",
		"How do I remove a remote branch?":                      "",
		"remover.py moves things. What does it delete, and how": "",
		"": "",
	} {
		found := tools.FoundIn(tools.Describe(suited(registry, nil, request)))
		slices.Sort(found)
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%q brings %q, not %q", request, got, want)
		}
	}
	if text := tools.Describe(suited(registry, []string{"move_file"}, "Move a.txt")); text != "" {
		t.Errorf("what the model was told of is described again: %s", text)
	}
}

func TestReplaceEverywhereIsFoundByWords(t *testing.T) {
	registry := builtinRegistry(t)
	for request, want := range map[string]bool{
		"rename parseAll to readAll": true, "Please rename the function max_size to limit.": true, "roundUp is a bad name. Call it ceilTo, everywhere.": true,
		"replace tea by coffee in all files": true, "rename the file a.txt to b.txt": false, "rename my title": false, "rename it": false, "where is it": false, "": false,
	} {
		got := false
		for _, s := range suited(registry, nil, request) {
			got = got || s.Name == "replace_everywhere"
		}
		if got != want {
			t.Errorf("%q: %v", request, got)
		}
	}
}
