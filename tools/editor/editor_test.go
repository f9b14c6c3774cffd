package editor

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// told is an editor that answers what it was told, and keeps what it was asked.
type told struct {
	knows       []string
	diagnostics []Diagnostic
	documents   []Document
	locations   []Location
	symbols     []Symbol
	formatted   string
	err         error

	asked Place
	path  string
}

func (e *told) Knows() []string { return e.knows }

func (e *told) Diagnostics(_ context.Context, path string) ([]Diagnostic, error) {
	e.path = path
	return e.diagnostics, e.err
}

func (e *told) Documents(context.Context) ([]Document, error) { return e.documents, e.err }

func (e *told) Definition(_ context.Context, at Place) ([]Location, error) {
	e.asked = at
	return e.locations, e.err
}

func (e *told) References(_ context.Context, at Place) ([]Location, error) {
	e.asked = at
	return e.locations, e.err
}

func (e *told) Symbols(_ context.Context, path, _ string) ([]Symbol, error) {
	e.path = path
	return e.symbols, e.err
}

func (e *told) Formatted(context.Context, string, string) (string, error) { return e.formatted, e.err }

var all = []string{Diagnostics, Documents, Definition, References, Symbols, Format}

// bench is a workspace whose editor knows everything.
type bench struct {
	*testing.T
	dir   string
	d     *tools.Dispatcher
	rules *policy.Policy
}

func newBench(t *testing.T, e *told) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.go": "package a\n\nvar ä, Count = 1, 2\n\nfunc Countdown() int { return Count }\n", ".env": "KEY=secret\n", "secret/b.go": "x\n"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir, workspace.NoBuffers{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	state, err := userstate.OpenState(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	rules := policy.New(state)
	t.Cleanup(rules.Flush)
	known, err := tools.NewSources(nil, New(e, ws)).Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := tools.NewDispatcher(known, rules, ws)
	ws.Deny(func() *workspace.Denials {
		return &workspace.Denials{Why: func(rel string) string {
			if strings.HasPrefix(rel, "secret/") {
				return "a rule says so"
			}
			return ""
		}}
	})
	return &bench{t, dir, d, rules}
}

func (b *bench) at(name string) string { return filepath.Join(b.dir, name) }

