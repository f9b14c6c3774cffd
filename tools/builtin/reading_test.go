package builtin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/toolstest"
)

func TestReadingTools(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{
		"README.md": "# Demo\nHelo\n", "src/main.go": "package main\n\nfunc main() { start(1) }\n", "src/b.md": "x[0] = 1\n",
		"crlf.txt": "a\r\nb\r\n", "empty": "", "blank": "\n", "bin": "a\x00b", "long.txt": toolstest.Numbered(500),
		"wide.txt": strings.Repeat("x", 20_000) + "\n", "esc.txt": "a\x1b[31mb\u202ec \u2764\ufe0f\n", ".gitignore": "out/\n", "out/x.go": "package x\n",
		"old.chat.md": "secret word: Helo\n",
	})
	for _, tt := range []struct {
		tool   string
		args   any
		failed bool
		want   string
	}{
		{"read_file", toolstest.Args("path", "README.md"), false, "# Demo\nHelo"},
		{"read_file", toolstest.Args("path", "./README.md"), false, "# Demo\nHelo"},
		{"read_file", toolstest.Args("path", "/README.md"), false, "# Demo\nHelo"},
		{"read_file", `{"path":"README.md","start_line":"2","end_line":null,"why":"x"}`, false, "2\tHelo\n[Lines 2 to 2 of 2.]"},
		{"read_file", `{"path":"README.md","start_line":1.0,"end_line":"1"}`, false, "1\t# Demo\n[Lines 1 to 1 of 2.]"},
		{"read_file", `"{\"path\":\"README.md\"}"`, false, "# Demo\nHelo"},
		{"read_file", toolstest.Args("path", "README.md", "start_line", 9), true, `"README.md" has only 2 lines.`},
		{"read_file", toolstest.Args("path", "README.md", "start_line", 2, "end_line", 1), true, "start_line and end_line count from 1, and end_line is not before start_line."},
		{"read_file", toolstest.Args("path", "Readme.md"), true, `There is no file "Readme.md". Near: "README.md".`},
		{"read_file", toolstest.Args("path", "main.go"), true, `There is no file "main.go". Near: "src/main.go".`},
		{"read_file", toolstest.Args("path", "src"), true, `"src" is a folder: use list_directory.`},
		{"read_file", toolstest.Args("path", "bin"), true, `"bin" is not a text file (3 bytes).`},
		{"read_file", toolstest.Args("path", "empty"), false, "[The file is empty: 0 bytes.]"},
		{"read_file", toolstest.Args("path", "blank"), false, "[The file has only blanks and line ends: 1 bytes.]"},
		{"read_file", toolstest.Args("path", "crlf.txt"), false, "a\nb"},
		{"read_file", toolstest.Args("path", "esc.txt"), false, "a<U+001B>[31mb<U+202E>c \u2764\ufe0f"},
		{"read_file", toolstest.Args(), true, `The argument "path" is missing. The schema of read_file is {"type":"object","properties":{"path":{"type":"string"},"start_line":{"type":"integer"},"end_line":{"type":"integer"}},"required":["path"]}`},
		{"read_file", `{"path":["a"]}`, true, `The argument "path" must be a string: write lists and objects as text. The schema of read_file is {"type":"object","properties":{"path":{"type":"string"},"start_line":{"type":"integer"},"end_line":{"type":"integer"}},"required":["path"]}`},
		{"list_directory", toolstest.Args("path", "."), false, "[2 folders, then 10 files]\nout/ (ignored)\nsrc/\n.gitignore\nREADME.md\nbin\nblank\ncrlf.txt\nempty\nesc.txt\nlong.txt\nold.chat.md\nwide.txt"},
		{"list_directory", toolstest.Args("path", "/src/"), false, "[0 folders, then 2 files]\nsrc/b.md\nsrc/main.go"},
		{"list_directory", toolstest.Args("path", "scr"), true, `There is no folder "scr". Near: "src".`},
		{"list_directory", toolstest.Args("path", "src/b.md"), true, `"src/b.md" is a file, not a folder: use read_file, or list its folder "src".`},
		{"find_files", toolstest.Args("pattern", "*.go"), false, "src/main.go"},
		{"find_files", toolstest.Args("pattern", "src/*.{go,md}"), false, "src/b.md\nsrc/main.go"},
		{"find_files", toolstest.Args("pattern", "**/*.md"), false, "README.md\nold.chat.md\nsrc/b.md"},
		{"find_files", toolstest.Args("pattern", "MAIN"), false, "src/main.go"},
		{"find_files", toolstest.Args("pattern", "*.rs"), true, `No file matches "*.rs".`},
		{"find_files", toolstest.Args("pattern", "mian.go"), true, `No file matches "mian.go". Near: src/main.go.`},
		{"find_files", toolstest.Args("pattern", "[a"), true, `No file matches "[a".`},
		{"search_files", toolstest.Args("pattern", "Hel+o"), false, "README.md:2: Helo"},
		{"search_files", toolstest.Args("pattern", "^func"), false, "src/main.go:3: func main() { start(1) }"},
		{"search_files", toolstest.Args("pattern", "start(1"), false, "[The pattern is not a valid regular expression, so it was searched as plain text.]\nsrc/main.go:3: func main() { start(1) }"},
		{"search_files", toolstest.Args("pattern", "x[0]"), false, "[Nothing matches it as a regular expression, so it was searched as plain text.]\nsrc/b.md:1: x[0] = 1"},
		{"search_files", toolstest.Args("pattern", "helo", "path", "README.md"), false, "[Nothing matches exactly; upper and lower case were ignored.]\nREADME.md:2: Helo"},
		{"search_files", toolstest.Args("pattern", "Helo", "path", "src"), false, "No line in src matches \"Helo\". Elsewhere:\nREADME.md:2: Helo"},
		{"search_files", toolstest.Args("pattern", "src/main.go"), true, `No line matches "src/main.go". The name of src/main.go does: read_file shows the text.`},
		{"search_files", toolstest.Args("pattern", "packge main"), true, "No line matches \"packge main\". The nearest lines are:\nsrc/main.go:1: package main"}, //nolint:misspell // what the test is about
		{"get_time", toolstest.Args(), false, "Wednesday, 2026-03-04 05:06:07 +00:00 (UTC)"},
		{"get_time", ``, false, "Wednesday, 2026-03-04 05:06:07 +00:00 (UTC)"},
		{"raed_file", toolstest.Args(), true, `There is no tool "raed_file". Did you mean "read_file"? The tools are: read_file, get_time.`},
	} {
		r := b.Do(tt.tool, tt.args)
		if diff := cmp.Diff(tt.want, r.Text()); diff != "" || r.Failed != tt.failed {
			t.Errorf("%s %v: failed %v\n%s", tt.tool, tt.args, r.Failed, diff)
		}
	}
}

