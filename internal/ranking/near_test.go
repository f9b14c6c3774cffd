package ranking_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/internal/ranking"
)

func TestNear(t *testing.T) {
	names := []string{
		"run", "send", "permissions", "trust", "tools", "context-size", "command-timeout", "qwen2.5-coder:7b",
		"qwen2.5-coder:1.5b", "read_file", "write_file",
	}
	for word, want := range map[string][]string{
		"rnu":                    {"run"},
		"RUN":                    {"run"},
		"tool":                   {"tools"},
		"perm":                   {"permissions"},
		"contextSize":            {"context-size"},
		"timeout":                {"command-timeout"},
		"readfile":               {"read_file"},
		"raed_file":              {"read_file"},
		"qwen2.5-codr:7b":        {"qwen2.5-coder:7b", "qwen2.5-coder:1.5b"},
		"qwen2.5-coder":          {"qwen2.5-coder:7b", "qwen2.5-coder:1.5b"},
		"x":                      nil,
		"":                       nil,
		"something else":         nil,
		strings.Repeat("x", 1e6): nil,
	} {
		if diff := cmp.Diff(want, ranking.Near(word, names, 2)); diff != "" {
			t.Errorf("%.40q (-want +got): %s", word, diff)
		}
	}
}
