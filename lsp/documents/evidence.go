package documents

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// op is one change of the mirror, as small as possible.
type op struct {
	at      Span   // in the text before the op
	text    string // what is there after it
	removed string // what was there before it
	ours    bool   // it is the edit in flight
}

// Limits of what is compared.
const (
	maxWindow  = 4 << 10 // changes of one message that together may be one edit
	maxDrift   = 4 << 10 // bytes between the place of an edit and where a client may report it (in a repeated text)
	shortEdit  = 8       // bytes of an edit from which a part of it proves something
	maxRefined = 1 << 20 // bytes of a changed part that are compared character by character
)

// findEdit looks for the edit (text at a span of the first step's text) in the changes of one message and returns them
// as ops, one of them marked as ours if it is there. Evidence is the result: the changes that turn the text into what
// the edit would have made of it, line ends aside. Clients report an edit at another place of a repeated text, in
// several parts, or within a larger change.
func findEdit(steps []step, at Span, text string, dropped []lateEdit) []op {
	place := at
	places := make([]Span, len(steps))
	for i, s := range steps {
		places[i] = place
		for _, o := range refine(s.before.Slice(s.span.Start, s.span.End), s.text, s.span.Start) {
			place = o.moveSpan(place)
		}
	}
	for i := range steps {
		if j, own, ok := findWindow(steps[i:], places[i], text); ok {
			return slices.Concat(refineAll(steps[:i]), []op{own}, refineAll(steps[i+j+1:]))
		}
	}
	for i, s := range steps {
		if s.span == places[i] &&
			slices.ContainsFunc(dropped, func(g lateEdit) bool { return normal(g.text) == normal(s.text) }) {
			continue // an earlier edit after all, not this one
		}
		if own, rest, ok := within(s, places[i], text); ok {
			return slices.Concat(refineAll(steps[:i]), []op{own}, rest, refineAll(steps[i+1:]))
		}
	}
	if len(steps) > 1 {
		whole := merge(steps)
		if own, rest, ok := within(whole, at, text); ok {
			return append([]op{own}, rest...)
		}
	}
	return refineAll(steps)
}

// merge returns steps as one.
func merge(steps []step) step {
	first, last := steps[0], steps[len(steps)-1]
	hull, end := first.span, first.span.End
	for _, s := range steps {
		hull, end = s.widen(hull, end)
	}
	return step{first.before, last.after, hull, last.after.Slice(hull.Start, end)}
}

// widen adds a step to the hull of those before it. end is the hull's end in the text that the step changes, and then
// in the text after it.
func (s step) widen(hull Span, end int) (Span, int) {
	hull.Start = min(hull.Start, s.span.Start)
	if s.span.End > end {
		hull.End += s.span.End - end
		end = s.span.End
	}
	return hull, end + len(s.text) - (s.span.End - s.span.Start)
}

// findWindow looks for a number of steps from the first on that together are the edit; j is the last of them.
func findWindow(steps []step, at Span, text string) (j int, own op, ok bool) {
	before := steps[0].before
	// in before; its end also in the text after the steps so far
	hull, end := steps[0].span, steps[0].span.End
	for j, s := range steps[:min(len(steps), maxWindow)] {
		hull, end = s.widen(hull, end)
		if own, ok := sameResult(before, s.after, hull, end, at, text); ok {
			return j, own, true
		}
	}
	return 0, op{}, false
}

// sameResult reports whether after, which differs from before in the hull only (up to end in after), is what the edit
// makes of before.
func sameResult(before, after Text, hull Span, end int, at Span, text string) (op, bool) {
	grown, want := end-hull.End, len(text)-(at.End-at.Start)
	slack := strings.Count(text, "\n") + strings.Count(text, "\r")
	if max(hull.Start-at.End, at.Start-hull.End) > maxDrift || grown < want-slack || grown > want+slack {
		return op{}, false
	}
	lo, hi := min(hull.Start, at.Start), max(hull.End, at.End)
	head, tail := before.Slice(lo, at.Start), before.Slice(at.End, hi)
	have := after.Slice(lo, hi+grown)
	if normal(have) != normal(head+text+tail) {
		return op{}, false
	}
	from := rawLen(have, len(normal(head)))
	to := rawLen(have, len(normal(head+text)))
	return op{at: at, text: have[from:to], removed: before.Slice(at.Start, at.End), ours: true}, true
}

