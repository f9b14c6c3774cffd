package edit_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/edit"
)

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name, text, old, new, want string
		loose                      bool
	}{
		{"in a line", "one Helo two\n", "Helo", "Hello", "one Hello two\n", false},
		{"several lines", "a\nb\nc\n", "a\nb\n", "x\n", "x\nc\n", false},
		{"CRLF kept, LF asked", "a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n", true},
		{"CRLF kept in new lines", "a\r\nb\r\n", "a", "x\ny", "x\r\ny\r\nb\r\n", false},
		{"LF kept, CRLF asked", "a\nb\nc\n", "a\r\nb", "x\r\ny", "x\ny\nc\n", true},
		{"newline first in CRLF", "a\r\nb\r\n", "\nb", "\nx", "a\r\nx\r\n", false},
		{"mixed line ends", "a\r\nb\nc\n", "a\nb\nc", "x", "x\n", true},
		{"numbered", "func a() {\n\treturn\n}\n", "1\tfunc a() {\n2\t\treturn\n3\t}", "1\tfunc b() {\n2\t}", "func b() {\n}\n", true},
		{"numbered with colons", "a b\nc d\n", " 1: a b\n 2: c d", "e", "e\n", true},
		{"numbers that belong to the text", "1\tx\n", "1\tx", "2\ty", "2\ty\n", false},
		{"blanks in the file", "a  \nb\t\nc\n", "a\nb\nc", "x", "x\n", true},
		{"blanks in the call", "a\nb\nc\n", "a \nb  \nc", "x", "x\n", true},
		{"blanks at its end", "foo\nfoobar\n", "foobar  ", "x", "foo\nx\n", true},
		{"blanks at its end, more in the file", "foo   \nbar\n", "foo     ", "x", "x\nbar\n", true},
		{"no last newline", "a\nlast", "last\n", "end\n", "a\nend", true},
		{"other indentation", "if x {\n\t\ty()\n\t\tif z {\n\t\t}\n}\n", "  y()\n  if z {\n  }\n", "  y(1)\n  if z {\n  }\n", "if x {\n\t\ty(1)\n\t\tif z {\n\t\t}\n}\n", true},
		{"no indentation", "def a():\n    def b():\n        pass\n", "def b():\n    pass", "def b():\n    if c:\n        pass\n    return", "def a():\n    def b():\n        if c:\n            pass\n        return\n", true},
		{"blanks for tabs", "a {\r\n\tb {\r\n\t\tc\r\n", "    b {\n        c", "    b {\n        d {\n            c", "a {\r\n\tb {\r\n\t\td {\r\n\t\t\tc\r\n", true},
		{"lines less indented, removed", "\ta\n\t\tb\n\tc\n", "  b\n", "", "\ta\n\tc\n", true},
		{"visible form", "x\u200by\n", "x<U+200B>y", "z<U+200B>", "z\u200b\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := edit.Find(t.Context(), tt.text, tt.old, tt.new)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, f.In(tt.text)); diff != "" {
				t.Error(diff)
			}
			if (f.Loose != "") != tt.loose {
				t.Errorf("Loose = %q", f.Loose)
			}
		})
	}
}

