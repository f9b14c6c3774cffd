package ledger

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// span is a range of bytes that begins and ends at line ends.
type span struct{ start, end int }

func (s span) of(text string) string { return text[s.start:s.end] }

// chunk is a place where one or both of two texts differ from their common origin.
type chunk struct {
	origin, ours, theirs span
	byUs, byThem         bool // who differs there
}

// align finds the places where two texts differ from their origin, by lines, in order. Changes of both that touch each
// other are one place; between two places all three texts are the same.
func align(origin, ours, theirs string) []chunk {
	us, them := udiff.Lines(origin, ours), udiff.Lines(origin, theirs)
	var chunks []chunk
	var shiftUs, shiftThem int // from a place in origin to that in ours, theirs
	for len(us) > 0 || len(them) > 0 {
		first := us
		if len(us) == 0 || len(them) > 0 && them[0].Start < us[0].Start {
			first = them
		}
		at := span{first[0].Start, first[0].Start}
		c := chunk{ours: span{start: at.start + shiftUs}, theirs: span{start: at.start + shiftThem}}
		atEnd := true // something is inserted exactly at the end of the place
		take := func(edits *[]udiff.Edit, shift *int, by *bool) bool {
			if len(*edits) == 0 {
				return false
			}
			e := (*edits)[0]
			insertion := e.Start == e.End
			if e.Start > at.end || e.Start == at.end && !insertion && !atEnd {
				return false
			}
			atEnd = insertion && e.End >= at.end || atEnd && e.End <= at.end
			at.end = max(at.end, e.End)
			*shift += len(e.New) - (e.End - e.Start)
			*edits, *by = (*edits)[1:], true
			return true
		}
		for take(&us, &shiftUs, &c.byUs) || take(&them, &shiftThem, &c.byThem) {
		}
		c.origin = at
		c.ours.end, c.theirs.end = at.end+shiftUs, at.end+shiftThem
		chunks = append(chunks, c)
	}
	return chunks
}

// Merge joins what two texts changed in their origin. Where both changed the same lines in different ways theirs are
// taken: in so many places.
func Merge(origin, ours, theirs string) (merged string, places int) {
	merged, conflicts := merge(origin, ours, theirs)
	return merged, len(conflicts)
}

// merge joins what two texts changed in their origin. Where both changed the same lines in different ways their text is
// taken, and the place in theirs is a conflict.
func merge(origin, ours, theirs string) (merged string, conflicts []span) {
	var b strings.Builder
	at := 0
	for _, c := range align(origin, ours, theirs) {
		b.WriteString(theirs[at:c.theirs.start])
		at = c.theirs.end
		switch {
		case !c.byThem:
			b.WriteString(c.ours.of(ours))
		case c.byUs && c.ours.of(ours) != c.theirs.of(theirs):
			conflicts = append(conflicts, c.theirs)
			fallthrough
		default:
			b.WriteString(c.theirs.of(theirs))
		}
	}
	b.WriteString(theirs[at:])
	return b.String(), conflicts
}
