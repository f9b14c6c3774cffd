package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/assent-ls/assent/tools/effect"
)

//go:embed ask_user.md
var askUserText string

const maxChoices = 8

type askUserInput struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices,omitempty" jsonschema:"short answers to pick from"`
}

// AskUser asks the person; the answer is its result.
func AskUser() Tool {
	spec := Spec{
		Name: "ask_user", Description: askUserText, Verb: "ask you:", Effect: effect.Asks,
		Examples: []json.RawMessage{[]byte(`{"question":"Which of the two tests shall I mend?","choices":["TestOpen","TestClose"]}`)},
	}
	return define(spec, func(_ context.Context, _ Call, in askUserInput) (Plan, error) {
		if strings.TrimSpace(in.Question) == "" {
			return Plan{}, argumentError("question is empty: say what you want to know.")
		}
		if len(in.Choices) > maxChoices {
			return Plan{}, argumentError("choices has %d answers; %d are the most. Leave it out to ask an open question.", len(in.Choices), maxChoices)
		}
		for _, choice := range in.Choices {
			if strings.TrimSpace(choice) == "" || len(choice) > maxNote || strings.ContainsAny(choice, "\r\n") {
				return Plan{}, argumentError("each of choices is one short line, not %q.", cut(choice, 100))
			}
		}
		plan := Plan{Target: in.Question, Choices: in.Choices}
		if strings.Contains(in.Question, "\n") {
			plan.Preview = in.Question // titles have one line
		}
		return plan, nil
	})
}
