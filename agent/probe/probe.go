// Package probe finds out how a model calls tools best: it asks short questions in each way that might work, with tools
// that do nothing, and compares. Nothing is executed and no file is touched.
package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

const (
	replyLimit  = 160              // tokens of one reply
	askLimit    = 90 * time.Second // for one reply
	maxFamilies = 2                // formats of the profile that are tried besides the general ways
)

// Finding is what one probe showed.
type Finding struct {
	Probe  string
	Way    string // tool-call format; empty: the probe is about the model itself
	Passed bool
	Note   string
}

// Way is a tool-call format with what its probes gave.
type Way struct {
	Format string
	Points int // of MaxPoints
	Took   time.Duration
}

// MaxPoints are the points of a way in which every probe passed.
func MaxPoints() int {
	points := 0
	for _, q := range questions() {
		points += q.points
	}
	return points
}

// Report is what the probes found.
type Report struct {
	Findings []Finding
	Ways     []Way // best first
	Best     string
	Speed    Speed
	Context  Context
	Profile  model.Profile // what should be used from now on
}

// Speed is measured on one longer prompt, which the server cannot know yet. Tokens per second; 0: not measured.
type Speed struct{ Prompt, Reply float64 }

// Options are what a probe knows beforehand.
type Options struct {
	Profile     model.Profile // the one in use now
	ContextSize int           // tokens, for every request
	// Memory that models may take, in bytes; 0: unknown, then the largest context is not told.
	Memory int64
	// Progress is called before each probe with how many are done.
	Progress func(done, total int, name string)
	// Salt makes the prompt of the speed probe one that the server has not cached.
	Salt string
}

// Run probes a model. It fails only when the server does; a model that can nothing has a report, too.
func Run(ctx context.Context, backend model.Backend, info model.Info, o Options) (Report, error) {
	p := &prober{backend: backend, info: info, o: o}
	ways := candidates(info, o.Profile)
	p.total = len(ways)*len(questions()) + extraProbes
	for _, name := range ways {
		if err := p.way(ctx, name); err != nil {
			return p.report, err
		}
	}
	p.choose()
	for _, extra := range []func(context.Context) error{p.printed, p.several, p.crowd, p.thinking, p.speed, p.context} {
		if err := extra(ctx); err != nil {
			return p.report, err
		}
	}
	p.report.Profile = p.profile()
	return p.report, nil
}

const extraProbes = 6

// candidates are the ways that might work: native if the server offers tools for the model, what the family writes, and
// the two that need no training.
func candidates(info model.Info, profile model.Profile) []string {
	var ways []string
	if info.Can("tools") || len(info.Capabilities) == 0 {
		ways = append(ways, "native")
	}
	families := 0
	for _, name := range profile.Formats {
		f, err := toolcall.ByName(name)
		if err != nil || slices.Contains([]string{"native", "text", "guided"}, f.Name()) || slices.Contains(ways, f.Name()) {
			continue
		}
		if families++; families > maxFamilies {
			break
		}
		ways = append(ways, f.Name())
	}
	ways = append(ways, "text")
	if profile.Guided {
		ways = append(ways, "guided")
	}
	return ways
}

// prober runs the probes one after the other: two at once would share the processor.
type prober struct {
	backend model.Backend
	info    model.Info
	o       Options
	report  Report
	total   int
	done    int
	native  []string // what the model printed where it should have called natively
}

func (p *prober) next(name string) {
	if p.o.Progress != nil {
		p.o.Progress(p.done, p.total, name)
	}
	p.done++
}

func (p *prober) found(f Finding) { p.report.Findings = append(p.report.Findings, f) }

// way asks all questions in one format.
func (p *prober) way(ctx context.Context, name string) error {
	format, err := toolcall.ByName(name)
	if err != nil {
		return err
	}
	w := Way{Format: name}
	for _, q := range questions() {
		p.next(name + ": " + q.name)
		r, err := p.ask(ctx, format, q.turns, q.tools)
		if err != nil {
			return err
		}
		w.Took += r.took
		problem := r.failure
		if problem == "" {
			problem = q.check(r)
		}
		if problem == "" {
			w.Points += q.points
		}
		p.found(Finding{Probe: q.name, Way: name, Passed: problem == "", Note: problem})
		if name == "native" {
			p.native = append(p.native, r.raw)
		}
	}
	p.report.Ways = append(p.report.Ways, w)
	return nil
}

