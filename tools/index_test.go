package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/internal/content"
)

// thousand is a source of a thousand tools with descriptions and parameters of the usual length.
type thousand struct{}

func (thousand) Name() string { return "a thousand tools" }

func (thousand) Tools(context.Context) (list []Tool, changed <-chan struct{}, err error) {
	for i := range 1000 {
		list = append(list, Define(Spec{
			Name:        fmt.Sprintf("server_%d_list_things_%d", i%20, i),
			Description: fmt.Sprintf("Lists the things of kind %d in a project, with their states and owners. Use it before you change one; the result has at most a hundred.", i),
			Parameters: json.RawMessage(`{"type":"object","properties":{"project":{"type":"string","description":"the name of the project"},` +
				`"state":{"type":"string","enum":["open","closed"],"description":"only things in this state"},"limit":{"type":"integer","description":"how many at most"}},"required":["project"]}`),
		}, func(context.Context, Call, struct{}) (Plan, error) { return Plan{}, nil }))
	}
	return list, nil, nil
}

// BenchmarkToolSearch is a search over a thousand tools: the first one, and each later one, also of later runs.
func BenchmarkToolSearch(b *testing.B) {
	search := func(s *Sources) {
		r, err := s.Now(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if found := FoundIn(Call{dispatcher: &Dispatcher{registry: r}}.found(b.Context(), "list the open things of kind 417 in a project")); len(found) != maxFound || found[0] != "server_17_list_things_417" {
			b.Fatal(found)
		}
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			search(NewSources(nil, thousand{}))
		}
	})
	b.Run("later", func(b *testing.B) {
		s := NewSources(nil, thousand{})
		search(s)
		for b.Loop() {
			search(s)
		}
	})
}

// changing is a source whose one tool says something else each time.
type changing struct{ says *string }

func (changing) Name() string { return "a source" }

func (c changing) Tools(context.Context) (list []Tool, changed <-chan struct{}, err error) {
	outdated := make(chan struct{})
	close(outdated)
	tool := Define(Spec{Name: "thing", Description: *c.says}, func(context.Context, Call, struct{}) (Plan, error) { return Plan{}, nil })
	return []Tool{tool}, outdated, nil
}

// The index of a search is kept for later runs, but only as long as the tools say what it was made of.
func TestASearchIsAmongTheToolsOfNow(t *testing.T) {
	says := "waters the garden"
	s := NewSources(nil, changing{&says})
	search := func(query string) (*Registry, string) {
		r, err := s.Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r, strings.Join(FoundIn(Call{dispatcher: &Dispatcher{registry: r}}.found(t.Context(), query)), " ")
	}
	first, found := search("garden")
	again, _ := search("garden")
	if found != "thing" || first.index != again.index {
		t.Errorf("%q is found; one index for the same tools: %v", found, first.index == again.index)
	}
	says = "paints the fence"
	if _, found := search("garden"); found != "" {
		t.Errorf("%q is found by what it does not say any more", found)
	}
	if r, found := search("fence"); found != "thing" || r.index == first.index {
		t.Errorf("%q is found by what it says now", found)
	}
	if r, _ := search("fence"); strings.Contains((Call{dispatcher: &Dispatcher{registry: r}, Described: []string{"thing"}}).found(t.Context(), "fence"), "fence") {
		t.Error("a tool is found that the model was told of")
	}
}

func TestUnfence(t *testing.T) {
	for _, text := range []string{"", "a", "a\nb\n", "--- outside 12\nx", fenceBegins + "x"} {
		if got := Unfence(content.Plain(fenced(byOthers, content.Texts(text)))); got != strings.TrimRight(text, "\n") {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := Unfence("--- outside 12\nx"); got != "--- outside 12\nx" {
		t.Errorf("what is not fenced: %q", got)
	}
}
