package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// With the model that the user chose for it, a search in other words finds the tool; without one, and where it fails,
// words count, and the user is told why, once.
func TestToolsAreFoundByMeaning(t *testing.T) {
	const script = `model qwen2.5-coder:1.5b
model small capabilities=embedding
means obliterate delete
turn
json {"tool":"tool_search","arguments":{"query":"obliterate"}}
turn
expect-last: %
json {"tool":"tool_search","arguments":{"query":"obliterate"}}
turn
json {"answer":"I see."}
`
	for name, row := range map[string]struct{ model, fault, found, told string }{
		"chosen": {"small", "", `{"name":"delete_file"`, ""},
		"none":   {"", "", `No tool fits "obliterate"`, ""},
		"fails":  {"small", "embed error no memory\n", `No tool fits "obliterate"`, "Tools and tables are found by words alone: "},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				config := t.TempDir()
				write(t, filepath.Join(config, "settings.json"), `{"embeddingModel": "`+row.model+`"}`)
				l := newLabOf(t, config, row.fault+strings.Replace(script, "%", row.found, 1), lsptest.Options{}, map[string]string{chat: "## You\n\nHi there\n"})
				defer l.Leave()
				l.Open(chat)
				l.must(l.Do(chat, "Hi", "Send"))
				l.WaitText(chat, "I see.")
				told := strings.Join(l.Messages(), "\n")
				if strings.Count(told, "by words alone") != strings.Count(row.told, "by words alone") || !strings.Contains(told, row.told) {
					t.Errorf("told %q, not %q", told, row.told)
				}
			})
		})
	}
}
