package probe

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
)

const (
	maxFamilies = 2 // formats of the profile that are tried besides the general ways
	// margin is by how many points another way must be better than the one in use: as many as the heaviest question
	// has. Less is chance: a tiny model fails most questions in every way, and the built-in profiles were measured on
	// whole tasks.
	margin = 3
)

// Way is a tool-call format with what its probes gave.
type Way struct {
	Format string
	Points int  // of MaxPoints
	Calls  int  // of MaxCalls: what it called by itself, rightly
	Whole  bool // there was time for all questions, or for as many as showed that it is not the best: it can be judged
	Took   time.Duration
}

// works reports whether a way can be used at all. Answering without a call is no way of calling.
func (w Way) works() bool { return w.Whole && w.Calls > 0 }

// MaxPoints are the points of a way in which every probe passed.
func MaxPoints() int { return pointsFrom(0) }

// MaxCalls is how many questions want a call of the model's own accord.
func MaxCalls() int {
	n := 0
	for _, q := range questions() {
		if q.calls {
			n++
		}
	}
	return n
}

func pointsFrom(i int) int {
	points := 0
	for _, q := range questions()[i:] {
		points += q.points
	}
	return points
}

// candidates are the ways that might work, in the order in which they are tried, which also breaks ties: the one in
// use, native if the server offers tools for the model, guided unless it must not be, what the family writes, and text.
func candidates(info model.Info, profile model.Profile, find formats.Finder) []string {
	var can []string
	if info.Can("tools") || len(info.Capabilities) == 0 {
		can = append(can, "native")
	}
	if profile.Constraint == model.Constrainable {
		can = append(can, "guided")
	}
	families := 0
	for _, name := range profile.Formats {
		f, err := find.ByName(name)
		if err != nil || slices.Contains([]string{"native", "text", "guided"}, f.Name()) ||
			slices.Contains(can, f.Name()) {
			continue
		}
		if families++; families > maxFamilies {
			break
		}
		can = append(can, f.Name())
	}
	can = append(can, "text")
	if now := inUse(profile, find); slices.Contains(can, now) {
		can = append([]string{now}, slices.DeleteFunc(can, func(name string) bool { return name == now })...)
	}
	return can
}

// inUse is the own name of a profile's first format; empty: there is no format of that name.
func inUse(profile model.Profile, find formats.Finder) string {
	if len(profile.Formats) == 0 {
		return ""
	}
	f, err := find.ByName(profile.Formats[0])
	if err != nil {
		return ""
	}
	return f.Name()
}

// format is a way as a run would use it: it also accepts the calls of the others.
func (p *prober) format(name string) (toolcall.Format, error) {
	names := append(
		[]string{name}, slices.DeleteFunc(slices.Clone(p.ways), func(other string) bool { return other == name })...,
	)
	return formats.With(p.o.Declared).ForModel(names, p.o.Profile.Opened)
}

// way asks all questions in one format, as long as an answer can still change the outcome.
func (p *prober) way(ctx context.Context, name string) error {
	format, err := p.format(name)
	if err != nil {
		return err
	}
	w := Way{Format: name, Whole: true}
	late := 0
	for i, q := range questions() {
		if why := p.skipReason(w, i, late); why != "" {
			w.Whole = w.Whole && why != noTime && why != tooSlow
			p.done++
			p.found(Finding{Probe: q.name, Way: name, Skipped: true, Note: why})
			continue
		}
		p.announce(label(name, q.name))
		p.done++
		hints := toolcall.Hints{RequireCall: q.again && name == "guided"} // as runs do after an error
		r, err := p.ask(ctx, format, q.turns, q.tools, hints)
		if err != nil {
			return err
		}
		f := r.judge(name, q.name, q.check)
		p.found(f)
		w.Took += r.took
		if f.Passed {
			w.Points += q.points
			if q.calls {
				w.Calls++
			}
		}
		if r.late {
			late++
		}
		if name == "native" && len(r.native) == 0 {
			p.native = append(p.native, r.raw)
		}
	}
	p.report.Ways = append(p.report.Ways, w)
	return nil
}

const (
	noTime  = "no time was left"
	tooSlow = "this way takes too long"
)

// skipReason says why a question to a way need not be asked; empty: it is.
func (p *prober) skipReason(w Way, i, late int) string {
	leader := 0
	for _, other := range p.report.Ways {
		if other.works() {
			leader = max(leader, other.Points)
		}
	}
	switch {
	case late >= maxLate:
		return tooSlow
	case p.isLate():
		return noTime
	case w.Calls == 0 && !slices.ContainsFunc(questions()[i:], func(q question) bool { return q.calls }):
		return "this way makes no calls"
	case w.Points+pointsFrom(i) < leader:
		return "this way cannot win any more"
	}
	return ""
}

// choose sorts the ways. One that calls comes before one that only talks, however well; then points count; equals stay
// in the order in which they were tried. The one in use gives way only to a clearly better one.
func (p *prober) choose() {
	ways := p.report.Ways
	slices.SortStableFunc(ways, func(a, b Way) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(b.Points, a.Points))
	})
	now := slices.IndexFunc(
		ways, func(w Way) bool { return w.Format == inUse(p.o.Profile, formats.With(p.o.Declared)) },
	)
	if top := ways[0]; now > 0 && ways[now].works() && top.Points-ways[now].Points < margin {
		p.report.Choice = fmt.Sprintf("%s had %d more, too few to change for", top.Format, top.Points-ways[now].Points)
		stays := ways[now]
		copy(ways[1:now+1], ways[:now])
		ways[0] = stays
	}
	if ways[0].works() {
		p.report.Best = ways[0].Format
	}
}

func rank(w Way) int {
	switch {
	case w.works():
		return 2
	case w.Whole:
		return 1
	}
	return 0
}

// profile is the one in use with the formats in the order in which they did well. Ways in which it called nothing are
// left out, except that guided, where it may be used, and text are always there: without guided the rules for small and
// for unknown models would put it first.
func (p *prober) profile() model.Profile {
	out := p.o.Profile
	out.Formats = nil
	for _, w := range p.report.Ways {
		if w.works() {
			out.Formats = append(out.Formats, w.Format)
		}
	}
	for _, name := range p.o.Profile.Formats {
		if f, err := formats.With(p.o.Declared).ByName(name); err == nil && !slices.Contains(out.Formats, f.Name()) &&
			!p.tried(f.Name()) {
			out.Formats = append(out.Formats, f.Name())
		}
	}
	always := []string{"text"}
	if out.Constraint == model.Constrainable {
		always = []string{"guided", "text"}
	}
	for _, name := range always {
		if !slices.Contains(out.Formats, name) {
			out.Formats = append(out.Formats, name)
		}
	}
	out.Code, out.Fence = p.report.Code, p.report.Fence
	out.NativeWhenSmall = p.report.Best != "guided"
	name := model.BareName(p.info.Name)
	out.Family = p.o.Profile.FamilyName() // its prompts still count
	out.Name, out.Names, out.ByFamily = "probed-"+name, []string{name}, false
	// Parser and template of a family are evidence enough by themselves: with them this row would apply to other
	// models.
	out.Families, out.Parsers, out.Template = nil, nil, nil
	if p.info.Family != "" {
		out.Families = []string{strings.ToLower(p.info.Family)}
	}
	return out
}

func (p *prober) tried(name string) bool { return slices.Contains(p.ways, name) }
