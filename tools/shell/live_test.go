package shell

import (
	"strings"
	"testing"
)

// FuzzPlainStream: output that comes in pieces is shown as all of it would be.
func FuzzPlainStream(f *testing.F) {
	for _, text := range []string{
		"one\ntwo\r\nthree\rfour", "\x1b[1;31mred\x1b[0m\r\x1b[K\n", "\x1b]8;;http://x\x1b\\link\x1b]8;;\x07", "ä€😀", "\x1b(B\x1bM\x1b\x1b[0m[31m", "\x1b]never ends",
	} {
		f.Add(text, uint8(1))
		f.Add(text, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if strings.ToValidUTF8(text, "") != text || len(text) > maxEscape {
			t.Skip() // how many marks stand for broken bytes, and how long a sequence may be, is no promise
		}
		var got strings.Builder
		s := plainStream{to: func(piece string) { got.WriteString(piece) }}
		for rest := text; rest != ""; {
			n := min(int(size%7)+1, len(rest))
			_, _ = s.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		s.end()
		if got.String() != Plain(text) {
			t.Errorf("%q in pieces of %d is shown as %q, and whole as %q", text, size%7+1, got.String(), Plain(text))
		}
	})
}