// run makes a call that must run without a question.
func (b *bench) run(tool string, arguments map[string]any) tools.Result {
	b.Helper()
	p := b.prepare(tool, arguments)
	if p.Answered == nil && p.Decision.Verdict != policy.Run {
		b.Fatalf("%s asks: %+v", tool, p.Decision)
	}
	r, err := b.d.Execute(b.Context(), p, nil)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func (b *bench) prepare(tool string, arguments map[string]any) tools.Prepared {
	b.Helper()
	data, err := json.Marshal(arguments)
	if err != nil {
		b.Fatal(err)
	}
	return b.d.Prepare(b.Context(), tools.Call{ID: "c1", Name: tool, Arguments: data, Caller: policy.Model, Reads: tools.NewReadSet()})
}

func (b *bench) says(r tools.Result, want string) {
	b.Helper()
	if got := r.Text(); got != want {
		b.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOnlyWhatTheEditorKnowsIsOffered(t *testing.T) {
	for _, knows := range [][]string{nil, {"something else"}, {Diagnostics}, all} {
		want := len(knows)
		if len(knows) == 1 && knows[0] != Diagnostics {
			want = 0
		}
		if got := len(New(&told{knows: knows}, nil).List()); got != want {
			t.Errorf("%q: %d tools", knows, got)
		}
	}
}

// Promise 4.
func TestDiagnosticsOfOthers(t *testing.T) {
	e := &told{knows: all}
	b := newBench(t, e)
	b.says(b.run("get_diagnostics", nil), "The editor knows of no problem in all files.")
	e.diagnostics = []Diagnostic{
		{b.at("a.go"), 4, 2, "v\u202eet", "unused\n result"},
		{b.at("a.go"), 2, 1, "", "no such name"},
		{b.at("a.go"), 0, 0, "x", "without a severity"},
		{b.at(".env"), 0, 1, "dotenv", "secret is no name"},
		{b.at("secret/b.go"), 0, 1, "", "hidden"},
		{"/etc/passwd", 0, 1, "", "elsewhere"},
	}
	want := "a.go:3: error: no such name\na.go:1: error: without a severity (x)\na.go:5: warning: unused result (v<U+202E>et)" +
		"\n[3 more in files that are not shown: they are protected, denied or outside the workspace.]"
	b.says(b.run("get_diagnostics", nil), want)
	if e.path != "" {
		t.Errorf("asked of %q", e.path)
	}
	short := Diagnostic{b.at("a.go"), 2, 1, "", "no such name"}
	e.diagnostics = []Diagnostic{{b.at("a.go"), 0, 1, strings.Repeat("s", 4000), strings.Repeat("long ", 20000)}, short}
	if got := b.run("get_diagnostics", nil).Text(); !strings.Contains(got, "…") || !strings.HasSuffix(got, "\na.go:3: error: no such name") {
		t.Errorf("a long message hides the others: %q", got[max(0, len(got)-200):])
	}
	b.run("get_diagnostics", map[string]any{"path": "./a.go"})
	if e.path != b.at("a.go") {
		t.Errorf("asked of %q", e.path)
	}
	if p := b.prepare("get_diagnostics", map[string]any{"path": ".env"}); p.Decision.Verdict != policy.Ask || p.Protected == "" {
		t.Errorf("a protected file: %+v", p.Decision)
	}
	for _, path := range []string{"secret/b.go", "../x", "none.go"} {
		if r := b.run("get_diagnostics", map[string]any{"path": path}); !r.Failed {
			t.Errorf("%s: %s", path, r.Text())
		}
	}
	e.err = errors.New("the editor could not answer: it is busy")
	b.says(b.run("get_diagnostics", nil), "The editor could not answer: it is busy.")
}

// Promise 4.
func TestOpenFiles(t *testing.T) {
	e := &told{knows: all}
	b := newBench(t, e)
	b.says(b.run("list_open_files", nil), "No file of the workspace is open.")
	e.documents = []Document{{b.at("a.go"), true, true, true}, {b.at(".env"), false, true, false}, {"/etc/passwd", false, false, false}}
	b.says(b.run("list_open_files", nil), "a.go (the person works in it, has unsaved changes)\n[2 more in files that are not shown: they are protected, denied or outside the workspace.]")
}

// TestAPlaceIsFoundByItsName: a model names a word and perhaps a line, which small models count wrongly.
// Promise 4.
func TestAPlaceIsFoundByItsName(t *testing.T) {
	for name, tt := range map[string]struct {
		in   map[string]any
		want Place // of a.go
		err  string
	}{
		"first whole word": {map[string]any{"path": "a.go", "symbol": "Count"}, Place{Line: 2, Column: 8}, ""},
		"on its line":      {map[string]any{"path": "a.go", "symbol": "Count", "line": 5}, Place{Line: 4, Column: 30}, ""},
		"the nearest line": {map[string]any{"path": "a.go", "symbol": "Countdown", "line": 1}, Place{Line: 4, Column: 5}, ""},
		"part of a word":   {map[string]any{"path": "a.go", "symbol": "ountd"}, Place{Line: 4, Column: 6}, ""},
		"no symbol":        {map[string]any{"path": "a.go", "symbol": " "}, Place{}, "Symbol is empty: give the name."},
		"not there":        {map[string]any{"path": "a.go", "symbol": "Nope"}, Place{}, `"Nope" does not stand in "a.go": search_files finds where it does.`},
		"behind the end":   {map[string]any{"path": "a.go", "symbol": "Count", "line": 99}, Place{}, `Line 99 does not exist: "a.go" has 6 lines.`},
		"a negative line":  {map[string]any{"path": "a.go", "symbol": "Count", "line": -2}, Place{}, `Line -2 does not exist: "a.go" has 6 lines.`},
		"outside":          {map[string]any{"path": "/etc/passwd", "symbol": "root"}, Place{}, "outside the workspace"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &told{knows: all}
			b := newBench(t, e)
			e.locations = []Location{{b.at("a.go"), 2}, {b.at("a.go"), 2}, {b.at("a.go"), 400}, {"/usr/lib/go/x.go", 7}}
			r := b.run("find_definition", tt.in)
			if tt.err != "" {
				if !r.Failed || !strings.Contains(r.Text(), tt.err) {
					t.Errorf("got %q", r.Text())
				}
				return
			}
			if e.asked.Path != b.at("a.go") || e.asked.Line != tt.want.Line || e.asked.Column != tt.want.Column {
				t.Errorf("asked %+v", e.asked)
			}
			b.says(r, "a.go:3: var ä, Count = 1, 2\na.go:401\n[1 more in files that are not shown: they are protected, denied or outside the workspace.]")
		})
	}
}

// Promise 4.
func TestSymbols(t *testing.T) {
	e := &told{knows: all}
	b := newBench(t, e)
	e.symbols = []Symbol{{"Countdown", "a\nb", 12, b.at("a.go"), 4}, {"Count", "", 13, b.at("a.go"), 2}, {"KEY", "", 14, b.at(".env"), 0}}
	b.says(b.run("find_symbols", map[string]any{"query": "count"}), "a.go:5: function Countdown in a b\na.go:3: variable Count\n[1 more in files that are not shown: they are protected, denied or outside the workspace.]")
	b.says(b.run("find_symbols", map[string]any{"path": "a.go", "query": "down"}), "a.go:5: function Countdown in a b")
	if r := b.run("find_symbols", nil); !r.Failed || r.Text() != "Give the path of a file, or part of a name as query." {
		t.Errorf("%+v", r)
	}
}

// TestFormattingIsAnEdit: it is asked about with what would change, and bound to it.
// Promise 4.
func TestFormattingIsAnEdit(t *testing.T) {
	e := &told{knows: all, formatted: "package a\n"}
	b := newBench(t, e)
	p := b.prepare("format_file", map[string]any{"path": "a.go"})
	if p.Decision.Verdict != policy.Ask || !strings.Contains(p.Preview, "-func Countdown") {
		t.Errorf("%+v\n%s", p.Decision, p.Preview)
	}
	e.formatted = "package b\n"
	approved := p.Approved()
	if _, err := b.d.Execute(t.Context(), approved, nil); !errors.Is(err, tools.ErrChanged) {
		t.Errorf("another text was written than was shown: %v", err)
	}
	e.err = errors.New("no server formats it")
	b.says(b.run("format_file", map[string]any{"path": "a.go"}), `"a.go" was not formatted: no server formats it.`)
	if data, err := os.ReadFile(b.at("a.go")); err != nil || !strings.HasPrefix(string(data), "package a\n\nvar") {
		t.Errorf("%v: %s", err, data)
	}
}

// TestARuleForThePathHoldsForItsDefinitions: what a person wants to be asked about is asked about here, too.
func TestARuleForThePathHoldsForItsDefinitions(t *testing.T) {
	b := newBench(t, &told{knows: all})
	file := filepath.Join(t.TempDir(), "permissions.json")
	if err := os.WriteFile(file, []byte(`{"ask": [{"paths": ["a.go"]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	b.rules.UseFiles(file, nil)
	for _, tool := range []string{"find_definition", "find_references"} {
		if p := b.prepare(tool, map[string]any{"path": "a.go", "symbol": "Count"}); p.Decision.Verdict != policy.Ask {
			t.Errorf("%s: %+v", tool, p.Decision)
		}
	}
}

// TestManyPlaces: an answer of any size is cut to what a result may hold, in little time.
func TestManyPlaces(t *testing.T) {
	e := &told{knows: all}
	b := newBench(t, e)
	for i := range 200_000 {
		e.locations = append(e.locations, Location{b.at("a.go"), i})
	}
	if got := b.run("find_references", map[string]any{"path": "a.go", "symbol": "Count"}).Text(); !strings.Contains(got, "of 200000 lines shown") {
		t.Errorf("got %q", got[max(0, len(got)-200):])
	}
}
