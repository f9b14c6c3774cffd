package chats

import (
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
)

// hole is where whole lines were taken out of a reply. What stands there now, blank lines at most, gives way to the text.
type hole struct {
	at   documents.Span
	text string
}

// line is a line that is not blank, and where it stands, without its line end and the blanks before that.
type line struct {
	text     string
	from, to int
}

func linesOf(text string, at int) []line {
	var lines []line
	for raw := range strings.Lines(text) {
		if text := bare(raw); text != "" {
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

// comparison is a reply beside what stands of it in the document.
type comparison struct {
	reply   string
	had     []line // of the reply
	has     []line // of the document
	partner []int  // of each line of the reply, its line in the document; -1: none
	placed  []bool // lines of the reply that stand at another place
	taken   []bool // lines of the document that are the reply's
}

// holesIn finds the whole lines that the reply has and the document, at an offset, lacks. A line that was changed is there,
// as is one that was moved; and where a person wrote as many lines as are missing, these are instead of them.
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

// match pairs the lines that stand in the document as the reply has them, in its order.
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

// matchMoved finds lines at other places.
func (c *comparison) matchMoved() {
	spare := map[string][]int{}
	for k, l := range c.has {
		if !c.taken[k] {
			spare[l.text] = append(spare[l.text], k)
		}
	}
	for i, l := range c.had {
		if at := spare[l.text]; c.partner[i] < 0 && len(at) > 0 {
			c.placed[i], c.taken[at[0]] = true, true
			spare[l.text] = at[1:]
		}
	}
}

// matchChanged pairs lines i to j of the reply with lines k to l of the document that a person made of them.
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

// between calls f with the lines i to j of the reply and k to l of the document between two pairs, wherever the reply has
// some there.
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

// hole puts the lost lines back: behind the line before them (index before in the reply, above in the document; -1: none),
// else before the line after them (after and below), else at the end of the reply. If all between these two is lost, it
// becomes what it was, blank lines too.
func (c *comparison) hole(lost []int, all bool, before, above, after, below, end int) hole {
	switch {
	case before < 0 && after < len(c.had):
		var text strings.Builder
		for _, n := range lost {
			text.WriteString(c.reply[c.had[n].from:c.had[n+1].from])
		}
		at := c.has[below].from
		return hole{documents.Span{Start: at, End: at}, text.String()}
	case all && before >= 0 && after < len(c.had):
		return hole{documents.Span{Start: c.has[above].to, End: c.has[below].from}, c.reply[c.had[before].to:c.had[after].from]}
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
	return hole{documents.Span{Start: at, End: at}, text.String()}
}

// alike reports whether one line is the other with a change in it: most of it is the same at its two ends.
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

// outsideCalls leaves out holes inside the blocks of calls: who edits a call that waits says what shall run.
func (v view) outsideCalls(holes []hole) []hole {
	var out []hole
	for _, h := range holes {
		_, inside := find(v.chat, func(b transcript.Block) (transcript.Call, bool) {
			call, ok := b.(transcript.Call)
			return call, ok && call.Span.Start < h.at.Start && h.at.End < call.Span.End
		})
		if !inside {
			out = append(out, h)
		}
	}
	return out
}
