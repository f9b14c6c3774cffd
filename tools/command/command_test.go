package command

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/command/commandtest"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Line
	}{
		{"ls", Line{Parts: []Part{{Argv: []string{"ls"}}}}},
		{` go test  ./... -run 'A B' `, Line{Parts: []Part{{Argv: []string{"go", "test", "./...", "-run", "A B"}}}}},
		{
			`echo a"b c"'d e'\ f "\$x\n\"" '' {} HEAD~1 a@{1}`,
			Line{Parts: []Part{{Argv: []string{"echo", `ab cd e f`, `$x\n"`, "", "{}", "HEAD~1", "a@{1}"}}}},
		},
		{"a && b || c | d; e", Line{Parts: []Part{
			{Argv: []string{"a"}},
			{Joint: And, Argv: []string{"b"}},
			{Joint: Or, Argv: []string{"c"}},
			{Joint: Pipe, Argv: []string{"d"}},
			{Joint: Then, Argv: []string{"e"}},
		}}},
		{"a <in >out 2>>err", Line{Parts: []Part{{
			Argv:      []string{"a"},
			Redirects: []Redirect{{From: 0, Op: "<", Path: "in"}, {From: 1, Op: ">", Path: "out"}, {From: 2, Op: ">>", Path: "err"}},
		}}}},
		{">x a 2>&1", Line{Parts: []Part{{Argv: []string{"a"}, Redirects: []Redirect{{From: 1, Op: ">", Path: "x"}, {From: 2, Op: ">&", To: 1}}}}}},
		{"a &>x", Line{Parts: []Part{{Argv: []string{"a"}, Redirects: []Redirect{{From: 1, Op: ">", Path: "x"}, {From: 2, Op: ">&", To: 1}}}}}},
		{"a >&2", Line{Parts: []Part{{Argv: []string{"a"}, Redirects: []Redirect{{From: 1, Op: ">&", To: 2}}}}}},
		{"cd 'a b'/c/ && d | e", Line{Dir: "a b/c", Parts: []Part{{Argv: []string{"d"}}, {Joint: Pipe, Argv: []string{"e"}}}}},
	} {
		tt.want.Text = tt.text
		if got, err := Parse(tt.text); err != nil || !cmp.Equal(got, tt.want) {
			t.Errorf("Parse(%q): %v\n%s", tt.text, err, cmp.Diff(tt.want, got))
		}
	}
}