// Invariant 4.
func TestResultsAreBounded(t *testing.T) {
	files := map[string]string{"long.txt": toolstest.Numbered(500), "wide.txt": strings.Repeat("y", 20_000) + "\nend\n"}
	for i := range 300 {
		files[fmt.Sprintf("many/f%03d", i)] = "common\n"
	}
	b := toolstest.NewBench(t, files)
	for _, tt := range []struct {
		tool string
		args any
		want []string
	}{
		{"read_file", toolstest.Args("path", "long.txt"), []string{"1\tline 1\n", "200\tline 200\n[Lines 1 to 200 of 500. Read on with start_line 201.]"}},
		{"read_file", toolstest.Args("path", "long.txt", "start_line", 490), []string{"490\tline 490\n", "[Lines 490 to 500 of 500.]"}},
		{"read_file", toolstest.Args("path", "wide.txt"), []string{"[Line 1 has 20000 bytes", "[Lines 1 to 1 of 2. Read on with start_line 2.]"}},
		{"list_directory", toolstest.Args("path", "many"), []string{"f199\n[200 of 300 lines shown. find_files finds names by a pattern.]"}},
		{"find_files", toolstest.Args("pattern", "f*"), []string{"[200 of 300 lines shown. Give a narrower pattern.]"}},
		{"search_files", toolstest.Args("pattern", "common"), []string{"[200 of 300 lines shown, the likeliest. The others are in many (100). Give a path or a narrower pattern.]"}},
		{"search_files", toolstest.Args("pattern", "y{3}"), []string{"wide.txt:1: yyy", "…"}},
	} {
		r := b.Do(tt.tool, tt.args)
		b.Contains(r.Text(), tt.want...)
		if len(r.Text()) > 9_000 {
			t.Errorf("%s %v: %d bytes", tt.tool, tt.args, len(r.Text()))
		}
	}
}

func TestUnsavedBuffersAreRead(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "on disk\n"})
	b.Buffers.Texts[b.Workspace.Root()+"/a.txt"] = "in the buffer\n"
	if r := b.Do("read_file", toolstest.Args("path", "a.txt")); r.Text() != "in the buffer" {
		t.Errorf("read %q", r.Text())
	}
	if r := b.Do("search_files", toolstest.Args("pattern", "buffer")); r.Text() != "a.txt:1: in the buffer" {
		t.Errorf("found %q", r.Text())
	}
}

// TestSpecsAreShort: models read the definitions again and again. TestASmallModelIsToldOfTodaysTools limits all of a
// core.
func TestSpecsAreShort(t *testing.T) {
	b := toolstest.NewBench(t, nil)
	for _, s := range b.Dispatcher.Registry().Specs() {
		if !s.Effect.Known() || s.Description == "" {
			t.Errorf("%s says nothing", s.Name)
		}
		if size := len(s.Name) + len(s.Description) + len(s.Parameters); size > 600 || len(s.Examples) > 2 {
			t.Errorf("%s takes %d bytes and %d examples", s.Name, size, len(s.Examples))
		}
	}
}

