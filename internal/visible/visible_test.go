package visible_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/visible"
)

// ignorable is Default_Ignorable_Code_Point of DerivedCoreProperties.txt, Unicode 15.0.
var ignorable = [][2]rune{
	{0xAD, 0xAD},
	{0x34F, 0x34F},
	{0x61C, 0x61C},
	{0x115F, 0x1160},
	{0x17B4, 0x17B5},
	{0x180B, 0x180F},
	{0x200B, 0x200F},
	{0x202A, 0x202E},
	{0x2060, 0x206F},
	{0x3164, 0x3164},
	{0xFE00, 0xFE0F},
	{0xFEFF, 0xFEFF},
	{0xFFA0, 0xFFA0},
	{0xFFF0, 0xFFF8},
	{0x1BCA0, 0x1BCA3},
	{0x1D173, 0x1D17A},
	{0xE0000, 0xE0FFF},
}

// alsoHidden act on a terminal, separate lines or are drawn as nothing, and Unicode does not call them ignorable.
var alsoHidden = [][2]rune{
	{0x00, 0x08},
	{0x0B, 0x1F},
	{0x7F, 0x9F},
	{0x2028, 0x2029},
	{0x2800, 0x2800},
	{0xFFF9, 0xFFFB},
	{0x16FE4, 0x16FE4},
	{0x1D159, 0x1D159},
}

// Promise 1.
func TestEveryIgnorableCharacterIsShown(t *testing.T) {
	for _, ranges := range [][][2]rune{ignorable, alsoHidden} {
		for _, r := range ranges {
			for c := r[0]; c <= r[1]; c++ {
				if text := "a" + string(c) + "b"; !visible.Hidden(c) || visible.Text(text) == text || visible.Line(text) == text {
					t.Errorf("%U is not shown", c)
				}
			}
		}
	}
	for _, c := range "\n\t azAZ09~é日本ä\u0301❤👍🏽⠁ﾡ" {
		if visible.Hidden(c) {
			t.Errorf("%U is hidden", c)
		}
	}
}

// TestJoined keeps what ordinary writing needs, and nothing in which a message could be hidden.
func TestJoined(t *testing.T) {
	const joiner, selector, emoji = 0x200D, 0xFE01, 0xFE0F
	for _, x := range []struct {
		previous, r rune
		joined      bool
	}{
		{'स', joiner, true},
		{'ی', 0x200C, true},
		{'👩', joiner, true},
		{'⚠', emoji, true},
		{emoji, joiner, true},
		{'a', joiner, false},
		{'a', emoji, false},
		{joiner, joiner, false},
		{emoji, selector, false},
		{0x200B, joiner, false},
		{'स', 0x200B, false},
		{'स', 'स', false},
	} {
		if got := visible.Joined(x.previous, x.r); got != x.joined {
			t.Errorf("%U after %U is joined: %v", x.r, x.previous, got)
		}
	}
	for _, r := range []rune{joiner, 0x200C, selector, emoji, 0xE0100, 0x180B} {
		if !visible.Joins(r) || !visible.Hidden(r) {
			t.Errorf("%U does not join, or is not hidden", r)
		}
	}
	for _, r := range []rune{'a', 0xAD, 0x200B, 0x202E, 0xE0041, 0x3164} {
		if visible.Joins(r) {
			t.Errorf("%U joins", r)
		}
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 日本 👍🏽 a\tb\n": "plain é 日本 👍🏽 a\tb\n",
		"a\u202Eb":             "a<U+202E>b",
		"\x1b[31m\x00\r\n":     "<U+001B>[31m<U+0000><U+000D>\n",
		"\u009b2J\x7f":         "<U+009B>2J<U+007F>",
		"\x9b2J \xe2\x28":      "\uFFFD2J \uFFFD(",
		"x\U000E0041":          "x<U+E0041>",
		"❤\uFE0F 👩\u200D💻":     "❤\uFE0F 👩\u200D💻",
		"❤\uFE0F\uFE0F":        "❤\uFE0F<U+FE0F>",
		"l\uFE0Fs \u200D":      "l<U+FE0F>s <U+200D>",
		"\u2800\uFE0F":         "<U+2800><U+FE0F>",
	} {
		if got := visible.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
	if got := visible.Line("a\nb\tc\r"); got != "a⏎b<U+0009>c<U+000D>" {
		t.Errorf("got %q", got)
	}
}

func TestShorten(t *testing.T) {
	if got := visible.Shorten(strings.Repeat("é", 10), 10); got != strings.Repeat("é", 10) {
		t.Errorf("got %q", got)
	}
	if got := visible.Shorten("start"+strings.Repeat(" ", 100)+"rm x", 10); got != "start…(100 more)…rm x" {
		t.Errorf("got %q", got)
	}
}

// FuzzText holds what may never come out of Text, whatever goes in and however it is cut, and that JSON means the same.
func FuzzText(f *testing.F) {
	f.Add([]byte("\x1b]0;x\x07 ❤\uFE0F\u202e 👩\u200d💻\xe2"), 3)
	f.Add([]byte("{\"a\":\"\u2066 \\u001b \U000E0041\"}"), 9)
	f.Fuzz(func(t *testing.T, in []byte, cut int) {
		if cut < 0 || cut > len(in) {
			cut = len(in) / 2
		}
		want := visible.Text(string(in))
		var s visible.Stream
		if got := s.Push(in[:cut]) + s.Push(in[cut:]) + s.End(); got != want {
			t.Fatalf("%q cut at %d gives %q, whole %q", in, cut, got, want)
		}
		for _, r := range want {
			if visible.Hidden(r) && r != 0x200D && r != 0xFE0F {
				t.Fatalf("%q leaves %U", in, r)
			}
		}
		quoted, err := json.Marshal(string(in))
		if err != nil {
			t.Fatal(err)
		}
		var was, is string
		shown := visible.JSON(string(quoted))
		if err := json.Unmarshal(quoted, &was); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(shown), &is); err != nil || is != was || !utf8.ValidString(shown) {
			t.Fatalf("%s means %q, not %q: %v", shown, is, was, err)
		}
	})
}

func TestCodeSpan(t *testing.T) {
	for text, want := range map[string]string{"a `![x](https://x)` b\nc": "`a '![x](https://x)' b⏎c`", "\u202e": "`<U+202E>`", "": "``"} {
		if got := visible.CodeSpan(text); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}
