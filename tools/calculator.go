package tools

import (
	"context"
	_ "embed"
	"time"

	"github.com/assent-ls/assent/tools/effect"
)

//go:embed calculator.md
var calculatorText string

type calculatorInput struct {
	Expression string `json:"expression"`
}

// Calculator computes an arithmetic expression.
func Calculator() Tool {
	return define(Spec{Name: "calculator", Description: calculatorText, Effect: effect.Computes, Arguments: map[string]ArgumentKind{"expression": Arithmetic}, KeepResult: time.Hour}, func(_ context.Context, _ Call, in calculatorInput) (Plan, error) {
		return Plan{Target: in.Expression, Run: func(context.Context, Reporter) Result {
			value, err := evaluate(in.Expression)
			if err != nil {
				return failure(err)
			}
			return Text(value)
		}}, nil
	})
}
