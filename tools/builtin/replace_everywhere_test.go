package builtin_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/toolstest"
	"github.com/assent-ls/assent/tools/workspace"
)

func TestReplaceEverywhere(t *testing.T) {
	for name, tt := range map[string]struct {
		args        map[string]any
		files, want map[string]string
		says        string
	}{
		"a name, as a whole word": {
			toolstest.Args("old_text", "roundUp", "new_text", "ceilTo"),
			map[string]string{"src/a.ts": "import { roundUp } from './b';\nroundUps(roundUp(1));\n", "src/b.ts": "export function roundUp() {}\r\n", "c.ts": "_roundUp\n"},
			map[string]string{"src/a.ts": "import { ceilTo } from './b';\nroundUps(ceilTo(1));\n", "src/b.ts": "export function ceilTo() {}\r\n"},
			"Changed:\n\"src/a.ts\" at 2 places, lines 1, 2 (+2 -2 lines)\n\"src/b.ts\" at line 1 (+1 -1 lines)",
		},
		"a text of several words": {
			toolstest.Args("old_text", "the old harbour", "new_text", "the harbour"),
			map[string]string{"a.md": "In the old harbour.\n# the old harbour\n", "b.md": "the old\nharbour\n"},
			map[string]string{"a.md": "In the harbour.\n# the harbour\n"},
			"",
		},
		"in one folder": {
			toolstest.Args("old_text", "x", "new_text", "y", "path", "src"),
			map[string]string{"src/a.ts": "x", "b.ts": "x"},
			map[string]string{"src/a.ts": "y"},
			"",
		},
		"in one file": {
			toolstest.Args("old_text", "größe", "new_text", "länge", "path", "b.ts"),
			map[string]string{"a.ts": "größe", "b.ts": "größe, größer, ungröße"},
			map[string]string{"b.ts": "länge, größer, ungröße"},
			"",
		},
		"next to each other": {
			toolstest.Args("old_text", "--", "new_text", "-"), map[string]string{"a": "-----\n"}, map[string]string{"a": "---\n"}, "",
		},
		"with the line ends of the file": {
			toolstest.Args("old_text", "a\nb", "new_text", "c\nd\ne"), map[string]string{"crlf": "a\r\nb\r\n", "lf": "a\nb\n"}, map[string]string{"crlf": "c\r\nd\r\ne\r\n", "lf": "c\nd\ne\n"}, "",
		},
		"no part of a word whose letters are written with signs": {
			toolstest.Args("old_text", "cafe", "new_text", "tea"), map[string]string{"a": "cafe\u0301 cafe\n"}, map[string]string{"a": "cafe\u0301 tea\n"}, "",
		},
		"in a file with a blank around its name": {
			toolstest.Args("old_text", "x", "new_text", "y"), map[string]string{"folder/ a": "x\n", "folder/b ": "x\n"}, map[string]string{"folder/ a": "y\n", "folder/b ": "y\n"}, "",
		},
		"files that are no text are named": {
			toolstest.Args("old_text", "name", "new_text", "label"),
			map[string]string{"a.md": "name\n", "latin.py": "# \xe9\nname = 1\n", "other.py": "# \xe9\n"},
			map[string]string{"a.md": "label\n"},
			"Changed:\n\"a.md\" at line 1 (+1 -1 lines)\nIt may also be in what is no UTF-8 text, too large, or cannot be read: latin.py.",
		},
		"removed": {
			toolstest.Args("old_text", "very ", "new_text", ""), map[string]string{"a": "a very old, very long way\n"}, map[string]string{"a": "a old, long way\n"}, "",
		},
		"at more places than are kept apart": {
			toolstest.Args("old_text", "n", "new_text", "m"), map[string]string{"a": strings.Repeat("n\n", 300)}, map[string]string{"a": strings.Repeat("m\n", 300)}, "",
		},
		"protected files are left out": {
			toolstest.Args("old_text", "canary", "new_text", "bird"), map[string]string{".env": "KEY=canary\n", "a.md": "canary\n"}, map[string]string{"a.md": "bird\n"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := toolstest.NewBench(t, tt.files)
			r := b.Do("replace_everywhere", tt.args)
			if r.Failed || tt.says != "" && r.Text() != tt.says {
				t.Fatalf("%+v", r)
			}
			for file, before := range tt.files {
				want, changed := tt.want[file]
				if !changed {
					want = before
				}
				if got := b.OnDisk(file); got != want {
					t.Errorf("%s: %q, not %q", file, got, want)
				}
			}
			if len(r.Changes) != len(tt.want) {
				t.Errorf("%d changes", len(r.Changes))
			}
			if err := tools.UndoEdit(t.Context(), b.Workspace, b.Reads, *r.Undo); err != nil {
				t.Fatal(err)
			}
			for file, before := range tt.files {
				if got := b.OnDisk(file); got != before {
					t.Errorf("undone, %s: %q", file, got)
				}
			}
		})
	}
}

