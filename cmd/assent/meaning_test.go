package main

import (
	"strings"
	"testing"
)

// The setting counts on the command line, too, and doctor says what it lacks.
func TestToolsAreFoundByMeaning(t *testing.T) {
	s := newUser(t, "model qwen2.5-coder:1.5b\nmodel small capabilities=embedding bytes=1000\nmodel cloud capabilities=embedding remote-host=ollama.com\nmeans obliterate delete\n")
	for _, row := range []struct{ model, found, doctor string }{
		{"", `No tool fits "obliterate"`, "note     tools and tables are found by words alone; to find them also by what they mean, set embeddingModel to small (docs/mcp.md)\n"},
		{"Small:latest", `{"name":"delete_file"`, "ok       tools and tables are found by words and, with Small:latest, by what they mean\n"},
		{"cloud", `No tool fits "obliterate"`, "MISSING  cloud, your embeddingModel, is no installed model"},
		{"qwen2.5-coder:1.5b", `No tool fits "obliterate"`, `that can do "embedding": tools and tables are found by words alone`},
	} {
		out, notes, status := s.run("tools", "run", "tool_search", `{"query":"obliterate"}`, "--folder", s.root, "--embedding-model", row.model)
		if status != 0 || !strings.Contains(out, row.found) || strings.Contains(notes, "Tools and tables") != strings.HasPrefix(out, "No tool fits") && row.model != "" {
			t.Errorf("%s: status %d: %s%s", row.model, status, out, notes)
		}
		if out, _, status := s.run("doctor", "--embedding-model", row.model); !strings.Contains(out, row.doctor) || (status != 0) != strings.Contains(out, "MISSING") {
			t.Errorf("%s: status %d: %s", row.model, status, out)
		}
	}
}
