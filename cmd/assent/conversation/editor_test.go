package conversation

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"github.com/assent-ls/assent/tools/userstate"
)

// keyboard is a Device whose keys are known before, and come in pieces of so many bytes; 0: all at once.
type keyboard struct {
	keys      []byte
	piece     int
	screen    screenOf
	raw       int
	suspended int
	stopped   atomic.Bool
}

func (k *keyboard) Read(p []byte) (int, error) {
	if k.stopped.Load() {
		return 0, errors.New("interrupted")
	}
	if len(k.keys) == 0 {
		return 0, io.EOF
	}
	n := len(k.keys)
	if k.piece > 0 {
		n = min(n, k.piece)
	}
	n = copy(p, k.keys[:n])
	k.keys = k.keys[n:]
	return n, nil
}

func (k *keyboard) Write(p []byte) (int, error)  { return k.screen.Write(p) }
func (k *keyboard) Raw() (func(), error)         { k.raw++; return func() { k.raw-- }, nil }
func (k *keyboard) Interrupt() bool              { k.stopped.Store(true); return true }
func (k *keyboard) Resume()                      { k.stopped.Store(false) }
func (k *keyboard) Size() (columns, rows int)    { return k.screen.columns, 24 }
func (k *keyboard) Resized(func()) (stop func()) { return func() {} }
func (k *keyboard) Suspend()                     { k.suspended++ }
func at(keys string, piece, columns int) *keyboard {
	return &keyboard{keys: []byte(keys), piece: piece, screen: screenOf{columns: columns}}
}

