package transport

import (
	"runtime"
	"strings"
	"testing"
)

// TestALongNameIsComparedByItsBeginning: a chat may name any model, and nothing stops a comparison once it has begun.
func TestALongNameIsComparedByItsBeginning(t *testing.T) {
	installed := []string{"gemma3:1b", "qwen3:4b", "qwen3:1b", "phi4:14b"}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	near := Nearest("qwen3:"+strings.Repeat("x", 1<<20), installed)
	runtime.ReadMemStats(&after)
	if len(near) != nearModels || near[0] != "qwen3:1b" || near[1] != "qwen3:4b" {
		t.Errorf("near are %q", near)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("it took %d bytes", used)
	}
}

// TestQuote: the words are bounded also where each character becomes several.
func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		" a\n\"b\" ": `"a\n\"b\""`, "": `""`, "é\u202e": `"é\u202e"`, strings.Repeat("x", 301): `"` + strings.Repeat("x", 300) + `…"`,
		strings.Repeat("é", 300): `"` + strings.Repeat("é", 300) + `"`,
	} {
		if got := Quote(text); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
	for _, text := range []string{strings.Repeat("\x00", 100), strings.Repeat("\x00", 1<<20), strings.Repeat("\U000E0001", 150)} {
		if got := Quote(text); len(got) > 910 || !strings.HasSuffix(got, `"`) || len(text) > 200 && !strings.Contains(got, "…") {
			t.Errorf("%d bytes: %s", len(got), got)
		}
	}
}
