package attach_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/internal/visible"
)

// What is attached has no hidden character: a model reads each in the form in which people see it, as in results of
// tools.
func TestNothingHiddenIsAttached(t *testing.T) {
	text := "\ufeffone\r\ntwo\u200b\U000e0041\U000e0042\r\nth\u202eree\n"
	for _, message := range []string{"What is in a.txt?", "@a.txt", "@a.txt:1-3", "@d"} {
		x := newFixture(t, map[string]string{"a.txt": text, "d/b\u200b.txt": "b"})
		var all strings.Builder
		for _, block := range x.turn(t, message, false) {
			all.WriteString(block.Text())
		}
		if got := all.String(); got == "" || visible.Text(got) != got {
			t.Errorf("%q attaches %q", message, got)
		}
		if strings.Contains(all.String(), "FEFF") {
			t.Errorf("%q attaches a byte order mark: %q", message, all.String())
		}
		if got := all.String(); message != "@d" && !strings.Contains(got, "two<U+200B><U+E0041><U+E0042>\nth<U+202E>ree") {
			t.Errorf("%q attaches %q", message, got)
		}
	}
}
