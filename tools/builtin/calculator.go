package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
)

//go:embed calculator.md
var calculatorText string

type calculatorInput struct {
	Expression string `json:"expression"`
}

// Calculator computes an arithmetic expression.
func Calculator() tools.Tool {
	return tools.Define(tools.Spec{
		Name: "calculator", Description: calculatorText, Effect: effect.Computes, Returns: "float",
		Arguments: map[string]tools.ArgumentKind{"expression": tools.Arithmetic}, KeepResult: time.Hour,
	}, func(_ context.Context, _ tools.Call, in calculatorInput) (tools.Plan, error) {
		return tools.Plan{Target: in.Expression, Run: func(context.Context, tools.Reporter) tools.Result {
			value, err := evaluate(in.Expression)
			if err != nil {
				return tools.FailedBy(err)
			}
			result := tools.Text(value)
			if number := json.Number(value); json.Valid([]byte(value)) {
				result.Value = number
			}
			return result
		}}, nil
	})
}
