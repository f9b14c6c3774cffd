package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/workspace"
)

// walked lists what a walk sees: folders end with "/", protected ones with "!".
func walked(t *testing.T, w *workspace.Workspace, dir string) []string {
	t.Helper()
	var seen []string
	err := w.Walk(t.Context(), resolve(t, w, dir), func(p workspace.Path) error {
		mark := ""
		if p.Dir {
			mark = "/"
		}
		if p.Protected != "" {
			mark += "!"
		}
		seen = append(seen, p.Rel+mark)
		if again, err := w.Resolve(p.Rel); err != nil || again != p {
			t.Errorf("Walk gave %+v, Resolve %+v, %v", p, again, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func TestWalkFollowsIgnoreRules(t *testing.T) {
	root := tree(t, map[string]string{
		".gitignore": "# comment\n\n*.log\n/build/\ntmp/\n!keep.log\ndoc/*.txt\nlib/**/gen\n\\#odd\nname with blank \nq?.md\n[ab].c\n!kept~\n",
		"a.log":      "", "keep.log": "", "build/out.o": "", "src/build/x.go": "", "tmp/x": "", "src/tmp/x": "", "tmpfile": "",
		"doc/a.txt": "", "doc/sub/b.txt": "", "lib/gen/x": "", "lib/a/b/gen/x": "", "lib/a/gen.go": "", "#odd": "", "name with blank": "",
		"q1.md": "", "q10.md": "", "a.c": "", "c.c": "",
		"src/.gitignore": "!a.log\r\n*.tmp\r\nsecret/*\r\n!secret/public\r\n", "src/a.log": "", "src/x.tmp": "", "x.tmp": "", "src/secret/private": "", "src/secret/public": "",
		".git/config": "", ".git/info/exclude": "excluded\n", "excluded": "", ".assent/prompts/system.md": "", ".hg/x": "", ".GIT/x": "", "ask.chat.md": "", ".envrc": "",
		"empty/": "", ".q10.md.swp": "", "src/.x.go.swo": "", "q10.md~": "", "src/#x.go#": "", ".#q10.md": "", "kept~": "", "src/!important": "",
	})
	link(t, "src", filepath.Join(root, "link-dir"))
	link(t, "c.c", filepath.Join(root, "link-file"))
	link(t, "/etc", filepath.Join(root, "link-out"))
	w := open(t, root, nil)
	want := []string{
		".envrc!", ".gitignore", "ask.chat.md!", "c.c", "doc/", "doc/sub/", "doc/sub/b.txt", "empty/", "keep.log", "kept~",
		"lib/", "lib/a/", "lib/a/b/", "lib/a/gen.go", "q10.md", "src/", "src/!important", "src/.gitignore", "src/a.log", "src/build/", "src/build/x.go",
		"src/secret/", "src/secret/public", "tmpfile", "x.tmp",
	}
	if diff := cmp.Diff(want, walked(t, w, ".")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"src/!important", "src/.gitignore", "src/a.log", "src/build/", "src/build/x.go", "src/secret/", "src/secret/public"}, walked(t, w, "src")); diff != "" {
		t.Error(diff)
	}
	// Who asks for an ignored folder by name means it.
	if diff := cmp.Diff([]string{"build/out.o"}, walked(t, w, "build")); diff != "" {
		t.Error(diff)
	}
}

func TestWalkStops(t *testing.T) {
	root := tree(t, map[string]string{"a/1": "", "a/2": "", "b/1": "", "c": ""})
	w := open(t, root, nil)
	walk := func(ctx context.Context, fn func(workspace.Path) error) error {
		return w.Walk(ctx, resolve(t, w, "."), fn)
	}
	var seen []string
	note := func(p workspace.Path, err error) error { seen = append(seen, p.Rel); return err }
	for _, tt := range []struct {
		at   string
		with error
		want string
		err  error
	}{
		{"a", fs.SkipDir, "a b b/1 c", nil},
		{"a/1", fs.SkipDir, "a a/1 b b/1 c", nil},
		{"b", fs.SkipAll, "a a/1 a/2 b", nil},
		{"a/1", fs.ErrClosed, "a a/1", fs.ErrClosed},
	} {
		seen = nil
		err := walk(t.Context(), func(p workspace.Path) error {
			if p.Rel == tt.at {
				return note(p, tt.with)
			}
			return note(p, nil)
		})
		if got := strings.Join(seen, " "); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%v at %s: saw %q, %v; want %q, %v", tt.with, tt.at, got, err, tt.want, tt.err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	seen = nil
	if err := walk(ctx, func(p workspace.Path) error { stop(); return note(p, nil) }); !errors.Is(err, context.Canceled) || len(seen) > 1 {
		t.Errorf("a cancelled walk saw %q, %v", seen, err)
	}
	for _, dir := range []string{"c", "none"} {
		if err := w.Walk(t.Context(), resolve(t, w, dir), func(workspace.Path) error { return nil }); err == nil {
			t.Errorf("Walk(%s) succeeded", dir)
		}
	}
}

func TestList(t *testing.T) {
	root := tree(t, map[string]string{".gitignore": "*.log\n", "b.txt": "12345", "a.log": "", "sub/x": "", "ask.chat.md": "x", ".git/config": ""})
	link(t, "sub", filepath.Join(root, "to-sub"))
	link(t, "/etc/passwd", filepath.Join(root, "to-etc"))
	w := open(t, root, nil)
	entries, err := w.List(t.Context(), resolve(t, w, ""))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%s dir=%v link=%s ignored=%v protected=%v", e.Name, e.Dir, e.Link, e.Ignored, e.Protected != ""))
	}
	want := []string{
		".git dir=true link= ignored=false protected=true",
		".gitignore dir=false link= ignored=false protected=false",
		"a.log dir=false link= ignored=true protected=false",
		"ask.chat.md dir=false link= ignored=false protected=true",
		"b.txt dir=false link= ignored=false protected=false",
		"sub dir=true link= ignored=false protected=false",
		"to-etc dir=false link=outside ignored=false protected=false",
		"to-sub dir=true link=sub ignored=false protected=false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := w.List(t.Context(), resolve(t, w, "b.txt")); !errors.Is(err, workspace.ErrNotRegular) {
		t.Errorf("List of a file = %v", err)
	}
	if _, err := w.List(t.Context(), resolve(t, w, "sup")); !errors.Is(err, workspace.ErrNotFound) || err.Error() != `There is no folder "sup". Near: "sub".` {
		t.Errorf("List of a missing folder = %v", err)
	}
}

func TestNear(t *testing.T) {
	root := tree(t, map[string]string{
		"VERSION": "", "version.txt": "", "src/main.go": "", "src/util/strings.go": "", "docs/main.go": "", "cmd/tool/main.go": "", "x/y/main.go": "",
		"notes.chat.md": "", "README.md": "", "source/": "",
	})
	w := open(t, root, nil)
	for _, tt := range []struct{ name, want string }{
		{"src/version.txt", `There is no file "src/version.txt". Near: "version.txt", "VERSION".`},
		{"main.go", `There is no file "main.go". Near: "src/main.go", "x/y/main.go", "docs/main.go".`},
		{"src/mian.go", `There is no file "src/mian.go". Near: "src/main.go", "x/y/main.go", "docs/main.go".`},
		{"readme.md", `There is no file "readme.md". Near: "README.md".`},
		{"README", `There is no file "README". Near: "README.md".`},
		{"src/utils/strings.go", `There is no file "src/utils/strings.go". Near: "src/util/strings.go".`},
		{"sorce/", `There is no folder "sorce". Near: "source", "src".`},
		{"note.chat.md", `There is no file "note.chat.md".`},
		{"completely/different.name", `There is no file "completely/different.name".`},
		{"", `There is no file "".`},
		{"../../etc/passwd", `There is no file "../../etc/passwd".`},
	} {
		err := w.Missing(t.Context(), tt.name)
		if !errors.Is(err, workspace.ErrNotFound) || err.Error() != tt.want {
			t.Errorf("Missing(%q) = %v; want %s", tt.name, err, tt.want)
		}
	}
	_, err := w.Resolve("/README.md")
	if err = w.Nearby(t.Context(), err, "README.md"); !errors.Is(err, workspace.ErrOutside) || !strings.HasSuffix(err.Error(), ` Near: "README.md".`) {
		t.Errorf("Nearby = %v; want what is near", err)
	}
}

func TestOutline(t *testing.T) {
	root := tree(t, map[string]string{
		"zebra.txt": "", "README.md": "", "go.mod": "", ".gitignore": "*.o\n", "x.o": "", "ask.chat.md": "", "src/main.go": "", "src/a/deep.go": "", "src/util.go": "",
		"docs/guide.md": "", "node_modules/p/index.js": "", "data/": "", ".git/config": "", ".github/ci.yml": "",
	})
	w := open(t, root, nil)
	for _, tt := range []struct {
		limit int
		want  string
	}{
		{100, "README.md\ngo.mod\nzebra.txt\ndocs/guide.md\nsrc/main.go\nsrc/util.go\nsrc/a/deep.go\n.gitignore\n.github/ci.yml\ndata/\nnode_modules/"},
		{11, "README.md\ngo.mod\nzebra.txt\ndocs/guide.md\nsrc/main.go\nsrc/util.go\nsrc/a/deep.go\n.gitignore\n.github/ci.yml\ndata/\nnode_modules/"},
		{10, "README.md\ngo.mod\nzebra.txt\n.github/ (1 file)\ndata/\ndocs/ (1 file)\nnode_modules/\nsrc/ (3 files)\ndocs/guide.md\n… 5 more files"},
		{3, "README.md\ngo.mod\n… 12 more"},
		{1, "… 14 more"},
	} {
		if diff := cmp.Diff(tt.want, w.Outline(t.Context(), tt.limit)); diff != "" {
			t.Errorf("limit %d: %s", tt.limit, diff)
		}
	}
	if got := open(t, tree(t, nil), nil).Outline(t.Context(), 10); got != "" {
		t.Errorf("an empty folder has the outline %q", got)
	}
}

func TestOutlineIsBounded(t *testing.T) {
	root := tree(t, nil)
	for dir := range 40 {
		for file := range 25 {
			write(t, root, map[string]string{fmt.Sprintf("d%02d/f%02d.go", dir, file): ""})
		}
	}
	w := open(t, root, nil)
	for limit := 1; limit < 60; limit++ {
		if lines := strings.Count(w.Outline(t.Context(), limit), "\n") + 1; lines > limit {
			t.Errorf("limit %d: %d lines", limit, lines)
		}
	}
}

func TestOutlineOfALargeWorkspace(t *testing.T) {
	root := tree(t, map[string]string{"zoo/last.go": "", "README.md": ""})
	for i := range 10_050 { // a folder's share is half of 20,000
		write(t, root, map[string]string{fmt.Sprintf("big/%d/%05d", i%10, i): ""})
	}
	w := open(t, root, nil)
	if diff := cmp.Diff("README.md\nbig/ (more than 9990 files)\nzoo/ (1 file)\nzoo/last.go\nbig/0/00000\n… more than 9989 more files", w.Outline(t.Context(), 6)); diff != "" {
		t.Error(diff)
	}
}

func TestMentioned(t *testing.T) {
	root := tree(t, map[string]string{
		"README.md": "", "src/main.go": "", "src/util.go": "", "docs/util.go": "", "Makefile": "", "run": "", "bin/build": "", "my notes.txt": "", "a/b/c/deep.py": "",
		"VERSION": "", "_config.yml": "", "ask.chat.md": "", ".git/config": "", ".gitignore": "ignored.txt\n", "ignored.txt": "", "LICENSE": "", "src/go": "",
		"one.txt": "", "two.txt": "", "three.txt": "", "four.txt": "", "five.txt": "", "six.txt": "",
	})
	w := open(t, root, nil)
	for _, tt := range []struct{ message, want string }{
		{"In README.md the word Helo is misspelled. Change it to Hello.", "README.md"},
		{"Fix the typo in `README.md`, please", "README.md"},
		{"what does src/main.go do?", "src/main.go"},
		{"What is in main.go?", "src/main.go"},
		{"Look at @src/main.go:12 and ./README.md.", "src/main.go README.md"},
		{"(see main.go:3:4), main.go#L10-L12", "src/main.go"},
		{"open c/deep.py", "a/b/c/deep.py"},
		{"readme.md and makefile", "README.md"},
		{"the Makefile's first target", "Makefile"},
		{"Which version is in VERSION?", "VERSION"},
		{"util.go is not unique", ""},
		{"docs/util.go is", "docs/util.go"},
		{`open "my notes.txt" now`, "my notes.txt"},
		{"don't open 'my notes.txt' or README.md; it's fine", "my notes.txt README.md"},
		{"please build and run it", "run"},
		{"please `build` it", "bin/build"},
		{"I like Go and go", ""},
		{"_config.yml", "_config.yml"},
		{"ask.chat.md and .git/config stay out", ""},
		{"ignored.txt by its path", "ignored.txt"},
		{"https://example.com/README.md is no file", ""},
		{"/etc/passwd ../README.md", ""},
		{"... . .. / ./ ~", ""},
		{"", ""},
		{"six.txt five.txt four.txt six.txt three.txt two.txt one.txt", "six.txt five.txt four.txt three.txt two.txt"},
		{"src is a folder", ""},
	} {
		var got []string
		for _, p := range w.Mentioned(t.Context(), tt.message) {
			got = append(got, p.Rel)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("Mentioned(%q) = %q; want %q", tt.message, got, tt.want)
		}
	}
}

func TestMentionedByOtherWords(t *testing.T) {
	root := tree(t, map[string]string{"README.md": "", "src/main.go": "", "straße/e\u0301.txt": "", "a.txt": ""})
	linked := root + "-link"
	link(t, root, linked)
	link(t, "src", filepath.Join(root, "code"))
	b := &buffers{texts: map[string]string{filepath.Join(root, "draft.go"): "package a", filepath.Join(linked, "new/b.go"): "package b"}}
	w := open(t, linked, b)
	for message, want := range map[string]string{
		"see " + root + "/src/main.go":        "src/main.go",
		"see " + linked + "/a.txt, please":    "a.txt",
		"see ws/README.md":                    "README.md",
		"see .//src/main.go":                  "src/main.go",
		"see src/../a.txt":                    "a.txt",
		"see code/main.go":                    "src/main.go",
		"see straße/e\u0301.txt":              "straße/e\u0301.txt",
		"draft.go is new":                     "draft.go",
		"so is ./new/b.go":                    "new/b.go",
		"but there is no new/c.go or c.go":    "",
		"nor " + root + "x/a.md or nosuch/..": "",
	} {
		var got []string
		for _, p := range w.Mentioned(t.Context(), message) {
			got = append(got, p.Rel)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("Mentioned(%q) = %q; want %q", message, got, want)
		}
	}
}

func BenchmarkMentioned(b *testing.B) {
	root := filepath.Join(b.TempDir(), "ws")
	for i := range 2000 {
		dir := filepath.Join(root, "folder"+strconv.Itoa(i/50))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "file"+strconv.Itoa(i)+".go"), nil, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	w, err := workspace.Open(root, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = w.Close() })
	for name, message := range map[string]string{
		"words": strings.Repeat("count from one to ten in words and use no tool ", 30),
		"names": strings.Repeat("Look At file17.go And Tell Me ", 600),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				w.Mentioned(b.Context(), message)
			}
		})
	}
}

