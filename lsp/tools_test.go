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

// An editor that saves what is edited shows the page as it is now in its place: nothing is opened anew, so that the
// cursor stays. A page that somebody typed into becomes another one.
func TestThePageOfToolsChangesInItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		saves := lsptest.Options{Assent: map[string]any{"saves": true}}
		l := newLab(t, "", saves, map[string]string{"README.md": "Helo\n"})
		defer l.Leave()
		l.inConfig("settings.json", "{}\n")
		show := func() string {
			if _, err := l.Execute("assent.showTools"); err != nil {
				t.Fatal(err)
			}
			shown := l.Shown()
			rel, err := filepath.Rel(l.Dir, strings.TrimPrefix(string(shown[len(shown)-1].URI), "file://"))
			l.must(err)
			return rel
		}
		page := show()
		l.Open(page)
		on := l.Text(page)
		for _, pattern := range []string{"| Find files by name, for example \"`*.go`\" or \"`src/**/test_*`\". |", "knows sqrt, round and `**`. |"} {
			if !strings.Contains(on, pattern) {
				t.Errorf("%q is not on the page:\n%s", pattern, on)
			}
		}
		l.must(l.Do(page, "| `calculator`", "Turn off calculator"))
		off := l.Text(page)
		if want := strings.Replace(on, "| `calculator`         | on  |", "| `calculator`         | off |", 1); off != want || len(l.Shown()) != 1 {
			t.Errorf("%d pages, and this one is:\n%s", len(l.Shown()), off)
		}
		l.must(l.Do(page, "| `calculator`", "Turn on calculator"))
		if l.Text(page) != on || len(l.Shown()) != 1 {
			t.Errorf("%d pages, and this one is:\n%s", len(l.Shown()), l.Text(page))
		}
		l.must(l.Do(page, "| `todo`", "Turn off todo"))
		if _, err := l.Execute("assent.turnToolOn", map[string]any{"name": "todo"}); err != nil {
			t.Fatal(err)
		}
		if again := show(); again == page {
			t.Error("a page is shown over another one that is open")
		}
	})
}

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