// A line that is too long or has too many parts is not understood, whatever it is made of.
func TestLimitsOfALine(t *testing.T) {
	for name, text := range map[string]string{
		"long":      "echo " + strings.Repeat("a", maxLine),
		"parts":     "true" + strings.Repeat(" && true", maxParts),
		"redirects": "true" + strings.Repeat(" 2>&1", maxRedirects+1),
		"empty":     "",
		"blank":     "   ",
		"open":      "echo 'a",
	} {
		if _, err := Parse(text); !errors.Is(err, ErrNotUnderstood) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Parse("true" + strings.Repeat(" && true", maxParts-1)); err != nil {
		t.Error(err)
	}
}

func TestFilesOfALine(t *testing.T) {
	l, err := Parse("cd sub && a < in > out 2>/dev/null | b >> /tmp/x 2>&1")
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Written(); !slices.Equal(got, []string{"sub/out", "/tmp/x"}) {
		t.Errorf("written: %q", got)
	}
	if got := l.Read(); !slices.Equal(got, []string{"sub/in"}) {
		t.Errorf("read: %q", got)
	}
}

func TestPattern(t *testing.T) {
	for _, tt := range []struct {
		pattern, line string
		want          bool
	}{
		{"go test **", "go test", true},
		{"go test **", "go test ./... -run X", true},
		{"go test **", "go build", false},
		{"go test **", "go testify", false},
		{"go test **", "./go test", false},
		{"go test *", "go test ./...", true},
		{"go test *", "go test", false},
		{"go test *", "go test a b", false},
		{"npm run * --silent", "npm run lint --silent", true},
		{"npm run * --silent", "npm run lint", false},
		{"echo '*' 'a b'", "echo '*' 'a b'", true},
		{"echo '*'", "echo x", false},
		{"make", "make", true},
		{"make", "make clean", false},
	} {
		line, err := Parse(tt.line)
		if err != nil {
			t.Fatal(err)
		}
		if got := matches(tt.pattern, line.Parts[0].Argv); got != tt.want {
			t.Errorf("%q is about %q: %v", tt.pattern, tt.line, got)
		}
	}
	for _, wrong := range []string{"", "*", "** x", "a ** b", "a | b", "a; b", "a;", "a &", "a > b", "$x", "a $x", "a*", "a ?", "(a)", "a 'b", "! a", "A=b c", "a # b"} {
		if _, err := ParsePattern(wrong); err == nil || matches(wrong, []string{"a"}) {
			t.Errorf("%q is a pattern: %v", wrong, err)
		}
	}
}

// matches reports whether a pattern, as it is written, is about a program with its arguments. A pattern that is wrong is about none.
func matches(pattern string, argv []string) bool {
	p, err := ParsePattern(pattern)
	return err == nil && p.Match(argv)
}

func TestCovers(t *testing.T) {
	for _, tt := range []struct {
		wide, narrow string
		want         bool
	}{
		{"go **", "go test **", true},
		{"go test **", "go **", false},
		{"go test **", "go test ./...", true},
		{"go *", "go test", true},
		{"go test", "go *", false},
		{"go *", "go *", true},
		{"go *", "go **", false},
		{"go **", "go *", true},
		{"a b", "a c", false},
	} {
		wide, err := ParsePattern(tt.wide)
		narrow, err2 := ParsePattern(tt.narrow)
		if err != nil || err2 != nil || wide.Covers(narrow) != tt.want {
			t.Errorf("%q covers %q: not %v (%v, %v)", tt.wide, tt.narrow, tt.want, err, err2)
		}
	}
}

// What Quote writes is read back as the same words, in a line and in a pattern.
func TestQuote(t *testing.T) {
	argv := []string{"go", "a b", "", "it's", "*", "**", "$x", "~", "{a,b}", "#", "!", "a=b", `\`, ";", "if"}
	for i := range argv {
		words := slices.Concat([]string{"go"}, argv[i:])
		line, err := Parse(Quote(words...))
		if err != nil || !slices.Equal(line.Parts[0].Argv, words) || !matches(Quote(words...), words) {
			t.Errorf("%q: %q, %v", words, Quote(words...), err)
		}
	}
}

// S11: none of these commands is judged harmless as a whole: some 400 forms of hiding, chaining, expanding and redirecting, and options by which
// reading programs run others or write.
// Promise 4. Invariant 24.
func TestTheseCommandsAlwaysAsk(t *testing.T) {
	lines := commandtest.Corpus(t, "testdata/asks.txt")
	if len(lines) < 200 {
		t.Fatalf("only %d commands", len(lines))
	}
	for _, text := range lines {
		if runsByItself(text) {
			t.Errorf("%q would run by itself", text)
		}
	}
}

// S11b: ordinary reading commands are understood and harmless.
// Promise 4.
func TestTheseCommandsAreHarmless(t *testing.T) {
	lines := commandtest.Corpus(t, "testdata/harmless.txt")
	if len(lines) < 100 {
		t.Fatalf("only %d commands", len(lines))
	}
	for _, text := range lines {
		if line, err := Parse(text); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if !runsByItself(text) {
			t.Errorf("%q is not harmless: %+v", text, line.Parts)
		}
	}
}

// runsByItself is what policy makes of a line without other rules: every part is harmless, and nothing is written.
func runsByItself(text string) bool {
	line, err := Parse(text)
	return err == nil && len(line.Written()) == 0 && !slices.ContainsFunc(line.Parts, func(p Part) bool { return !Harmless(p.Argv) })
}

func TestHardened(t *testing.T) {
	if got := Hardened([]string{"ls", "-l"}); !slices.Equal(got, []string{"ls", "-l"}) {
		t.Errorf("%q", got)
	}
	if got := Hardened([]string{"git", "commit"}); !slices.Equal(got, []string{"git", "commit"}) {
		t.Errorf("%q", got)
	}
	got := strings.Join(Hardened([]string{"git", "-C", "a", "log", "-1"}), " ")
	if !strings.HasPrefix(got, "git --no-pager -c core.fsmonitor=false ") || !strings.HasSuffix(got, " -C a log --no-ext-diff --no-textconv -1") {
		t.Error(got)
	}
}

func TestAsksVersion(t *testing.T) {
	for text, want := range map[string]bool{
		"node --version": true, "go version": true, "git --version": true, "rg --version": true, "java -version": true, "python3 -V": true,
		"go version prog": false, "ls": false, "go env": false, "git status": false, "node app.js": false, "node --version x": false,
	} {
		line, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if line.Parts[0].AsksVersion() != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}
