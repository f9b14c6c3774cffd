package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
)

// extra is what is asked once, in the best way or in none. ask announces it if it takes time.
type extra struct {
	probe string
	ask   func(ctx context.Context, probe string) (Finding, error)
}

// extras are asked behind the ways.
func (p *prober) extras() []extra {
	return []extra{
		{"prints its calls", p.printsCalls},
		{"several calls at once", p.parallelCalls},
		{"writes a program", p.program},
		{fmt.Sprintf("finds its way among %d tools", len(largeToolbox())), p.manyTools},
		{"thinks before a call", p.thinking},
		{"speed", p.speed},
		{"largest context", p.context},
	}
}

// printsCalls says in which format the model prints calls that it should make natively. It asks nothing.
func (p *prober) printsCalls(context.Context, string) (Finding, error) {
	if !p.tried("native") {
		return skipped("the server offers no native calls"), nil
	}
	for _, raw := range p.native {
		if name := printedFormat(raw, toolbox()); name != "" {
			return Finding{Note: "as " + name + ", although the server offers native calls"}, nil
		}
	}
	return Finding{Passed: true, Note: "not instead of native ones"}, nil
}

// printedFormat names the first format that finds a call in a text. The general ways come first: they cover most.
func printedFormat(text string, tools []model.Tool) string {
	if !slices.ContainsFunc(tools, func(t model.Tool) bool { return strings.Contains(text, t.Name) }) {
		return "" // a call names its tool
	}
	for _, name := range formats.Names() {
		format, err := formats.ByName(name)
		if err != nil || name == "native" {
			continue
		}
		var r reply
		d := format.Decoder(tools)
		r.take(d.Push(model.Chunk{Text: text}))
		r.take(d.End(true))
		if len(r.calls) > 0 {
			return name
		}
	}
	return ""
}

// skipExtra says why what is asked in the best way need not be asked; empty: it is.
func (p *prober) skipExtra() string {
	switch {
	case p.isLate():
		return noTime
	case p.report.Best == "":
		return "there is no way to ask it in"
	}
	return ""
}

// parallelCalls asks for two things at once.
func (p *prober) parallelCalls(ctx context.Context, probe string) (Finding, error) {
	return p.askBest(ctx, probe, user("Read tides.log and ropes.txt, both at once."), toolbox(), func(r reply) string {
		switch len(r.calls) {
		case 0:
			return "no call at all"
		case 1:
			return "one after the other"
		}
		p.together = true
		return ""
	})
}

// manyTools asks with many tools.
func (p *prober) manyTools(ctx context.Context, probe string) (Finding, error) {
	q := questions()[0]
	return p.askBest(ctx, probe, q.turns, largeToolbox(), q.check)
}

// askBest asks something in the way that was found best, if there is one and time.
func (p *prober) askBest(
	ctx context.Context, probe string, turns []toolcall.Turn, tools []model.Tool, check func(reply) string,
) (Finding, error) {
	if why := p.skipExtra(); why != "" {
		return skipped(why), nil
	}
	best := p.report.Best
	p.announce(label(best, probe))
	format, err := p.format(best)
	if err != nil {
		return Finding{}, err
	}
	r, err := p.ask(ctx, format, turns, tools, toolcall.Hints{})
	return r.judge(best, probe, check), err
}

// thinking finds out whether the model thinks, and whether it still calls then.
func (p *prober) thinking(ctx context.Context, probe string) (Finding, error) {
	if !p.info.Can("thinking") && !p.o.Profile.Thinks() {
		return skipped("it does not think"), nil
	}
	way := ""
	for _, w := range p.report.Ways {
		if w.Format != "guided" && w.works() { // a constrained reply does not think
			way = w.Format
			break
		}
	}
	why := p.skipExtra()
	if why == "" && way == "" {
		why = "it calls only where it cannot think"
	}
	if why != "" {
		return skipped(why), nil
	}
	p.announce(label(way, probe))
	format, err := p.format(way)
	if err != nil {
		return Finding{}, err
	}
	q := questions()[0]
	req := p.request(format, systemPrompt, q.turns, toolbox(), toolcall.Hints{})
	if req.Think == "" && p.info.Can("thinking") {
		req.Think = model.ThinkOn
	}
	r, err := p.send(ctx, format, req, toolbox())
	f := r.judge(way, probe, q.check)
	note := fmt.Sprintf("%d letters of thinking", len([]rune(r.thinking)))
	if f.Note != "" {
		note += "; " + f.Note
	}
	f.Note = note
	return f, err
}

const (
	storySentences = 16
	storyReply     = 48 // tokens
)

// speed measures prompt and reply on a text that the server cannot have cached: it differs from the first word on.
func (p *prober) speed(ctx context.Context, probe string) (Finding, error) {
	if p.isLate() {
		return skipped(noTime), nil
	}
	p.announce(probe)
	var story strings.Builder
	fmt.Fprintf(&story, "%s is the number of this story. ", p.o.Salt)
	for i := range storySentences {
		fmt.Fprintf(&story, "On day %d the boat left the harbour with %d barrels of oil. ", i+1, i*7+3)
	}
	format := formats.Described()
	req := p.request(format, "", user(story.String()+"Tell this as a story in many sentences."), nil, toolcall.Hints{})
	req.MaxTokens = storyReply
	r, err := p.send(ctx, format, req, nil)
	if err != nil {
		return Finding{}, err
	}
	if s := r.done.PromptTime.Seconds(); s > 0 {
		p.report.Speed.Prompt = float64(r.done.PromptTokens) / s
	}
	if s := r.done.OutputTime.Seconds(); s > 0 {
		p.report.Speed.Reply = float64(r.done.OutputTokens) / s
	}
	f := Finding{Passed: r.failure == "", Note: r.failure, Took: r.took}
	if f.Passed {
		f.Note = fmt.Sprintf(
			"reads %.0f and writes %.0f tokens per second", p.report.Speed.Prompt, p.report.Speed.Reply,
		)
	}
	return f, nil
}
