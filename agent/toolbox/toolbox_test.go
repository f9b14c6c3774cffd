package toolbox_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/toolbox"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/python/signature"
)

// What the setting toolSearch says decides which tools are described, and never which can be called but for the search.
func TestToolSearch(t *testing.T) {
	specs := []tools.Spec{
		{Name: "read_file"}, {Name: "move_file"}, {Name: "tool_search", Finds: true}, {Name: signature.Execution},
	}
	core := []string{"read_file"}
	for name, c := range map[string]struct {
		search   string
		narrowed []string
		want     []string
		all      int
	}{
		"as today":           {"", nil, []string{"read_file", "python_execution", "tool_search"}, 4},
		"auto":               {"auto", nil, []string{"read_file", "python_execution", "tool_search"}, 4},
		"on":                 {"on", nil, []string{"python_execution", "tool_search"}, 4},
		"off":                {"off", nil, []string{"read_file", "move_file", "python_execution"}, 3},
		"the chat names one": {"on", []string{"move_file"}, []string{"move_file"}, 1},
	} {
		box := toolbox.New(specs, c.narrowed, core, c.search)
		if diff := cmp.Diff(c.want, toolbox.Names(box.After(nil))); diff != "" || len(box.All()) != c.all {
			t.Errorf("%s: %d can be called\n%s", name, len(box.All()), diff)
		}
	}
	if len(core) != 1 {
		t.Error("the core was changed")
	}
}