func TestFindFails(t *testing.T) {
	many := strings.Repeat("x\n", 20)
	for _, tt := range []struct{ name, text, old, want string }{
		{"twice", "a\nb\na\n", "a", "old_text occurs 2 times (lines 1, 3)."},
		{"often", many, "x", "old_text occurs 20 times (lines 1, 2, 3, 4, 5, 6, 7, 8 and 12 more)."},
		{"twice when loosened", "a \nb\na\t\nb\n", "a\nb", "old_text occurs 2 times (lines 1, 3)."},
		{"blanks do not match anywhere", "foobar\n", "foo  ", "old_text is not in the file. The closest text is:\n\nLine 1:\nfoobar\n\nCopy old_text exactly from the file."},
		{
			"near", "package a\n\nfunc hello() {\n\tprintln(\"hi\")\n}\n", "func helo() {\n\tprintln(\"hi\")\n}",
			"old_text is not in the file. The closest text is:\n\nLine 3:\nfunc hello() {\n\tprintln(\"hi\")\n}\n\nCopy old_text exactly from the file.",
		},
		{"indented in two ways", "a {\n\tbcd\n\t\tefg\n}\n", "  bcd\n  efg", "old_text is not in the file. The closest text is:\n\nLine 2:\n\tbcd\n\t\tefg\n\nCopy old_text exactly from the file."},
		{"indented twice alike", "x\n\ta {\n\t\tb\n\t}\n\ta {\n\t\tb\n\t}\n", "a {\n  b\n}\n", "old_text occurs 2 times (lines 2, 5)."},
		{"nothing near", "abc\n", "zzzzzzz", "old_text is not in the file"},
		{"empty", "abc\n", "", "old_text is not in the file"},
		{"blank", "a\r\n\r\nb\r\n", "\n\n\n", "old_text is not in the file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := edit.Find(t.Context(), tt.text, tt.old, "new")
			if err == nil {
				t.Fatal("found")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRevertAlone(t *testing.T) {
	before := "# Demo\n\nHelo world.\n\nThis is a tset.\n"
	first, err := edit.Find(t.Context(), before, "Helo", "Hello")
	if err != nil {
		t.Fatal(err)
	}
	h := edit.Make(before, first.Place, first.New)
	now := strings.Replace(first.In(before), "tset", "test", 1)
	now = "New title\n" + now
	got, err := edit.Revert(now, h)
	if want := "New title\n# Demo\n\nHelo world.\n\nThis is a test.\n"; err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
	again, err := edit.Apply(got, h)
	if err != nil || again != now {
		t.Errorf("again %q, %v", again, err)
	}
	if got, err := edit.Revert(strings.ReplaceAll(now, "\n", "\r\n"), h); err != nil || !strings.Contains(got, "Helo world.\r\n") {
		t.Errorf("with CRLF: %q, %v", got, err)
	}
}

func TestRevertRefusesToGuess(t *testing.T) {
	text := "a = 1\nb = 1\nc = 1\n"
	f, err := edit.Find(t.Context(), text, "b = 1", "b = 2")
	if err != nil {
		t.Fatal(err)
	}
	h := edit.Make(text, f.Place, f.New)
	for name, now := range map[string]string{
		"rewritten":   "a = 1\nb = 3\nc = 1\n",
		"gone":        "",
		"moved":       "x\ny\nb = 2\nz\n",
		"twice alike": "a = 1\nb = 2\nc = 1\na = 1\nb = 2\nc = 1\n",
	} {
		if got, err := edit.Revert(now, h); !errors.Is(err, edit.ErrGone) || got != now {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func TestRevertInsertionAndDeletion(t *testing.T) {
	text := "one\ntwo\nthree\nfour\n"
	for _, tt := range []struct{ old, new string }{{"two\n", ""}, {"two\n", "two\nmore\n"}, {text, "all\n"}, {"one\n", ""}, {"four\n", ""}} {
		f, err := edit.Find(t.Context(), text, tt.old, tt.new)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := edit.Revert(f.In(text), edit.Make(text, f.Place, f.New)); err != nil || got != text {
			t.Errorf("%q to %q: got %q, %v", tt.old, tt.new, got, err)
		}
	}
}

// Of several edits in a text of distinct lines, each can be taken back alone, in any order.
func TestRevertProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		eol := []string{"\n", "\r\n"}[r.IntN(2)]
		lines := make([]string, 24)
		for i := range lines {
			lines[i] = fmt.Sprintf("line %c %d", 'a'+i, r.IntN(1000))
		}
		text := strings.Join(lines, eol) + eol
		at := r.Perm(6)[:3] // one edit in each of three blocks of four lines
		now, hunks := text, []edit.Hunk{}
		for _, block := range at {
			n := block * 4
			newText := []string{"", "changed" + lines[n+1], lines[n+1] + "\nand more"}[r.IntN(3)]
			f, err := edit.Find(t.Context(), now, lines[n+1], newText)
			if err != nil {
				t.Fatal(err)
			}
			hunks = append(hunks, edit.Make(now, f.Place, f.New))
			now = f.In(now)
		}
		for _, i := range r.Perm(len(hunks)) {
			next, err := edit.Revert(now, hunks[i])
			if err != nil {
				t.Fatalf("%q: %+v: %v", now, hunks[i], err)
			}
			now = next
		}
		if now != text {
			t.Fatalf("got %q, want %q", now, text)
		}
	}
}

// Promise 10.
func TestChange(t *testing.T) {
	for _, tt := range []struct{ before, after string }{
		{"a\nb\nc\n", "a\nx\nc\n"},
		{"a\nb\nc", "a\nb\nd"},
		{"", "new\n"},
		{"old\n", ""},
		{"a\na\na\n", "a\na\na\na\n"},
		{"é\n", "è\n"},
		{"same\n", "same\n"},
	} {
		h := edit.Change(tt.before, tt.after)
		if !utf8.ValidString(h.Old) || !utf8.ValidString(h.New) {
			t.Errorf("a character was cut: %+v", h)
		}
		if got, err := edit.Revert(tt.after, h); err != nil || got != tt.before {
			t.Errorf("%q to %q: %+v reverts to %q, %v", tt.before, tt.after, h, got, err)
		}
	}
}

func TestDiff(t *testing.T) {
	got := edit.Diff("a.txt", "a\r\nb\r\n", "a\r\nc\r\n")
	want := "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := edit.Diff("a.txt", "a\r\nb\n", "a\nb\n"); !strings.Contains(got, "-a\r\n") {
		t.Errorf("a changed line end does not show: %q", got)
	}
}

func TestTouched(t *testing.T) {
	touched := func(text string) []string {
		f, err := edit.Find(t.Context(), text, "Helo", "Hello")
		if err != nil {
			t.Fatal(err)
		}
		a, b, c, d := edit.Touched(text, f.Place, f.New)
		return []string{a, b, c, d}
	}
	want := []string{"up\n", "x Helo y\n", "x Hello y\n", "down\n"}
	for _, text := range []string{"up\nx Helo y\ndown\n", "more\nup\nx Helo y\ndown\nmore\n"} {
		if diff := cmp.Diff(want, touched(text)); diff != "" {
			t.Error(diff)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("a\r\nb \r\n", "a\nb\n", "x\ny")
	f.Add("1\ta\n", "1\t1\ta", "")
	f.Add("x\u200b", "x<U+200B>", "<U+110000>")
	f.Add("last", "last\n", "\n")
	f.Fuzz(func(t *testing.T, text, old, newText string) {
		found, err := edit.Find(t.Context(), text, old, newText)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		if found.Start < 0 || found.End > len(text) || found.Start >= found.End {
			t.Fatalf("place %+v in %d bytes", found.Place, len(text))
		}
		now := found.In(text)
		h := edit.Make(text, found.Place, found.New)
		back, err := edit.Revert(now, h)
		if err == nil && back != text {
			t.Errorf("%q became %q and reverts to %q", text, now, back)
		}
		h = edit.Change(text, now)
		if back, err := edit.Revert(now, h); err == nil && back != text {
			t.Errorf("change: %q became %q and reverts to %q", text, now, back)
		}
	})
}

// An edit whose new text is already there would repeat a part of it.
func TestStands(t *testing.T) {
	for _, test := range []struct {
		text, old, with string
		want            bool
	}{
		{"- g\n- mg\n- t\nEnd\n", "- mg", "- mg\n- t", true},
		{"- g\n- mg\nEnd\n", "- mg", "- mg\n- t", false},
		{"- mg\n- tonne\n", "- mg", "- mg\n- t", false}, // another line that begins alike
		{"import os\nimport sys\n", "import sys", "import os\nimport sys", true},
		{"a\n", "a", "a\na", false},
		{"a\nb\n", "b", "a\nb\nc", false},
		{"f(x)\n", "f(x)", "g(x)", false},
		{"the fooBar\n", "the foo", "the fooBar", true},
		{"rest\n", "rest\n", "", false},
	} {
		found, err := edit.Find(t.Context(), test.text, test.old, test.with)
		if err != nil {
			t.Fatal(err)
		}
		if got := found.Stands(test.text); got != test.want {
			t.Errorf("%q for %q in %q: %v", test.with, test.old, test.text, got)
		}
	}
}
