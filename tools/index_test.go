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
		list = append(list, define(Spec{
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
		if found := FoundIn(Call{registry: r}.found(b.Context(), "list the open things of kind 417 in a project")); len(found) != maxFound || found[0] != "server_17_list_things_417" {
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
	tool := define(Spec{Name: "thing", Description: *c.says}, func(context.Context, Call, struct{}) (Plan, error) { return Plan{}, nil })
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
		return r, strings.Join(FoundIn(Call{registry: r}.found(t.Context(), query)), " ")
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
	if r, _ := search("fence"); strings.Contains((Call{registry: r, Described: []string{"thing"}}).found(t.Context(), "fence"), "fence") {
		t.Error("a tool is found that the model was told of")
	}
}

func TestUnfence(t *testing.T) {
	for _, text := range []string{"", "a", "a\nb\n", "--- outside 12\nx", fenceBegins + "x"} {
		if got := Unfence(content.Plain(fenced(content.Texts(text)))); got != strings.TrimRight(text, "\n") {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := Unfence("--- outside 12\nx"); got != "--- outside 12\nx" {
		t.Errorf("what is not fenced: %q", got)
	}
}

// others is a source of tools that are not Assent's own.
type others [][3]string

func (others) Name() string { return "others" }

func (o others) Tools(context.Context) (list []Tool, changed <-chan struct{}, err error) {
	for _, t := range o {
		list = append(list, otherTool{Spec{Name: t[0], Description: t[1], Parameters: json.RawMessage(t[2]), Origin: FromServer("x")}})
	}
	return list, nil, nil
}

type otherTool struct{ spec Spec }

func (t otherTool) Spec() Spec { return t.spec }

func (otherTool) Plan(context.Context, Call) (Plan, error) { return Plan{}, nil }

// A request fits a tool by the words that say what the tool is about, not by those that many tools have.
func TestFitting(t *testing.T) {
	var list others
	for i := range 30 {
		list = append(list, [3]string{fmt.Sprintf("kind%d_show", i), "Shows a thing in a list by its name.", `{"properties":{"id":{},"name":{}}}`})
	}
	list = append(list,
		[3]string{"create_reminder", "Makes a note.", ``},
		[3]string{"sendMail", "Sends a message to somebody.", `{"properties":{"phone":{"description":"where to call back"}}}`},
		[3]string{"lights", "Dims or brightens what shines in the bathroom.", `[`},
	)
	s := NewSources(Builtin(nil, Options{}), list)
	r, err := s.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]string{
		"Remind me to water the plants.":         "create_reminder",
		"What is the phone of Ada?":              "sendMail",
		"Make it less bright in the bathroom":    "", // one word of a description says too little
		"Dim what shines in the bathroom":        "lights",
		"What is the name of the thing, by id?":  "",
		"What time is it, and what is 2 plus 2?": "", // Assent's own tools have these words
		"":                                       "",
	} {
		var names []string
		for _, s := range r.Fitting(request, func(s Spec) bool { return true }) {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q fits %q, not %q", request, got, want)
		}
	}
	if got := r.Fitting("Remind me", func(s Spec) bool { return s.Name != "create_reminder" }); len(got) > 0 {
		t.Errorf("what nobody wants fits: %v", got)
	}
}
