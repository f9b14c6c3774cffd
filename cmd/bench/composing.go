package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools/builtin"
)

const (
	longChat     = 100_000 // tokens
	composedRuns = 100
	composeLimit = 10 * time.Millisecond
)

// measureComposing times what a Send does with a long chat that was read from its document already, up to the request.
func measureComposing(context.Context, *setup) (rows []row, err error) {
	profiles, err := model.LoadProfiles()
	if err != nil {
		return nil, err
	}
	info := model.Info{Name: smallModels[0], Family: "qwen2", Capabilities: []string{"completion", "tools"}}
	profile, _ := profiles.For(info)
	system, err := os.ReadFile("prompts/system.md")
	if err != nil {
		return nil, err
	}
	var known []model.Tool
	for _, t := range builtin.Tools(nil, builtin.Options{}) {
		s := t.Spec()
		known = append(known, model.Tool{Name: s.Name, Description: s.Description, Parameters: s.Parameters})
	}
	how := fmt.Sprintf("A chat of questions, calls, results and prose, as it stands in its document: "+
		"its turns are read, made harmless and written in the format, and the "+
		"tokens of the request are estimated. Median of %d.", composedRuns)
	for _, name := range []string{"native", "hermes", "guided"} {
		format, err := formats.ByName(name)
		if err != nil {
			return rows, err
		}
		c := compose.Conversation{
			Model: info, Profile: profile, Format: format, Marks: compose.NewMarks(profiles, profile, info, format),
			ContextSize: 1 << 17,
			System:      string(system), Tools: known,
		}
		chat, meter := transcript.Parse(bigChat(longChat*3)), model.NewMeter()
		once := func() int {
			c.Turns = compose.Turns(chat, compose.Memory{})
			return meter.Estimate(compose.Request(c, toolcall.Hints{})).Tokens
		}
		tokens := once()
		if tokens < longChat {
			return rows, fmt.Errorf("the chat has only %d tokens", tokens)
		}
		took, err := times(composedRuns, func() error { once(); return nil })
		if err != nil {
			return rows, err
		}
		p50 := median(took)
		rows = append(rows, row{
			what: "composing a request of 100,000 tokens, " + name, target: "≤ 10 ms", ok: p50 <= composeLimit,
			got: fmt.Sprintf("%s (p99 %s, %d tokens)", ms(p50), ms(quantile(took, 0.99)), tokens), how: how,
		})
		how = ""
	}
	return rows, nil
}
