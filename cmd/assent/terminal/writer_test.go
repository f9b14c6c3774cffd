package terminal

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/internal/visible"
)

const hostile = "a\x1b[2J\u009b31m\u202e\U000E0041 👩\u200d💻\r\né\xe2\x80"

func TestACharacterSplitBetweenWritesIsShown(t *testing.T) {
	for size := 1; size < 8; size++ {
		var out bytes.Buffer
		w := NewWriter(&out)
		for piece := range slices.Chunk([]byte(hostile), size) {
			if n, err := w.Write(piece); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		want := "a<U+001B>[2J<U+009B>31m<U+202E><U+E0041> 👩\u200d💻<U+000D>\né\uFFFD\uFFFD"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("pieces of %d bytes: %s", size, diff)
		}
	}
}

func TestJSONMeansTheSame(t *testing.T) {
	var out bytes.Buffer
	text := strings.ToValidUTF8(hostile, "") + "\u200d\ufeff\u3164\x7f"
	for size := 1; size < 8; size++ {
		out.Reset()
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		w := JSON(NewWriter(&out))
		for piece := range slices.Chunk(raw, size) {
			if _, err := w.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		var got string
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != text || visible.Text(out.String()) != out.String() {
			t.Errorf("%s means %q: %v", &out, got, err)
		}
	}
}

func TestALineThatIsWrittenOverIsVisible(t *testing.T) {
	var out bytes.Buffer
	if err := NewWriter(&out).Overwrite("x\n" + hostile[:5]); err != nil || out.String() != "\r\x1b[Kx⏎a<U+001B>[2J" {
		t.Errorf("%q, %v", &out, err)
	}
}

func TestRows(t *testing.T) {
	for text, want := range map[string][]string{
		"":                          nil,
		"one\n\ntwo\n":              {"> one", "> ", "> two"},
		"a\tb":                      {"> a       b"},
		strings.Repeat("x", 20):     {"> " + strings.Repeat("x", 18), ">     xx"},
		strings.Repeat("日", 10):     {"> " + strings.Repeat("日", 9), ">     日"},
		"a\x1b[2Jb":                 {"> a<U+001B>[2Jb"},
		"0123456789abcdefgh\t[y]:":  {"> 0123456789abcdefgh", ">           [y]:"},
		"the words stay whole here": {"> the words stay ", ">     whole here"},
		"all of it is 18 ch. wide":  {"> all of it is 18 ", ">     ch. wide"},
		"exactly 18 places. More":   {"> exactly 18 places.", ">      More"},
		"see src/a_long_name.go:12": {"> see src/", ">     a_long_name.go:12"},
		"read 日本語の長い文です":            {"> read 日本語の長い", ">     文です"},
		"קרא את הקובץ הזה עכשיו":     {"> קרא את הקובץ הזה ", ">     עכשיו"},
		"aaaaaaaaaaaaaaaaae\u0301bb": {"> aaaaaaaaaaaaaaaaa", ">     e\u0301bb"},
	} {
		if diff := cmp.Diff(want, rows(text, "> ", 24)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// TestRowsAreTheLine: nothing of a line is lost or moved where it is broken, no row is too wide, and no word is broken
// that fits on a row.
func TestRowsAreTheLine(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("abc abc abc .,-/ שלום 日本 é\u0301")
	for range 2000 {
		text, most := "", minCells+random.IntN(20)
		for range random.IntN(120) {
			text += string(letters[random.IntN(len(letters))])
		}
		all := wrapped(text, most)
		if strings.Join(all, "") != text {
			t.Fatalf("%q becomes %q", text, all)
		}
		for i, row := range all {
			if places(row) > most {
				t.Fatalf("%q is wider than %d", row, most)
			}
			if i == 0 {
				continue
			}
			before := all[i-1][strings.LastIndex(all[i-1], " ")+1:]
			after, _, _ := strings.Cut(row, " ")
			if word := before + after; before != "" && after != "" && latin.MatchString(word) && places(word) <= most {
				t.Fatalf("%q is broken in %q of %d places", word, all, most)
			}
		}
	}
}

// latin are words that nothing breaks.
var latin = regexp.MustCompile(`^[abc]+$`)

func TestPromptsAreBrokenBetweenChoices(t *testing.T) {
	const prompt = "[y] once  [c] allow edit_file in this chat  [n] deny  [r] deny and say why"
	for columns, want := range map[int]string{
		120: prompt,
		80:  "[y] once  [c] allow edit_file in this chat  [n] deny  [r] deny and say why",
		79:  "[y] once  [c] allow edit_file in this chat  [n] deny\n    [r] deny and say why",
		40:  "[y] once\n    [c] allow edit_file in this chat\n    [n] deny  [r] deny and say why",
		24:  "[y] once\n    [c] allow\n    edit_file in this\n    chat\n    [n] deny\n    [r] deny and say\n    why",
	} {
		if got := promptText(prompt, columns); got != want {
			t.Errorf("at %d columns:\n%s\nwant\n%s", columns, got, want)
		}
	}
}
