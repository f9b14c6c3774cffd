package probe

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// printed says in which format the model prints calls that it should make natively.
func (p *prober) printed(context.Context) error {
	p.next("prints its calls?")
	if !p.tried("native") {
		return nil
	}
	f := Finding{Probe: "prints its calls", Passed: true, Note: "no"}
	for _, raw := range p.native {
		if name := printedFormat(raw, toolbox()); name != "" {
			f.Note = "yes, as " + name + ", although the server offers native calls"
			f.Passed = false
			break
		}
	}
	p.found(f)
	return nil
}

// printedFormat names the first format that finds a call in a text. The general ways come first: they cover most.
func printedFormat(text string, tools []model.Tool) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	for _, name := range toolcall.Names() {
		format, err := toolcall.ByName(name)
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

func (p *prober) best() (toolcall.Format, error) { return toolcall.ByName(p.report.Best) }

// several asks for two things at once.
func (p *prober) several(ctx context.Context) error {
	p.next("several calls at once")
	format, err := p.best()
	if err != nil {
		return err
	}
	r, err := p.ask(ctx, format, user("How warm is it in Oslo, and how warm is it in Cairo? Ask for both at once."), toolbox())
	if err != nil {
		return err
	}
	f := Finding{Probe: "several calls at once", Way: p.report.Best, Passed: len(r.calls) > 1, Note: "no: one after the other"}
	if f.Passed {
		f.Note = fmt.Sprintf("yes: %d", len(r.calls))
	} else if len(r.calls) == 0 {
		f.Note = "no call at all"
	}
	p.found(f)
	return nil
}

// crowd asks with many tools.
func (p *prober) crowd(ctx context.Context) error {
	tools := crowdedToolbox()
	name := fmt.Sprintf("finds its way among %d tools", len(tools))
	p.next(name)
	format, err := p.best()
	if err != nil {
		return err
	}
	r, err := p.ask(ctx, format, user("How warm is it in Lisbon right now?"), tools)
	if err != nil {
		return err
	}
	problem := r.failure
	if problem == "" {
		problem = wants("get_weather", "city", "lisbon")(r)
	}
	if problem != "" && (p.o.Profile.MaxTools == 0 || p.o.Profile.MaxTools > 12) {
		p.o.Profile.MaxTools = 12
	}
	p.found(Finding{Probe: name, Way: p.report.Best, Passed: problem == "", Note: problem})
	return nil
}

// thinking finds out whether the model thinks, and whether it still calls then.
func (p *prober) thinking(ctx context.Context) error {
	p.next("thinking")
	if !p.info.Can("thinking") && !p.o.Profile.Thinks() {
		p.found(Finding{Probe: "thinks before a call", Passed: true, Note: "it does not think"})
		return nil
	}
	way := p.report.Best
	for _, w := range p.report.Ways {
		if w.Format != "guided" { // a constrained reply does not think
			way = w.Format
			break
		}
	}
	format, err := toolcall.ByName(way)
	if err != nil {
		return err
	}
	req := format.Request("You are a helpful assistant.", user("How warm is it in Lisbon right now?"), toolbox(), toolcall.Hints{})
	if p.info.Can("thinking") {
		on := true
		req.Think = &on
	}
	r, err := p.send(ctx, format, req, toolbox())
	if err != nil {
		return err
	}
	problem := r.failure
	if problem == "" {
		problem = wants("get_weather", "city", "lisbon")(r)
	}
	note := fmt.Sprintf("%d letters of thinking", len([]rune(r.thinking)))
	if problem != "" {
		note += "; " + problem
	}
	p.found(Finding{Probe: "thinks before a call", Way: way, Passed: problem == "", Note: note})
	return nil
}

// speed measures prompt and reply on a text that the server cannot have cached.
func (p *prober) speed(ctx context.Context) error {
	p.next("speed")
	var story strings.Builder
	fmt.Fprintf(&story, "Note %s. ", p.o.Salt)
	for i := range 40 {
		fmt.Fprintf(&story, "On day %d the boat %s left the harbour with %d barrels. ", i+1, p.o.Salt, i*7+3)
	}
	format := toolcall.Described()
	req := format.Request("", user(story.String()+"Tell this as a story in many sentences."), nil, toolcall.Hints{})
	r, err := p.send(ctx, format, req, nil)
	if err != nil {
		return err
	}
	if s := r.done.PromptTime.Seconds(); s > 0 {
		p.report.Speed.Prompt = float64(r.done.PromptTokens) / s
	}
	if s := r.done.OutputTime.Seconds(); s > 0 {
		p.report.Speed.Reply = float64(r.done.OutputTokens) / s
	}
	p.found(Finding{
		Probe: "speed", Passed: r.failure == "",
		Note: fmt.Sprintf("reads %.0f and writes %.0f tokens per second", p.report.Speed.Prompt, p.report.Speed.Reply),
	})
	return nil
}
