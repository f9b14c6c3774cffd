package parsed

import (
	"sort"
	"strings"

	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/journal"
)

// gap is what a document lacks of the end of a reply, and where it belongs.
type gap struct {
	at   int
	from int // where it begins in the reply
	text string
}

// Lack is one edit that puts back all that a document lacks of a reply.
type Lack struct {
	At   documents.Span
	Text string // what is there then
	End  bool   // the end of the reply is missing
}

// FirstLack finds the oldest reply of a journal of which a document lacks something.
func FirstLack(view View, replies []journal.Reply, unconfirmed bool) (Lack, bool) {
	for i, at := range regionsOf(view, replies) {
		if l, ok := lackOf(view, replies[i], at, unconfirmed); ok {
			return l, true
		}
	}
	return Lack{}, false
}

// lackOf compares the region of a reply with it. unconfirmed says that the end may be missing; only then is it looked
// for. What a person deleted in the middle is looked for only if that happened while the reply streamed.
func lackOf(view View, reply journal.Reply, at documents.Span, unconfirmed bool) (Lack, bool) {
	head := reply.Text
	var tail gap
	missing := false
	if unconfirmed {
		if tail, missing = gapOf(view, reply, at); missing {
			head = head[:tail.from]
		}
	}
	var holes []hole
	if reply.Cut {
		holes = view.outsideCalls(holesIn(head, view.Slice(at.Start, at.End), at.Start))
	}
	if missing {
		holes = append(holes, hole{documents.At(tail.at), tail.text})
	}
	if len(holes) == 0 {
		return Lack{}, false
	}
	l := Lack{At: documents.Span{Start: holes[0].at.Start, End: holes[len(holes)-1].at.End}, End: missing}
	var text strings.Builder
	done := l.At.Start
	for _, h := range holes {
		text.WriteString(view.Slice(done, h.at.Start) + h.text)
		done = h.at.End
	}
	l.Text = text.String()
	return l, true
}

// gapOf compares a reply with its region, and finds the end that is missing: all after the last line that the document
// has. Changes in the middle do not count.
func gapOf(view View, reply journal.Reply, region documents.Span) (gap, bool) {
	places := map[string][]int{} // of each line, blank ones not counted
	count, last := 0, ""
	for line := range strings.Lines(view.Slice(region.Start, region.End)) {
		if line = trimLine(line); line != "" {
			places[line] = append(places[line], count)
			count++
			last = line
		}
	}
	next, there, offset := 0, 0, 0 // the first place that may follow; bytes of the reply that are there
	for line := range strings.Lines(reply.Text) {
		offset += len(line)
		text := trimLine(line)
		if text == "" {
			continue
		}
		at := places[text]
		i := sort.SearchInts(at, next)
		if i < len(at) {
			next, there = at[i]+1, offset-(len(line)-len(strings.TrimRight(line, "\r\n")))
			continue
		}
		// The reply may have been cut within this line.
		if i := len(last); i > 0 && next == count-1 && strings.HasPrefix(line, last) &&
			strings.TrimSpace(reply.Text[there:offset-len(line)]) == "" {
			next, there = count, offset-len(line)+i
		}
	}
	text := strings.TrimRight(reply.Text[there:], " \t\r\n")
	if strings.TrimSpace(text) == "" {
		return gap{}, false
	}
	return gap{region.End, there, text}, true
}

// trimLine is a line without what editors change on their own: the line end and the spaces before it.
func trimLine(line string) string { return strings.TrimRight(line, " \t\r\n") }