func history(t *testing.T, before ...string) *History {
	t.Helper()
	state, err := userstate.OpenState(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &History{state, before}
}

// TestWhatIsTyped: however the keys are cut into pieces, the message is the same, and the screen shows it.
func TestWhatIsTyped(t *testing.T) {
	const left, right, up, down = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"
	for name, test := range map[string]struct{ keys, want, row string }{
		"a line":                {"hello\r", "hello", "> hello"},
		"changed":               {"helo" + left + "l\x01x \x05!\r", "x hello!", "> x hello!"},
		"wide":                  {"日本語" + left + left + "x\x7f\x7fy\r", "y本語", "> y本語"},
		"wide, deleted":         {"日本" + left + left + "\x1b[3~\r", "本", "> 本"},
		"a mark":                {"e\u0301a" + left + "\x7fo\r", "oa", "> oa"},
		"joined":                {"👩\u200d💻x" + left + "\x7f\r", "x", "> x"},
		"Hebrew":                {"שלום" + left + "x\r", "שלוxם", "> שלוxם"},
		"hidden":                {"a\u202eb\r", "a\u202eb", "> a<U+202E>b"},
		"hidden, taken back":    {"a\u202e\x7fb\r", "ab", "> ab"},
		"Ctrl-J":                {"one\ntwo\r", "one\ntwo", "> one⏎two"},
		"Alt-Enter":             {"one\x1b\rtwo\r", "one\ntwo", "> one⏎two"},
		"Shift-Enter":           {"one\x1b[13;2utwo\r", "one\ntwo", "> one⏎two"},
		"a backslash":           {"one\\\rtwo\r", "one\ntwo", "> one⏎two"},
		"a backslash inside":    {"on\\e" + left + "\r", "on\\e", "> on\\e"},
		"words":                 {"one two\x17three\x1bb\x1b\x7ffour \r", "four three", "> four three"},
		"unknown keys":          {"a\x1b[15~b\x1bOPc\x1bzd\x14e\x00f\r", "abcdef", "> abcdef"},
		"a short paste":         {"see \x1b[200~one\r\ntwo\tx\x1b[201~!\r", "see one\ntwo\tx!", "> see one⏎two    x!"},
		"a paste in the middle": {"ab" + left + "\x1b[200~" + strings.Repeat("x\r", 9) + "\x1b[201~" + right + "c\r", "a" + strings.Repeat("x\n", 9) + "bc", "> a[pasted: 9 lines]bc"},
		"a paste taken back":    {"a\x1b[200~" + strings.Repeat("x\r", 9) + "\x1b[201~\x7fb\r", "ab", "> ab"},
		"a paste with escapes":  {"\x1b[200~a\x1b[31m\x03b\x1b[201~\r", "a<U+001B>[31m<U+0003>b", "> a<U+001B>[31m<U+0003>b"},
		"history":               {"new" + up + up + up + down + "!\r", "second\nline!", "> second⏎line!"},
		"back from history":     {"new" + up + down + "!\r", "new!", "> new!"},
	} {
		for piece := range 4 {
			k := at(test.keys, piece, 80)
			m, err := NewEditor(k, history(t, "first", "second\nline"), nil).Read(t.Context())
			if name == "history" { // three times up is no further than the oldest
				test.want, test.row = "second\nline!", "> second⏎line!"
			}
			if err != nil || m.Text != test.want {
				t.Errorf("%s, in pieces of %d: %q, %v, want %q", name, piece, m.Text, err, test.want)
			}
			if got := k.screen.rows()[0]; got != test.row {
				t.Errorf("%s, in pieces of %d: the screen shows %q, want %q", name, piece, got, test.row)
			}
			if k.raw != 0 {
				t.Errorf("%s: the terminal is left raw", name)
			}
		}
	}
}

// TestWhatIsTypedAhead: no message takes a part of the next one.
func TestWhatIsTypedAhead(t *testing.T) {
	k := at("one\r\x1b[200~two\x1b[201~\rthree\x03four\r\x04", 0, 80)
	e := NewEditor(k, history(t), nil)
	var got []string
	for {
		m, err := e.Read(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			m.Text = err.Error()
		}
		got = append(got, m.Text)
	}
	if want := []string{"one", "two", ErrInterrupted.Error(), "four"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestALargePaste: a page of a megabyte is one glyph of the line, and all of it is sent.
func TestALargePaste(t *testing.T) {
	page := strings.Repeat("0123456789 abcdef ünïcödé\n", 40_000)
	k := at("Look: \x1b[200~"+strings.ReplaceAll(page, "\n", "\r")+"\x1b[201~ Well?\r", 4096, 40)
	m, err := NewEditor(k, history(t), nil).Read(t.Context())
	if err != nil || m.Text != "Look: "+page+" Well?" {
		t.Errorf("%d bytes, %v", len(m.Text), err)
	}
	if m.Typed != "Look:  Well?" {
		t.Errorf("typed: %q", m.Typed)
	}
	if rows := k.screen.rows(); len(rows) != 2 || rows[0] != "> Look: [pasted: 40000 lines] Well?" {
		t.Errorf("%q", rows)
	}
}

// TestALongLine: what is typed beyond what the library takes is not lost.
func TestALongLine(t *testing.T) {
	long := strings.Repeat("x", 9000)
	k := at(long+"\r", 0, 80)
	if m, err := NewEditor(k, history(t), nil).Read(t.Context()); err != nil || m.Text != long {
		t.Errorf("%d characters, %v", len(m.Text), err)
	}
}

// TestRowsOfANarrowScreen: a message goes on in the next row, wide characters too, and the cursor finds them.
func TestRowsOfANarrowScreen(t *testing.T) {
	k := at("0123456789012345678901234567890123456789\x01x\r", 1, 40)
	_, err := NewEditor(k, history(t), nil).Read(t.Context())
	if want := []string{"> x0123456789012345678901234567890123456", "789", ""}; err != nil || !slices.Equal(k.screen.rows(), want) {
		t.Errorf("%q, %v", k.screen.rows(), err)
	}
	k = at("a"+strings.Repeat("日", 20)+"\x1b[D\x7fx\r", 1, 40)
	m, err := NewEditor(k, history(t), nil).Read(t.Context())
	if err != nil || m.Text != "a"+strings.Repeat("日", 18)+"x日" {
		t.Errorf("%q, %v", m.Text, err)
	}
	if want := []string{"> a" + strings.Repeat("日", 18) + "x", "日", ""}; !slices.Equal(k.screen.rows(), want) {
		t.Errorf("%q", k.screen.rows())
	}
}

func TestHowAMessageEnds(t *testing.T) {
	for keys, want := range map[string]error{"\x04": io.EOF, "x\x04\x7f\x04": io.EOF, "\x03": ErrInterrupted, "x\x03": ErrInterrupted, "": io.EOF, "x": io.EOF} {
		k := at(keys, 0, 80)
		if m, err := NewEditor(k, history(t), nil).Read(t.Context()); !errors.Is(err, want) || m.Text != "" || k.raw != 0 {
			t.Errorf("%q: %q, %v", keys, m.Text, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k := at("x", 0, 80)
	if _, err := NewEditor(k, history(t), nil).Read(ctx); !errors.Is(err, context.Canceled) || k.raw != 0 {
		t.Errorf("%v", err)
	}
}

// TestSuspend: the terminal is as it was while the program is stopped, and the message is there afterwards.
func TestSuspend(t *testing.T) {
	k := at("one\x1a two\r", 0, 80)
	m, err := NewEditor(k, history(t), nil).Read(t.Context())
	if err != nil || m.Text != "one two" || k.suspended != 1 || k.raw != 0 {
		t.Errorf("%q, %v, %d", m.Text, err, k.suspended)
	}
	if rows := k.screen.rows(); !slices.Contains(rows, "> one two") {
		t.Errorf("%q", rows)
	}
}

func TestCompletion(t *testing.T) {
	names := []string{"/compact", "/commit", "@src/", "@src/main.go", "@README.md", "@日本.md"}
	complete := func(_ context.Context, text string) (int, []Completion) {
		start := max(strings.LastIndexAny(text, " \n")+1, 0)
		var list []Completion
		for _, n := range names {
			if word := text[start:]; word != "" && strings.HasPrefix(strings.ToLower(n), strings.ToLower(word)) {
				list = append(list, Completion{Text: n, More: strings.HasSuffix(n, "/")})
			}
		}
		return start, list
	}
	for keys, want := range map[string]struct {
		text string
		rows []string
	}{
		"see @read\tx\r":        {"see @README.md x", []string{"> see @README.md x", ""}},
		"/c\t\tp\t now\r":       {"/compact  now", []string{"  /compact", "  /commit", "> /compact  now", ""}},
		"@s\tm\t\r":             {"@src/main.go ", []string{"> @src/main.go", ""}},
		"@日\t!\r":               {"@日本.md !", []string{"> @日本.md !", ""}},
		"a\n@re\t\r":            {"a\n@README.md ", []string{"> a⏎@README.md", ""}},
		"none\t\r":              {"none", []string{"> none", ""}},
		"\tx\r":                 {"x", []string{"> x", ""}},
		"@re b\x1b[D\x1b[D\t\r": {"@README.md  b", []string{"> @README.md  b", ""}},
	} {
		k := at(keys, 0, 80)
		m, err := NewEditor(k, history(t), complete).Read(t.Context())
		if err != nil || m.Text != want.text {
			t.Errorf("%q: %q, %v", keys, m.Text, err)
		}
		if diff := cmp.Diff(want.rows, k.screen.rows()); diff != "" {
			t.Errorf("%q: %s", keys, diff)
		}
	}
}

func TestListed(t *testing.T) {
	long := []Completion{{Text: "/a", Says: strings.Repeat("x", 200)}, {Text: "b\x1b\n"}}
	for range 20 {
		long = append(long, Completion{Text: "c"})
	}
	got := listed(long, 40)
	if uniseg.StringWidth(strings.Split(got, "\n")[0]) > 40 || strings.Contains(got, "\x1b") || strings.Count(got, "\n") != maxListed+1 || !strings.HasSuffix(got, "  … and 10 more\n") {
		t.Errorf("%q", got)
	}
}

// FuzzGlyphs: any text comes out of a line as it went in, nothing that acts on a terminal is shown, and the library
// counts as many columns as there are.
func FuzzGlyphs(f *testing.F) {
	for _, text := range []string{"", "a\nb\tc", "日本語 é e\u0301 👩\u200d💻 🇩🇪", "\x1b[2J\u202e\u200b\x00", "\U00100000\U0010FFFD", "\u0301", "שלום"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		var g glyphs
		line := g.line(text)
		if got, want := g.text(line, true), strings.ReplaceAll(text, "\r\n", "\n"); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
		shown := g.shown(line)
		if strings.ContainsAny(shown, "\x1b\n\r\x00\x07") {
			t.Fatalf("%q is shown", shown)
		}
		runes := []rune(line)
		for i := len(runes); i > 0; {
			at := g.before(runes, i)
			if at >= i || g.after(runes, at) != i {
				t.Fatalf("from %d back to %d and to %d", i, at, g.after(runes, at))
			}
			i = at
		}
	})
}

// screenOf is a terminal as far as the library uses one.
type screenOf struct {
	columns  int
	cells    [][]string
	row, col int
}

func (s *screenOf) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := sequenceLength(rest)
		switch {
		case rest[0] == '\x1b' && n > 0:
			s.control(string(rest[2:n-1]), rest[n-1])
		case rest[0] == '\r':
			s.col, n = 0, 1
		case rest[0] == '\n':
			s.row, n = s.row+1, 1
		default:
			n = s.print(rest)
		}
		rest = rest[n:]
	}
	return len(p), nil
}

func (s *screenOf) control(parameter string, what byte) {
	n := 0
	for _, c := range parameter {
		n = n*10 + int(c-'0')
	}
	switch n = max(n, 1); what {
	case 'A':
		s.row = max(0, s.row-n)
	case 'B':
		s.row += n
	case 'C':
		s.col += n
	case 'D':
		s.col = max(0, s.col-n)
	case 'K':
		for i := s.col; i < s.columns; i++ {
			*s.cell(s.row, i) = ""
		}
	}
}

// print shows a character, in the next row if there is no place for it, and returns how long it is.
func (s *screenOf) print(text []byte) int {
	cluster, width := firstCluster(text)
	if s.col+width > s.columns {
		s.row, s.col = s.row+1, 0
	}
	*s.cell(s.row, s.col) = cluster
	for i := 1; i < width; i++ {
		*s.cell(s.row, s.col+i) = ""
	}
	s.col += width
	return len(cluster)
}

func (s *screenOf) cell(row, col int) *string {
	for len(s.cells) <= row {
		s.cells = append(s.cells, make([]string, s.columns))
	}
	return &s.cells[row][col]
}

func (s *screenOf) rows() (all []string) {
	s.cell(s.row, 0)
	for _, row := range s.cells {
		all = append(all, strings.TrimRight(strings.Join(row, ""), " "))
	}
	return all
}

func TestPlainEditor(t *testing.T) {
	k := at("one\n  two\\\nthree\n\nlast", 0, 80)
	e := NewPlainEditor(k)
	var got []string
	for {
		m, err := e.Read(t.Context())
		if err != nil {
			break
		}
		got = append(got, m.Text)
	}
	if want := []string{"one", "  two\nthree", "", "last"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if strings.Contains(strings.Join(k.screen.rows(), ""), "\x1b") || bytes.Contains(k.keys, []byte("x")) {
		t.Error("control sequences were written")
	}
}