func FuzzMentioned(f *testing.F) {
	root := filepath.Join(f.TempDir(), "ws")
	if err := os.MkdirAll(root, 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "a.txt"), nil, 0o644); err != nil {
		f.Fatal(err)
	}
	w, err := workspace.Open(root, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = w.Close() })
	f.Add("see `a.txt` and \"b.txt\" 'x' (c.txt:12)")
	f.Fuzz(func(t *testing.T, message string) {
		for _, p := range w.Mentioned(t.Context(), message) {
			if p.Rel != "a.txt" {
				t.Errorf("Mentioned(%q) = %+v", message, p)
			}
		}
	})
}

// GitIgnores follows the rules of git alone, for folders as for files.
func TestGitIgnores(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{".gitignore": "build/\n*.log\n!keep.log\n", "sub/.gitignore": "/out\n", ".git/info/exclude": "own\n"})
	w := open(t, root, nil)
	ignored := workspace.GitIgnores(w)
	for _, c := range []struct {
		rel  string
		dir  bool
		want bool
	}{
		{"build", true, true},
		{"build", false, false},
		{"build/x/y", false, true},
		{"sub/build/o", false, true},
		{"a.log", false, true},
		{"keep.log", false, false},
		{"sub/out", true, true},
		{"sub/out/x", true, true},
		{"out", true, false},
		{"own", false, true},
		{".git/config", false, false},
		{".assent/x", false, false},
		{"a~", false, false},
		{".a.swp", false, false},
	} {
		if got := ignored(c.rel, c.dir); got != c.want {
			t.Errorf("%s, a folder: %v, is ignored: %v", c.rel, c.dir, got)
		}
	}
}
