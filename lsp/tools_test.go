package lsp_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// The page of tools turns a tool off and on where it shows it, in the user's file alone, and never over changes that
// are not saved.
func TestToolsAreTurnedOffOnTheirPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "", lsptest.Options{}, map[string]string{"README.md": "Helo\n"})
		defer l.Leave()
		mine := l.inConfig("settings.json", "{\n  // mine\n  \"maxSteps\": 3\n}\n")
		page := func() string {
			shown := l.Shown()
			path := strings.TrimPrefix(string(shown[len(shown)-1].URI), "file://")
			rel, err := filepath.Rel(l.Dir, path)
			l.must(err)
			l.Open(rel)
			return rel
		}
		if _, err := l.Execute("assent.showTools"); err != nil {
			t.Fatal(err)
		}
		first := page()
		if titles := l.Titles(first, "| `calculator` "); !slices.Equal(titles[:2], []string{"Show tools", "Turn off calculator"}) {
			t.Errorf("the menu is %q", titles)
		}
		if titles := l.Titles(first, "# Tools"); slices.ContainsFunc(titles, func(title string) bool { return strings.HasPrefix(title, "Turn o") }) {
			t.Errorf("at the heading the menu is %q", titles)
		}
		l.must(l.Do(first, "| `calculator`", "Turn off calculator"))
		second := page()
		if titles := l.Titles(second, "| `calculator` "); first == second || titles[1] != "Turn on calculator" {
			t.Errorf("the menu of %s is %q", second, titles)
		}
		held, err := os.ReadFile(filepath.Join(l.config, "settings.json"))
		if want := "{\n  \"toolsOff\": [\"calculator\"],\n  // mine\n  \"maxSteps\": 3\n}\n"; err != nil || string(held) != want {
			t.Errorf("%v: %s", err, held)
		}
		l.Open(mine)
		l.Type(mine, "// not saved\n")
		if err := l.Do(second, "| `calculator`", "Turn on calculator"); err == nil || !strings.Contains(err.Error(), "save it first") {
			t.Errorf("a file with changes that are not saved was written: %v", err)
		}
		l.Save(mine)
		l.must(l.Do(second, "| `calculator`", "Turn on calculator"))
		held, err = os.ReadFile(filepath.Join(l.config, "settings.json"))
		if err != nil || !strings.Contains(string(held), "\"toolsOff\": [],\n  // mine\n") || !strings.Contains(string(held), "// not saved") {
			t.Errorf("%v: %s", err, held)
		}
	})
}
