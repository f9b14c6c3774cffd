package ext

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecode(t *testing.T) {
	object := func(kv ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1]
		}
		return m
	}
	position := object("line", 3.0, "character", 4.0)
	for name, c := range map[string]struct {
		arguments []any
		want      Target
		fails     bool
	}{
		"none":          {nil, Target{}, false},
		"null":          {[]any{nil}, Target{}, false},
		"uri":           {[]any{object("uri", "file:///a")}, Target{URI: "file:///a"}, false},
		"position":      {[]any{object("uri", "u", "position", position)}, Target{"u", &Position{3, 4}}, false},
		"two":           {[]any{nil, nil}, Target{}, true},
		"another field": {[]any{object("url", "u")}, Target{}, false},
		"wrong type":    {[]any{"u"}, Target{}, true},
		"negative":      {[]any{object("position", object("line", -1.0))}, Target{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Decode[Target](c.arguments)
			if (err != nil) != c.fails {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(c.want, got); !c.fails && diff != "" {
				t.Error(diff)
			}
		})
	}
}
