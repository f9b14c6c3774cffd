// Package probe finds out how a model calls tools best: it asks short questions in each way that might work, with tools
// that do nothing, and compares. No tool is executed, and nothing is written but the profile that worked.
package probe

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/internal/visible"
)

const (
	replyLimit   = 120              // tokens of one reply: a call takes some 40
	thinkLimit   = 5 * replyLimit   // the same where the model thinks first
	askLimit     = 60 * time.Second // for one reply
	loadLimit    = 5 * time.Minute  // for loading the model before the first probe
	defaultLimit = 8 * time.Minute  // after which no probe begins
	maxLate      = 2                // replies of a way that may take longer than askLimit
)

// Finding is what one probe showed.
type Finding struct {
	Probe   string
	Way     string // tool-call format; empty: the probe is about the model itself
	Passed  bool
	Skipped bool // it was not asked; Note says why
	Note    string
	Wrote   string // what the model wrote, where that failed
	Took    time.Duration
}

// Verdict describes a finding in one line.
func (f Finding) Verdict() string {
	word := "no"
	switch {
	case f.Skipped:
		word = "skipped"
	case f.Passed:
		word = "ok"
	}
	if f.Note != "" {
		word += ": " + f.Note
	}
	return visible.Line(word)
}

// Report is what the probes found.
type Report struct {
	Findings []Finding
	Ways     []Way  // best first
	Best     string // the way to use from now on; empty: none worked, or there was no time to find out
	Choice   string // why it is the best, where the points alone do not say it
	Load     time.Duration
	Took     time.Duration
	Speed    Speed
	Code     bool   // it does better with programs than with calls
	Fence    string // in which it writes them; empty: as it was told
	Context  Context
	Profile  model.Profile // what should be used from now on, if there is a Best
}

// Speed is measured on one longer prompt, which the server cannot know yet. Tokens per second; 0: not measured.
type Speed struct{ Prompt, Reply float64 }

// Options are what a probe knows beforehand.
type Options struct {
	Profile     model.Profile          // the one that is used without any probe
	Declared    []model.DeclaredFormat // which its formats may name
	ContextSize int                    // tokens, for every request
	KeepAlive   time.Duration
	// Memory that models may take, in bytes; 0: unknown, then the largest context is not reported.
	Memory int64
	// Salt makes the prompt of the speed probe one that the server has not cached.
	Salt string
	// Limit is the time after which no probe begins; 0: eight minutes. What waits for a Turn does not count.
	Limit time.Duration
	// Turn is taken for every request to the model; nil: nobody else talks to it.
	Turn func(ctx context.Context) (give func(), err error)
	// Progress is called before each probe with how many are done, and Found after each. Both may be nil.
	Progress func(done, total int, name string)
	Found    func(Finding)
}

// Run probes a model. It fails only when the server does; a model that cannot call tools has a report, too. With an
// error the report holds what was found until then.
func Run(ctx context.Context, backend model.Backend, info model.Info, o Options) (Report, error) {
	if o.Limit <= 0 {
		o.Limit = defaultLimit
	}
	p := &prober{backend: backend, info: info, o: o, ways: candidates(info, o.Profile, formats.With(o.Declared))}
	p.total = len(p.ways)*len(questions()) + len(p.extras())
	began := time.Now()
	err := p.run(ctx)
	p.report.Took = time.Since(began)
	return p.report, err
}

// prober runs the probes one after the other: two at once would share the processor.
type prober struct {
	backend model.Backend
	info    model.Info
	o       Options
	report  Report
	ways    []string
	total   int
	done    int
	end     time.Time // no probe begins later
	// it makes several calls at once in its best way
	together bool
	native   []string // what the model printed where it should have called natively
}

func (p *prober) run(ctx context.Context) error {
	if err := p.load(ctx); err != nil {
		return err
	}
	p.end = time.Now().Add(p.o.Limit)
	for _, name := range p.ways {
		if err := p.way(ctx, name); err != nil {
			return err
		}
	}
	p.choose()
	for _, extra := range p.extras() {
		found, err := extra.ask(ctx, extra.probe)
		if err != nil {
			return err
		}
		p.done++
		found.Probe = extra.probe
		p.found(found)
	}
	if p.report.Best != "" {
		p.report.Profile = p.profile()
	}
	return nil
}

// load loads the model, so that the time it takes is not that of the first probe.
func (p *prober) load(ctx context.Context) error {
	p.announce("loading the model")
	give, err := p.turn(ctx)
	if err != nil {
		return err
	}
	defer give()
	began := time.Now()
	short, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	err = p.backend.Preload(short, p.info.Name, p.o.ContextSize, p.o.KeepAlive)
	p.report.Load = time.Since(began)
	if err != nil && ctx.Err() == nil && short.Err() != nil {
		return fmt.Errorf("%s was not loaded within %v", p.info.Name, loadLimit)
	}
	return err
}

