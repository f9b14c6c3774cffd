package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/excerpt"
)

//go:embed ask_user.md
var askUserText string

const maxChoices = 8

type askUserInput struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices,omitempty" jsonschema:"short answers to pick from"`
}

// AskUser asks the person; the answer is its result.
func AskUser() tools.Tool {
	spec := tools.Spec{
		Name: "ask_user", Description: askUserText, Verb: "ask you:", Effect: effect.Asks,
		Examples: []json.RawMessage{
			[]byte(`{"question":"Which of the two tests shall I mend?","choices":["TestOpen","TestClose"]}`),
		},
	}
	return tools.Define(spec, func(_ context.Context, _ tools.Call, in askUserInput) (tools.Plan, error) {
		if strings.TrimSpace(in.Question) == "" {
			return tools.Plan{}, arguments.Errorf("question is empty: say what you want to know.")
		}
		if len(in.Choices) > maxChoices {
			return tools.Plan{}, arguments.Errorf(
				"choices has %d answers; %d are the most. Leave it out to ask an open question.", len(in.Choices),
				maxChoices,
			)
		}
		for _, choice := range in.Choices {
			if strings.TrimSpace(choice) == "" || len(choice) > excerpt.MaxNote || strings.ContainsAny(choice, "\r\n") {
				return tools.Plan{}, arguments.Errorf(
					"each of choices is one short line, not %q.", excerpt.Cut(choice, 100),
				)
			}
		}
		plan := tools.Plan{Target: in.Question, Choices: in.Choices}
		if strings.Contains(in.Question, "\n") {
			plan.Preview = in.Question // titles have one line
		}
		return plan, nil
	})
}
