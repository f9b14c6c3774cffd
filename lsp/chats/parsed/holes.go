package parsed

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
)

// hole is where whole lines of a reply were deleted. The text replaces what is there now: blank lines at most.
type hole struct {
	at   documents.Span
	text string
}

// line is a line that is not blank, without its line end and trailing spaces, and its place.
type line struct {
	text     string
	from, to int
}

func linesOf(text string, at int) []line {
	var lines []line
	for raw := range strings.Lines(text) {
		if text := trimLine(raw); text != "" {
			lines = append(lines, line{text, at, at + len(text)})
		}
		at += len(raw)
	}
	return lines
}

func textsOf(lines []line) []string {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.text
	}
	return texts
}

// comparison compares a reply with what the document holds of it.
type comparison struct {
	reply   string
	had     []line // of the reply
	has     []line // of the document, where the reply belongs
	partner []int  // for each line of the reply, its line in the document; -1: none
	placed  []bool // lines of the reply that the document has at another place
	taken   []bool // lines of the document that belong to the reply
}

// holesIn finds the whole lines of a reply that the document lacks; now is the document's text from the offset at. A
// line that was changed or moved is not missing, nor are lines in whose place a person wrote as many others.
func holesIn(reply, now string, at int) []hole {
	c := comparison{reply: reply, had: linesOf(reply, 0), has: linesOf(now, at)}
	c.partner, c.placed = make([]int, len(c.had)), make([]bool, len(c.had))
	c.taken = make([]bool, len(c.has))
	c.match()
	c.matchMoved()
	c.between(c.matchChanged)
	var holes []hole
	c.between(func(i, j, k, l int) {
		var lost []int
		for n := i; n < j; n++ {
			if !c.placed[n] {
				lost = append(lost, n)
			}
		}
		others := 0
		for n := k; n < l; n++ {
			if !c.taken[n] {
				others++
			}
		}
		if len(lost) > others {
			holes = append(holes, c.hole(lost, j-i == len(lost) && k == l, i-1, k-1, j, l, at+len(now)))
		}
	})
	return holes
}

// match pairs equal lines, in the reply's order.
func (c *comparison) match() {
	i, k := 0, 0
	upTo := func(end int) {
		for ; i < end; i, k = i+1, k+1 {
			c.partner[i], c.taken[k] = k, true
		}
	}
	for _, d := range lcs.DiffLines(textsOf(c.had), textsOf(c.has)) {
		upTo(d.Start)
		for ; i < d.End; i++ {
			c.partner[i] = -1
		}
		k = d.ReplEnd
	}
	upTo(len(c.had))
}

// matchMoved finds lines that were moved.
func (c *comparison) matchMoved() {
	left := map[string][]int{}
	for k, l := range c.has {
		if !c.taken[k] {
			left[l.text] = append(left[l.text], k)
		}
	}
	for i, l := range c.had {
		if at := left[l.text]; c.partner[i] < 0 && len(at) > 0 {
			c.placed[i], c.taken[at[0]] = true, true
			left[l.text] = at[1:]
		}
	}
}

// matchChanged pairs lines i to j of the reply with those of lines k to l of the document that are changed versions of
// them.
func (c *comparison) matchChanged(i, j, k, l int) {
	for ; i < j; i++ {
		if c.placed[i] {
			continue
		}
		for n := k; n < l; n++ {
			if !c.taken[n] && alike(c.had[i].text, c.has[n].text) {
				c.partner[i], c.taken[n] = n, true
				k = n + 1
				break
			}
		}
	}
}

// between calls f for each gap between two pairs in which the reply has lines: i to j of the reply, k to l of the
// document.
func (c *comparison) between(f func(i, j, k, l int)) {
	i, k := 0, 0
	for j := 0; j <= len(c.had); j++ {
		l := len(c.has)
		if j < len(c.had) {
			if c.partner[j] < 0 {
				continue
			}
			l = c.partner[j]
		}
		if i < j {
			f(i, j, k, l)
		}
		i, k = j+1, l+1
	}
}

// hole is the place and text of lost lines: after the line before them (index before in the reply, above in the
// document; -1: none), else before the line after them (after and below), else at the end of the reply. If everything
// between these two is lost, the blank lines between them are restored, too.
func (c *comparison) hole(lost []int, all bool, before, above, after, below, end int) hole {
	switch {
	case before < 0 && after < len(c.had):
		var text strings.Builder
		for _, n := range lost {
			text.WriteString(c.reply[c.had[n].from:c.had[n+1].from])
		}
		at := c.has[below].from
		return hole{documents.At(at), text.String()}
	case all && before >= 0 && after < len(c.had):
		return hole{
			documents.Span{Start: c.has[above].to, End: c.has[below].from}, c.reply[c.had[before].to:c.had[after].from],
		}
	}
	var text strings.Builder
	for _, n := range lost {
		start := 0
		if n > 0 {
			start = c.had[n-1].to
		}
		text.WriteString(c.reply[start:c.had[n].to])
	}
	at := end
	if before >= 0 {
		at = c.has[above].to
	}
	return hole{documents.At(at), text.String()}
}

// alike reports whether one line is a changed version of the other: at least half of it is the same at the two ends.
func alike(a, b string) bool {
	n, m := 0, min(len(a), len(b))
	for n < m && a[n] == b[n] {
		n++
	}
	same := n
	for n < m && a[len(a)-1-(n-same)] == b[len(b)-1-(n-same)] {
		n++
	}
	return 2*n >= max(len(a), len(b))
}

// outsideCalls drops the holes inside the blocks of calls: there a person decides what runs.
func (v View) outsideCalls(holes []hole) []hole {
	return slices.DeleteFunc(holes, func(h hole) bool {
		_, inside := find(v.Chat, func(call transcript.Call) bool {
			return call.Span.Start < h.at.Start && h.at.End < call.Span.End
		})
		return inside
	})
}
