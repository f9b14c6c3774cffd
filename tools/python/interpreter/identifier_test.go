package interpreter_test

import (
	"testing"

	"github.com/assent-ls/assent/tools/python/interpreter"
)

func TestIdentifier(t *testing.T) {
	for name, want := range map[string]string{
		"read_file": "read_file", "mcp.look-up": "mcp_look_up", "from": "from_", "3d": "_3d", "": "_", "größe": "gr__e", "None": "None_",
	} {
		if got := interpreter.Identifier(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}