func (p *prober) turn(ctx context.Context) (give func(), err error) {
	if p.o.Turn == nil {
		return func() {}, nil
	}
	began := time.Now()
	give, err = p.o.Turn(ctx)
	p.end = p.end.Add(time.Since(began))
	return give, err
}

func (p *prober) isLate() bool { return !time.Now().Before(p.end) }

// announce says what comes next, without counting it.
func (p *prober) announce(name string) {
	if p.o.Progress != nil {
		p.o.Progress(p.done, p.total, name)
	}
}

// label names a probe in one line.
func label(way, probe string) string {
	if way == "" {
		return probe
	}
	return way + ": " + probe
}

func (p *prober) found(f Finding) {
	p.report.Findings = append(p.report.Findings, f)
	if p.o.Found != nil {
		p.o.Found(f)
	}
}

// skipped is the finding of a probe that is not asked.
func skipped(why string) Finding { return Finding{Skipped: true, Note: why} }

// reply is one answer of the model, decoded.
type reply struct {
	text, thinking, raw string
	calls               []toolcall.Call
	malformed           int
	native              []model.Call // that came in the server's own field
	done                model.Done
	took                time.Duration
	late                bool
	failure             string // it took too long, or the server refused
}

// judge makes a finding of a reply.
func (r reply) judge(way, probe string, check func(reply) string) Finding {
	f := Finding{Probe: probe, Way: way, Note: r.failure, Took: r.took}
	if f.Note == "" {
		f.Note = check(r)
		if f.Note != "" && r.done.Reason == "length" {
			f.Note += fmt.Sprintf(" (cut after %d tokens)", r.done.OutputTokens)
		}
	}
	if f.Passed = f.Note == ""; !f.Passed {
		f.Wrote = r.wrote()
	}
	return f
}

const maxWrote = 600 // characters of a reply that are kept

// wrote is the reply as it came, for people.
func (r reply) wrote() string {
	var parts []string
	if r.thinking != "" {
		parts = append(parts, fmt.Sprintf("(%d letters of thinking)", len([]rune(r.thinking))))
	}
	if text := strings.TrimSpace(r.raw); text != "" {
		parts = append(parts, text)
	}
	for _, c := range r.native {
		parts = append(parts, fmt.Sprintf("(native call) %s %s", c.Name, c.Arguments))
	}
	text := strings.Join(parts, "\n")
	if runes := []rune(text); len(runes) > maxWrote {
		text = string(runes[:maxWrote]) + "…"
	}
	return text
}

// ask sends one request with the turns of a question.
func (p *prober) ask(
	ctx context.Context, format toolcall.Format, turns []toolcall.Turn, tools []model.Tool, hints toolcall.Hints,
) (reply, error) {
	return p.send(ctx, format, p.request(format, systemPrompt, turns, tools, hints), tools)
}

const systemPrompt = "You are a helpful assistant."

// request is what a run would send.
func (p *prober) request(
	format toolcall.Format, system string, turns []toolcall.Turn, tools []model.Tool, hints toolcall.Hints,
) model.Request {
	return compose.Request(compose.Conversation{
		Model: p.info, Profile: p.o.Profile, Format: format, ContextSize: p.o.ContextSize, KeepAlive: p.o.KeepAlive,
		System: system, Tools: tools, Turns: turns,
	}, hints)
}

// send sends a request. A model server that is gone is an error; a reply that takes too long is a finding.
func (p *prober) send(
	ctx context.Context, format toolcall.Format, req model.Request, tools []model.Tool,
) (reply, error) {
	thinks := (p.o.Profile.Thinks() || p.info.Can("thinking")) &&
		cmp.Or(req.Think, req.Sampling.Think) != model.ThinkOff
	if req.MaxTokens == 0 {
		req.MaxTokens = replyLimit
	}
	if thinks {
		req.MaxTokens = thinkLimit
	} else {
		// One reply to each question: it should be the likeliest. (A model that thinks goes round in circles then.)
		req.Temperature = new(0.0)
	}
	give, err := p.turn(ctx)
	if err != nil {
		return reply{}, err
	}
	defer give()
	short, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	var r reply
	began := time.Now()
	decoder := format.Decoder(tools)
	err = p.backend.Chat(short, req, func(c model.Chunk) error {
		r.raw += c.Text
		r.native = append(r.native, c.Calls...)
		if c.Done != nil {
			r.done = *c.Done
		}
		r.take(decoder.Push(c))
		return nil
	})
	r.take(decoder.End(err == nil))
	r.took = time.Since(began)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return r, ctx.Err()
	case short.Err() != nil:
		r.late, r.failure = true, fmt.Sprintf("no whole answer within %v", askLimit)
	default:
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
		case toolcall.Unclosed:
			r.text += r.thinking // a run shows it as the answer
		case toolcall.Called:
			r.calls = append(r.calls, e.Call)
		case toolcall.Malformed:
			r.malformed++
		case toolcall.Quoted: // part of the text
		}
	}
}
