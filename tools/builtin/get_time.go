package builtin

import (
	"context"
	_ "embed"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
)

//go:embed get_time.md
var getTimeText string

type getTimeInput struct{}

// GetTime tells the time. now is time.Now outside tests.
func GetTime(now func() time.Time) tools.Tool {
	return tools.Define(tools.Spec{
		Name: "get_time", Description: getTimeText, Effect: effect.Computes,
	}, func(context.Context, tools.Call, getTimeInput) (tools.Plan, error) {
		return tools.Plan{Run: func(context.Context, tools.Reporter) tools.Result {
			return tools.Text(now().Format("Monday, 2006-01-02 15:04:05 -07:00 (MST)"))
		}}, nil
	})
}
