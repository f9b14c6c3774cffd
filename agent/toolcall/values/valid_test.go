package values

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzValidJSON compares with the standard library.
func FuzzValidJSON(f *testing.F) {
	for _, text := range []string{
		`{"a":1,"b":[{"c":"\"\\\/\b\f\n\r\t\u00e4"}],"d":{}, "e": [ ] }`, " null\n", "tru", `"\x"`, `"\u12g4"`, `"\u123`, "\"a\nb\"", "\"\xff\"", `"a`, `"\`,
		"0", "-0.5e+10", "01", "-", "1.", ".5", "1e", "1e5x", `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `[1,]`, `[,]`, `[1 2]`, `{1:2}`, "[", "{", "", `{"a":1}}`, "\v1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := json.Valid([]byte(text))
		if got := validJSON(text); got != want {
			t.Errorf("%q: %v, the library says %v", text, got, want)
		}
		if got := validJSON([]byte(text)); got != want {
			t.Errorf("%q as bytes: %v, the library says %v", text, got, want)
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(text) // a string always encodes
		if got, want := string(Quote(text)), strings.TrimSuffix(b.String(), "\n"); got != want {
			t.Errorf("%q is written %s, the library writes %s", text, got, want)
		}
	})
}

func TestValidJSONDepth(t *testing.T) {
	for _, depth := range []int{1, 9_999, 10_000, 10_001, 1_000_000} {
		for _, pair := range []string{"[]", `{"a":1}`} {
			open, closer := pair[:len(pair)-1], pair[len(pair)-1:]
			if pair != "[]" {
				open = `{"a":`
			}
			text := strings.Repeat(open, depth-1) + pair + strings.Repeat(closer, depth-1)
			if got, want := validJSON(text), json.Valid([]byte(text)); got != want {
				t.Errorf("%d of %s: %v, the library says %v", depth, pair, got, want)
			}
		}
	}
}