func TestReplaceEverywhereErrors(t *testing.T) {
	many := map[string]string{"latin.py": "# \xe9\nlatin = 1\n", "a.md": "one anyone Some\n", "done.md": "new\n", ".env": "KEY=canary\n", "long": strings.Repeat("a ", 1001)}
	for i := range 51 {
		many["many/"+strings.Repeat("x", i+1)] = "often\n"
	}
	b := toolstest.NewBench(t, many)
	for _, tt := range []struct {
		args map[string]any
		want string
	}{
		{toolstest.Args("old_text", "", "new_text", "x"), "Old_text is empty: give the name or the text to replace."},
		{toolstest.Args("old_text", "one", "new_text", "one"), "Old_text and new_text are the same: nothing would change."},
		{toolstest.Args("old_text", strings.Repeat("x", 2000), "new_text", ""), "Old_text is longer than"},
		{toolstest.Args("old_text", "one", "new_text", "x", "path", "b.md"), `There is no file "b.md". Near: "a.md".`},
		{toolstest.Args("old_text", "ome", "new_text", "x"), `Nothing was changed: "ome" is no word of its own in any file, only a part of Some.`},
		{toolstest.Args("old_text", "old", "new_text", "new"), `Nothing was changed: "old" is not in any file, and "new" is in done.md: it seems to be done.`},
		{toolstest.Args("old_text", "old", "new_text", "newer", "path", "many"), `Nothing was changed: "old" is not in many. search_files finds how it is written.`},
		{toolstest.Args("old_text", "often", "new_text", "x"), "in more than 50 files. Give the path of a folder."},
		{toolstest.Args("old_text", "a", "new_text", "x"), "at more than 1000 places"},
		{toolstest.Args("old_text", "canary", "new_text", "x", "path", ".env"), `".env" was not read, or changed since: use read_file first.`},
		{toolstest.Args("old_text", "canary", "new_text", "x"), `"canary" is not in any file`},
		{toolstest.Args("old_text", "latin", "new_text", "x"), `"latin" is not in any file that can be changed. Search_files finds how it is written. It may also be in what is no UTF-8 text, too large, or cannot be read: latin.py.`},
	} {
		r := b.Do("replace_everywhere", tt.args)
		if !r.Failed || !strings.Contains(strings.ToLower(r.Text()), strings.ToLower(tt.want)) || len(r.Changes) > 0 {
			t.Errorf("%v: %+v", tt.args, r)
		}
	}
}

// What waits is bound to each file's text: a file that gets one more place has to be asked about again.
func TestReplaceEverywhereIsBound(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.md": "old\n", "b.md": "new\n"})
	before := b.Plan("replace_everywhere", toolstest.Args("old_text", "old", "new_text", "new"))
	if !strings.Contains(before.Notice, `"new" is already in b.md.`) || before.Target != `"old" by "new" in 1 file` || len(before.Files) != 1 {
		t.Errorf("%+v", before)
	}
	b.Write("b.md", "new old\n")
	if after := b.Plan("replace_everywhere", toolstest.Args("old_text", "old", "new_text", "new")); after.Binding == before.Binding {
		t.Error("the same approval covers a file more")
	}
}

// fickle is an editor whose user removes the text after some looks at it.
type fickle struct {
	workspace.NoBuffers

	left *int
}

func (f fickle) Text(string) (string, bool) {
	if *f.left--; *f.left >= 0 {
		return "old\n", true
	}
	return "other\n", true
}

func TestReplaceEverywhereInATextThatChanges(t *testing.T) {
	gone, found := 0, 0
	for looks := range 30 {
		b, left := toolstest.NewBench(t, map[string]string{"a.md": "old\n"}), looks
		ws, err := workspace.Open(b.Dir, fickle{left: &left})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := builtin.ReplaceEverywhere(ws).Plan(t.Context(), b.Call("replace_everywhere", toolstest.Args("old_text", "old", "new_text", "new")))
		switch {
		case err == nil && strings.Contains(plan.Preview, "+new"):
			found++
		case err != nil && strings.Contains(err.Error(), `"old" is not in any file`):
			gone++
		default:
			t.Errorf("removed after %d looks: %v\n%s", looks, err, plan.Preview)
		}
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	}
	if gone == 0 || found == 0 {
		t.Errorf("gone in %d plans, found in %d: the looks of a plan are more than this test knows", gone, found)
	}
}
