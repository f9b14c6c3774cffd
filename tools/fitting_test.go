package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
)

// others is a source of tools that are not Assent's own.
type others [][3]string

func (others) Name() string { return "others" }

func (o others) Tools(context.Context) (list []tools.Tool, changed <-chan struct{}, err error) {
	for _, t := range o {
		list = append(list, otherTool{tools.Spec{Name: t[0], Description: t[1], Parameters: json.RawMessage(t[2]), Origin: tools.FromServer("x")}})
	}
	return list, nil, nil
}

type otherTool struct{ spec tools.Spec }

func (t otherTool) Spec() tools.Spec { return t.spec }

func (otherTool) Plan(context.Context, tools.Call) (tools.Plan, error) { return tools.Plan{}, nil }

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
	s := tools.NewSources(builtin.Tools(nil, builtin.Options{}), list)
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
		for _, s := range r.Fitting(request, func(s tools.Spec) bool { return true }) {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q fits %q, not %q", request, got, want)
		}
	}
	if got := r.Fitting("Remind me", func(s tools.Spec) bool { return s.Name != "create_reminder" }); len(got) > 0 {
		t.Errorf("what nobody wants fits: %v", got)
	}
}