func TestCalculator(t *testing.T) {
	b := toolstest.NewBench(t, nil)
	for expression, want := range map[string]string{
		"1+2*3": "7", "7/2": "3.5", "1/3": "0.333333333333333", "0.1+0.2": "0.3", "2**100": "1267650600228229401496703205376",
		"2^10": "1024", "-7 % 3": "2", "7 % -3": "-2", "sqrt(16)": "4", "sqrt(2)": "1.4142135623731", "round(2.5)": "3", "round(-2.5)": "-3",
		"round(2/3, 2)": "0.67", "round(1234, -2)": "1200", "min(3, 1, 2)": "1", "max(1/3, 0.3)": "0.333333333333333", "pow(2, -2)": "0.25", "abs(-3)": "3",
		"floor(-1.5)": "-2", "ceil(1.2)": "2", "3 × 4 ÷ 6 =": "2", "2 * pi": "6.283185307179586", "9007199254740993 + 0": "9007199254740993",
		"(-1) ** 1000000": "1", "0 ** 0": "1", "1e3": "1000", "0xff": "255", "4 ** 0.5": "2", "log10(1000)": "3",
	} {
		if r := b.Do("calculator", toolstest.Args("expression", expression)); r.Text() != want && (expression != "sqrt(2)" || !strings.HasPrefix(r.Text(), "1.41421356237309")) || r.Failed {
			t.Errorf("%s = %s, want %s", expression, r.Text(), want)
		}
	}
	for expression, want := range map[string]string{
		"1/0": "zero", "5 % 0": "zero", "0 ** -1": "zero", "": "empty", "1 +": "cannot be read", "x": "not known", "env(1)": "not known",
		"9**9**9": "too big", "10 ** 400000": "too big", "sqrt(-1)": "no real", `"a" + "b"`: "not arithmetic", "[1][0]": "not arithmetic", "1 < 2": "not arithmetic",
		"map([1], # + 1)": "not known", "sqrt(1, 2)": "takes", "(-8) ** 0.5": "not a number", strings.Repeat("(", 2000): "longer", "round(1, 1000)": "up to 100",
		"9223372036854775808": "cannot be read", "log(0)": "too big", "let x = 1; x": "not arithmetic",
	} {
		if r := b.Do("calculator", toolstest.Args("expression", expression)); !r.Failed || !strings.Contains(r.Text(), want) {
			t.Errorf("%s: %+v, want %q", expression, r, want)
		}
	}
}

func TestSearchAnchors(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"dos.txt": "one two\r\ntwo\r\n", "unix.txt": "two one\ntwo\n"})
	for pattern, want := range map[string]string{
		"two$":     "dos.txt:1: one two\ndos.txt:2: two\nunix.txt:2: two",
		"^two$":    "dos.txt:2: two\nunix.txt:2: two",
		`\btwo o`:  "unix.txt:1: two one",
		"(?i)^ONE": "dos.txt:1: one two",
		"^TWO":     "[Nothing matches exactly; upper and lower case were ignored.]\ndos.txt:2: two\nunix.txt:1: two one\nunix.txt:2: two",
	} {
		if diff := cmp.Diff(want, b.Do("search_files", toolstest.Args("pattern", pattern)).Text()); diff != "" {
			t.Errorf("%s:\n%s", pattern, diff)
		}
	}
}

// Naming what is near takes a walk: it must end with the run.
// Promise 4. Invariant 13.
func TestStopEndsTheSearchForWhatIsNear(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"src/main.go": "package main\n"})
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for tool, arguments := range map[string]map[string]any{
		"read_file": toolstest.Args("path", "main.go"), "edit_file": toolstest.Args("path", "/main.go", "old_text", "a", "new_text", "b"), "list_directory": toolstest.Args("path", "scr"),
		"search_files": toolstest.Args("pattern", "x", "path", "scr/"), "write_file": toolstest.Args("path", "/etc/main.go", "content", "x"),
	} {
		for ctx, near := range map[context.Context]bool{t.Context(): true, stopped: false} {
			p := b.Dispatcher.Prepare(ctx, b.Call(tool, arguments))
			if p.Answered == nil {
				continue // nothing is wrong with it
			}
			if got := strings.Contains(p.Answered.Text(), "Near:"); got != near {
				t.Errorf("%s, stopped %v: %s", tool, !near, p.Answered.Text())
			}
		}
	}
}

func TestALongPatternIsRefused(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "x\n"})
	for _, tool := range []string{"search_files", "find_files"} {
		if r := b.Do(tool, toolstest.Args("pattern", strings.Repeat("x", 1001))); !r.Failed || !strings.Contains(r.Text(), "longer than 1000 bytes") {
			t.Errorf("%s: %s", tool, r.Text())
		}
		if r := b.Do(tool, toolstest.Args("pattern", strings.Repeat("x", 1000))); strings.Contains(r.Text(), "longer than") {
			t.Errorf("%s: %s", tool, r.Text())
		}
	}
}