// reply is one answer of the model, decoded.
type reply struct {
	text, thinking, raw string
	calls               []toolcall.Call
	malformed           int
	nativeCalls         int // that came in the server's own field
	done                model.Done
	took                time.Duration
	failure             string // it took too long, or the server refused
}

// ask sends one request. A model server that is gone is an error; a reply that takes too long is a finding.
func (p *prober) ask(ctx context.Context, format toolcall.Format, turns []toolcall.Turn, tools []model.Tool) (reply, error) {
	req := format.Request("You are a helpful assistant.", turns, tools, toolcall.Hints{})
	return p.send(ctx, format, req, tools)
}

func (p *prober) send(ctx context.Context, format toolcall.Format, req model.Request, tools []model.Tool) (reply, error) {
	req.Model, req.ContextSize, req.MaxTokens, req.Sampling = p.info.Name, p.o.ContextSize, replyLimit, p.o.Profile.Sampling
	if p.o.Profile.Thinks() || p.info.Can("thinking") {
		req.MaxTokens *= 5
	}
	if req.Format != nil && p.info.Can("thinking") {
		off := false
		req.Think = &off
	}
	short, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	var r reply
	began := time.Now()
	decoder := format.Decoder(tools)
	err := p.backend.Chat(short, req, func(c model.Chunk) error {
		r.raw += c.Text
		r.nativeCalls += len(c.Calls)
		if c.Done != nil {
			r.done = *c.Done
		}
		r.take(decoder.Push(c))
		return nil
	})
	r.take(decoder.End(err == nil))
	r.took = time.Since(began)
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case short.Err() != nil:
		r.failure = fmt.Sprintf("no answer within %v", askLimit)
	case err != nil:
		if _, gone := p.backend.Version(ctx); gone != nil {
			return r, gone
		}
		r.failure = err.Error()
	}
	return r, nil
}

func (r *reply) take(events []toolcall.Event) {
	for _, e := range events {
		switch e := e.(type) {
		case toolcall.Text:
			r.text += e.Text
		case toolcall.Thinking:
			r.thinking += e.Text
		case toolcall.Called:
			r.calls = append(r.calls, e.Call)
		case toolcall.Malformed:
			r.malformed++
		}
	}
}

// choose sorts the ways. Of equals the server's own calls come first for models that are large enough to be trusted with
// them, then constrained replies, which cannot be malformed; the rest keep their order.
func (p *prober) choose() {
	rank := func(w Way) int { return slices.Index([]string{"guided", "native"}, w.Format) }
	slices.SortStableFunc(p.report.Ways, func(a, b Way) int {
		if a.Points != b.Points {
			return b.Points - a.Points
		}
		return rank(b) - rank(a)
	})
	p.report.Best = p.report.Ways[0].Format
}

// profile is the present one with the formats in the order in which they did well. Ways in which nothing worked are left
// out, except that text is always there.
func (p *prober) profile() model.Profile {
	out := p.o.Profile
	out.Formats = nil
	for _, w := range p.report.Ways {
		if w.Points > 0 {
			out.Formats = append(out.Formats, w.Format)
		}
	}
	for _, name := range p.o.Profile.Formats {
		if f, err := toolcall.ByName(name); err == nil && !slices.Contains(out.Formats, f.Name()) && !p.tried(f.Name()) {
			out.Formats = append(out.Formats, f.Name())
		}
	}
	if !slices.Contains(out.Formats, "text") {
		out.Formats = append(out.Formats, "text")
	}
	out.NativeWhenSmall = p.report.Best != "guided"
	name := strings.ToLower(p.info.Name)
	name = name[strings.LastIndexByte(name, '/')+1:]
	out.Name, out.Names, out.ByFamily = "probed-"+name, []string{name}, false
	out.Families = nil
	if p.info.Family != "" {
		out.Families = []string{strings.ToLower(p.info.Family)}
	}
	return out
}

func (p *prober) tried(name string) bool {
	return slices.ContainsFunc(p.report.Ways, func(w Way) bool { return w.Format == name })
}
