package terminal

import (
	"bytes"
	"encoding/json"
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
		"":                         nil,
		"one\n\ntwo\n":             {"> one", "> ", "> two"},
		"a\tb":                     {"> a       b"},
		strings.Repeat("x", 20):    {"> " + strings.Repeat("x", 18), ">     xx"},
		strings.Repeat("日", 10):    {"> " + strings.Repeat("日", 9), ">     日"},
		"a\x1b[2Jb":                {"> a<U+001B>[2Jb"},
		"0123456789abcdefgh\t[y]:": {"> 0123456789abcdefgh", ">           [y]:"},
	} {
		if diff := cmp.Diff(want, rows(text, "> ", 24)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}
