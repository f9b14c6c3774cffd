package tools

import (
	"context"
	_ "embed"
)

//go:embed calculator.md
var calculatorText string

type calculatorInput struct {
	Expression string `json:"expression"`
}

// Calculator computes an arithmetic expression.
func Calculator() Tool {
	return define("calculator", calculatorText, None, func(_ context.Context, _ Call, in calculatorInput) (Plan, error) {
		return Plan{Target: in.Expression, Run: func(context.Context, Reporter) Result {
			value, err := evaluate(in.Expression)
			if err != nil {
				return failure(err)
			}
			return Result{Text: value}
		}}, nil
	})
}
