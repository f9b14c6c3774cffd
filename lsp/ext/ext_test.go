package ext

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Commands() {
		if !strings.HasPrefix(c.Name, "assent.") || c.Title == "" || !strings.HasSuffix(c.Doc, ".") {
			t.Errorf("%+v", c)
		}
		if seen[c.Name] || seen[c.Title] {
			t.Errorf("%s (%s) is there twice", c.Name, c.Title)
		}
		seen[c.Name], seen[c.Title] = true, true
		if reflect.TypeOf(c.Args).Kind() != reflect.Struct {
			t.Errorf("%s takes %T", c.Name, c.Args)
		}
	}
}

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
