package prompts_test

import (
	"os"
	"strings"
	"testing"

	"github.com/assent-ls/assent/prompts"
)

// The page names every variable, preset and rules file.
func TestThePageIsWhole(t *testing.T) {
	data, err := os.ReadFile("../docs/prompts.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range prompts.Variables() {
		names = append(names, "`{{."+v.Name+"}}`")
	}
	for _, p := range prompts.Presets(t.TempDir()) {
		names = append(names, "| `"+p.Name+"` |")
	}
	for _, f := range prompts.RulesFiles() {
		names = append(names, "`"+f+"`")
	}
	for _, name := range names {
		if !strings.Contains(string(data), name) {
			t.Errorf("docs/prompts.md does not name %s", name)
		}
	}
	// What it shows as an example works.
	_, rest, _ := strings.Cut(string(data), "```markdown\n{{/*")
	example, _, found := strings.Cut(rest, "```")
	if problems := prompts.Check("{{/*" + example); !found || len(problems) > 0 {
		t.Errorf("%+v", problems)
	}
}
