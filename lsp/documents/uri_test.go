package documents

import "testing"

func TestPathOf(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///w/a%20b.md":   "/w/a b.md",
		"file:///w/a b.md":     "/w/a b.md",
		"file:///w/../x/%25":   "/x/%",
		"file://localhost/a":   "/a",
		"file://elsewhere/a":   "",
		"file:///a%00b":        "",
		"untitled:Untitled-1":  "",
		"http://example.org/a": "",
		"file:":                "",
		"%zz":                  "",
	} {
		got, err := PathOf(uri)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %q, %v", uri, got, err)
		}
		if back, _ := PathOf(URIOf(want)); err == nil && back != want {
			t.Errorf("%s: %s became %s", uri, want, back)
		}
	}
}
