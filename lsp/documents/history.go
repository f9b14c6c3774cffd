package documents

import "slices"

// maxHistory is how many changes back a place can be followed exactly.
const maxHistory = 64

// past is one change of the mirror: what it was before, and what happened.
type past struct {
	text Text
	ops  []op
}

// remember keeps a change of the mirror. The lock is held.
func (w *Writer) remember(ops []op) {
	if len(w.history) >= maxHistory {
		w.history = slices.Delete(w.history, 0, 1)
	}
	w.history = append(w.history, past{w.doc.Text, ops})
}

// current returns where a span of an earlier snapshot is in the mirror. The lock is held.
func (w *Writer) current(s Snapshot, span Span) Span {
	if s.Text.d == w.doc.Text.d {
		return span
	}
	for i, p := range w.history {
		if p.text.d != s.Text.d {
			continue
		}
		for _, p := range w.history[i:] {
			for _, o := range p.ops {
				span = o.moveSpan(span)
			}
		}
		return span
	}
	// Too long ago, or never seen here: what differs between the two texts tells.
	changed, text := s.Text.Difference(w.doc.Text.String())
	for _, o := range refine(s.Text.Slice(changed.Start, changed.End), text, changed.Start) {
		span = o.moveSpan(span)
	}
	return span
}