// within looks for the edit inside one larger change, such as the whole text of a client that sends nothing smaller: it
// is there if the change is smaller on top of the edit than without it.
func within(s step, at Span, text string) (own op, rest []op, ok bool) {
	far := max(s.span.Start-at.End, at.Start-s.span.End) > maxDrift
	if far || 2*len(s.text) < len(text) {
		return op{}, nil, false
	}
	// The change may be reported as one beside the place, where the text repeats itself.
	lo, hi := min(s.span.Start, at.Start), max(s.span.End, at.End)
	old := s.before.Slice(lo, hi)
	now := s.before.Slice(lo, s.span.Start) + s.text + s.before.Slice(s.span.End, hi)
	with := old[:at.Start-lo] + text + old[at.End-lo:]
	rest = refine(with, now, lo)
	if cost(rest) >= cost(refine(old, now, lo)) {
		return op{}, nil, false
	}
	own = op{at: at, text: text, removed: s.before.Slice(at.Start, at.End), ours: true}
	return own, rest, len(text) >= shortEdit || leaves(rest, Span{at.Start, at.Start + len(text)})
}

// leaves reports whether ops leave a span and the place just before it alone. A few characters of an edit may turn up
// in anything that somebody types there; only at the very place are they the edit.
func leaves(ops []op, s Span) bool {
	for _, o := range ops {
		switch {
		case o.at.End < s.Start:
			s.Start, s.End = o.move(s.Start, true), o.move(s.End, true)
		case o.at.Start < s.End:
			return false
		}
	}
	return true
}

func cost(ops []op) int {
	n := 0
	for _, o := range ops {
		n += len(o.removed) + len(normal(o.text))
	}
	return n
}

func refineAll(steps []step) []op {
	var ops []op
	for _, s := range steps {
		ops = append(ops, refine(s.before.Slice(s.span.Start, s.span.End), s.text, s.span.Start)...)
	}
	return ops
}

// refine returns a change of old to text at an offset as small ops, each in the text after the ones before it, so that
// places inside a large change move with the text around them.
func refine(old, text string, at int) []op {
	pre, suf := common(old, text)
	old, text, at = old[pre:len(old)-suf], text[pre:len(text)-suf], at+pre
	if old == "" || text == "" || len(old)+len(text) > maxRefined {
		if old == text {
			return nil
		}
		return []op{{at: Span{at, at + len(old)}, text: text, removed: old}}
	}
	var ops []op
	for _, e := range udiff.Strings(old, text) {
		ops = append(ops, op{at: Span{at + e.Start, at + e.End}, text: e.New, removed: old[e.Start:e.End]})
		at += len(e.New) - (e.End - e.Start)
	}
	return ops
}

// move returns where an offset is after the op. What is inserted exactly there is behind it, or before it if push.
func (o op) move(at int, push bool) int {
	grown := len(o.text) - (o.at.End - o.at.Start)
	switch {
	case at < o.at.Start, at == o.at.Start && (!push || o.at.Start != o.at.End):
		return at
	case at >= o.at.End:
		return at + grown
	}
	return o.at.Start + len(o.text)
}

// moveSpan moves a span; text inserted at either border stays outside of it.
func (o op) moveSpan(s Span) Span {
	if s.Start == s.End {
		return At(o.move(s.Start, false))
	}
	start := o.move(s.Start, true)
	return Span{start, max(start, o.move(s.End, false))}
}
