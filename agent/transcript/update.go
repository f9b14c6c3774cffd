package transcript

import (
	"sort"
	"strings"
)

// Source is a text that can be read in parts.
type Source interface {
	// Len is the length in bytes.
	Len() int
	// Slice is the part from start to end, both inside of the text.
	Slice(start, end int) string
}

// Change says where two texts differ: the bytes Start to OldEnd of the old one became Start to NewEnd of the new one.
// It may say more than the least that differs.
type Change struct{ Start, OldEnd, NewEnd int }

const (
	lineEnd    = 2 // bytes of the longest line end, a CRLF
	moreWindow = 8 // how many times as many turns are read when the first that followed a change did not end it
)

// Update reads a document again after a change: it gives what Parse gives for the whole text, and reuses the turns of
// prev that end before the change or begin behind it. It reads no more of the text than the turns that the change
// touches, unless these go on for longer than they did, as an opened fence makes them. prev stays valid; nil gives
// Parse.
func Update(prev *Chat, text Source, change Change) *Chat {
	if prev == nil || prev.Front.Span.End == 0 && mayOpenFront(text) { // a change may close it at any place
		return parseAll(text)
	}
	keep := sort.Search(
		len(prev.Turns), func(i int) bool { return prev.Turns[i].Heading.End+lineEnd > change.Start },
	) - 1
	if keep < 0 {
		return parseAll(text)
	}
	// A change that ends right before a heading may have taken its line from it.
	next := sort.Search(len(prev.Turns), func(i int) bool { return prev.Turns[i].Heading.Start > change.OldEnd })
	start, delta := prev.Turns[keep].Span.Start, change.NewEnd-change.OldEnd
	for more := 1; ; more *= moreWindow {
		end := text.Len()
		if last := next + more - 1; last < len(prev.Turns) {
			end = min(end, prev.Turns[last].Heading.End+delta+lineEnd)
		}
		part, same := parsePart(text.Slice(start, end), prev.Turns[next:], start-delta)
		if same < 0 && end < text.Len() {
			continue
		}
		if same < 0 {
			same = len(prev.Turns) - next
		}
		return join(prev, part, keep, next+same, start, delta)
	}
}

func mayOpenFront(text Source) bool {
	head := text.Slice(0, min(text.Len(), len(byteOrderMark)+len("---")))
	return strings.HasPrefix(strings.TrimPrefix(head, byteOrderMark), "---")
}

func parseAll(text Source) *Chat { return Parse(text.Slice(0, text.Len())) }

// parsePart reads text, which begins with the heading of a turn, up to the first turn that begins where one of the
// known turns does, or else to the end. base is where text begins, in the offsets of known. same is the index of that
// turn in known, or -1.
func parsePart(text string, known []Turn, base int) (part *Chat, same int) {
	same = -1
	at := 0
	p := parser{text: text, clone: true, chat: &Chat{}, lines: newLines(text, 0), textStart: -1}
	p.known = func(start int) bool {
		for at < len(known) && known[at].Heading.Start < start+base {
			at++
		}
		if at == len(known) || known[at].Heading.Start > start+base {
			return false
		}
		same = at // what is read of a document behind a turn's heading depends on nothing before it
		return true
	}
	p.run()
	return p.chat, same
}

// join puts a chat together: the turns of prev before index keep, those of part, which begin at start, and those of
// prev from index next on, moved by delta.
func join(prev, part *Chat, keep, next, start, delta int) *Chat {
	chat := &Chat{Front: prev.Front, Preamble: prev.Preamble}
	after := prev.Turns[next:]
	chat.Turns = make([]Turn, 0, keep+len(part.Turns)+len(after))
	chat.Turns = append(chat.Turns, prev.Turns[:keep]...)
	chat.Turns = appendMoved(chat.Turns, part.Turns, start)
	chat.Turns = appendMoved(chat.Turns, after, delta)

	problems := prev.Problems
	cut := 0
	for cut < len(problems) && problems[cut].Span.Start < start {
		cut++
	}
	chat.Problems = append(chat.Problems, problems[:cut]...)
	for _, p := range part.Problems {
		chat.Problems = append(chat.Problems, p.moved(start))
	}
	for _, p := range problems[cut:] {
		if len(after) > 0 && p.Span.Start >= after[0].Span.Start {
			chat.Problems = append(chat.Problems, p.moved(delta))
		}
	}
	return chat
}

// appendMoved appends turns that begin delta bytes later.
func appendMoved(to, turns []Turn, delta int) []Turn {
	to = append(to, turns...)
	if delta == 0 {
		return to
	}
	moved := to[len(to)-len(turns):]
	count := 0
	for i := range moved {
		count += len(moved[i].Blocks)
	}
	blocks := make([]Block, 0, count)
	for i := range moved {
		t := &moved[i]
		t.Heading, t.Span = t.Heading.moved(delta), t.Span.moved(delta)
		if t.Blocks == nil {
			continue
		}
		from := len(blocks)
		for _, b := range t.Blocks {
			blocks = append(blocks, movedBlock(b, delta))
		}
		t.Blocks = blocks[from:len(blocks):len(blocks)]
	}
	return to
}

func movedBlock(block Block, delta int) Block {
	switch b := block.(type) {
	case Text:
		b.Span = b.Span.moved(delta)
		return b
	case Thinking:
		b.Span = b.Span.moved(delta)
		return b
	case Call:
		b.Span = b.Span.moved(delta)
		return b
	case Malformed:
		b.Span = b.Span.moved(delta)
		return b
	case Result:
		b.Span = b.Span.moved(delta)
		return b
	case Context:
		b.Span = b.Span.moved(delta)
		return b
	case Image:
		b.Span = b.Span.moved(delta)
		return b
	case Reason:
		b.Span = b.Span.moved(delta)
		return b
	case Answer:
		b.Span = b.Span.moved(delta)
		return b
	}
	panic("transcript: a block of an unknown kind")
}

func (s Span) moved(delta int) Span { return Span{s.Start + delta, s.End + delta} }

func (p Problem) moved(delta int) Problem {
	p.Span = p.Span.moved(delta)
	if p.Fix != "" {
		p.FixAt += delta
	}
	return p
}
