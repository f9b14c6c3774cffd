package background

import (
	"fmt"
	"strings"
	"testing"
)

// A gigabyte of output takes no more memory than its bounds, whatever the pieces.
func TestAFloodIsBounded(t *testing.T) {
	for _, size := range []int{1 << 10, 32 << 10, 1 << 20} {
		k := newKept(headForPeople, tailForPeople)
		piece := strings.Repeat("y", size-1) + "\n"
		k.add("first\n")
		for range (1 << 30) / size {
			k.add(piece)
		}
		k.add("last\n")
		text := k.String()
		if most := 3 * (headForPeople + tailForPeople); cap(k.head)+cap(k.tail) > most || len(text) > most/2 {
			t.Errorf("in pieces of %d: %d and %d bytes are kept", size, cap(k.head), cap(k.tail))
		}
		if left := fmt.Sprintf("\n[%d bytes left out]\n", 1<<30+11-headForPeople-tailForPeople); !strings.Contains(text, left) {
			t.Errorf("it does not say %q", left)
		}
		if !strings.HasPrefix(text, "first\ny") || !strings.HasSuffix(text, "y\nlast\n") {
			t.Errorf("the beginning or the end is missing: %.40q", text)
		}
	}
}

// What fits is kept whole.
func TestLittleIsKeptWhole(t *testing.T) {
	k := newKept(4, 6)
	var want strings.Builder
	for _, piece := range []string{"ab", "cde", "", "fghij"} {
		k.add(piece)
		want.WriteString(piece)
		if k.String() != want.String() {
			t.Errorf("%q, want %q", k.String(), want.String())
		}
	}
	k.add("k")
	if k.String() != "abcd\n[1 bytes left out]\nfghijk" {
		t.Errorf("%q", k.String())
	}
	if k.clear(); k.String() != "" || !k.empty() {
		t.Errorf("%q", k.String())
	}
}
