package edit

import (
	"errors"
	"strings"
)

// Hunk is one replacement with enough of the text around it to be found again after other changes.
type Hunk struct {
	Before string // what is directly before it: contextLines lines, the first one whole
	Old    string // what is replaced
	New    string // what replaces it
	After  string // what is directly after it, as Before
}

// ErrGone says that the place of a hunk is not in the text any more, or not for certain.
var ErrGone = errors.New("the text of this edit was changed since, so it cannot be found for certain")

const (
	contextLines = 3
	// maxCompared bounds the bytes that are compared for one hunk: in a text that repeats itself it may be anywhere.
	maxCompared = 64 << 20
)

// Make describes the replacement of text[p.Start:p.End] by newText.
func Make(text string, p Place, newText string) Hunk {
	return Hunk{
		Before: tail(text[:p.Start], contextLines),
		Old:    text[p.Start:p.End],
		New:    newText,
		After:  head(text[p.End:], contextLines),
	}
}

// Change describes the step from one whole text to another as one hunk: what lies between their common beginning and
// end, widened to whole lines.
func Change(before, after string) Hunk {
	p := Changed(before, after)
	return Make(before, p, after[p.Start:len(after)-(len(before)-p.End)])
}

// Changed is the place in the first text of what [Change] describes.
func Changed(before, after string) Place {
	start := commonPrefix(before, after)
	start = strings.LastIndexByte(before[:start], '\n') + 1
	n := commonSuffix(before[start:], after[start:])
	// On to a line end, so that no line (and no character) is cut.
	if end := before[len(before)-n:]; !atLineStart(before, len(before)-n) || !atLineStart(after, len(after)-n) {
		if i := strings.IndexByte(end, '\n'); i >= 0 {
			n -= i + 1
		} else {
			n = 0
		}
	}
	return Place{Start: start, End: len(before) - n}
}

func atLineStart(s string, at int) bool { return at == 0 || s[at-1] == '\n' }

// Apply does a hunk again in a text that may have changed elsewhere. Error: ErrGone.
func Apply(current string, h Hunk) (string, error) {
	at, ok := h.find(current)
	if !ok { // the file may have got other line ends since
		h = h.withEOL(EOL(current))
		at, ok = h.find(current)
	}
	if !ok {
		return current, ErrGone
	}
	return current[:at] + h.New + current[at+len(h.Old):], nil
}

// Revert takes a hunk back, alone, in a text that may have changed elsewhere. Error: ErrGone.
func Revert(current string, h Hunk) (string, error) {
	h.Old, h.New = h.New, h.Old
	return Apply(current, h)
}

func (h Hunk) withEOL(eol string) Hunk {
	return Hunk{
		Before: WithEOL(h.Before, eol), Old: WithEOL(h.Old, eol),
		New: WithEOL(h.New, eol), After: WithEOL(h.After, eol),
	}
}

// find returns the offset of the hunk's old text. The place must be better than every other one, and at least one side
// of it must be as it was.
func (h Hunk) find(current string) (at int, ok bool) {
	best, second := -1, -1
	candidates, all := h.candidates(current)
	if !all {
		return 0, false
	}
	left := maxCompared
	for _, c := range candidates {
		before, after := h.sides(current, c)
		if left -= before.run + after.run; left < 0 {
			return 0, false
		}
		if !before.near && !after.near {
			continue
		}
		score := before.run + after.run
		switch {
		case score > best:
			best, second, at = score, best, c
		case score > second:
			second = score
		}
	}
	return at, best >= 0 && best > second
}

// candidates are the offsets where the old text is; for an insertion, those where its surroundings are. all is false
// if there are too many to look at.
func (h Hunk) candidates(current string) (at []int, all bool) {
	if h.Old != "" {
		return overlapping(current, h.Old)
	}
	before := lastPiece(h.Before)
	behind, all := []int{0}, true
	if before != "" {
		behind, all = overlapping(current, before)
	}
	inFront, whole := []int{len(current)}, true
	if after := firstPiece(h.After); after != "" {
		inFront, whole = overlapping(current, after)
	}
	seen := map[int]bool{}
	for _, i := range behind {
		at, seen[i+len(before)] = append(at, i+len(before)), true
	}
	for _, i := range inFront {
		if !seen[i] {
			at = append(at, i)
		}
	}
	return at, all && whole
}

// overlapping returns where needle is; all is false if there are too many places.
func overlapping(text, needle string) (at []int, all bool) {
	most := maxCompared / max(1, len(needle))
	for from := 0; from <= len(text); {
		i := strings.Index(text[from:], needle)
		if i < 0 {
			break
		}
		if len(at) == most {
			return nil, false
		}
		at = append(at, from+i)
		from += i + 1
	}
	return at, true
}

// side is how well one side of a place matches.
type side struct {
	run  int  // matching bytes, directly at the place
	near bool // the nearest part that says something is the same
}

func (h Hunk) sides(current string, at int) (before, after side) {
	left, right := current[:at], current[at+len(h.Old):]
	before.run = commonSuffix(left, h.Before)
	after.run = commonPrefix(right, h.After)
	before.near = before.run >= len(lastPiece(h.Before)) && (h.Before != "" || left == "")
	after.near = after.run >= len(firstPiece(h.After)) && (h.After != "" || right == "")
	return before, after
}

// lastPiece is the end of a context down to its last line that is not blank; firstPiece is its mirror image.
func lastPiece(s string) string {
	end := len(strings.TrimRight(s, " \t\r\n"))
	return s[strings.LastIndexByte(s[:end], '\n')+1:]
}

func firstPiece(s string) string {
	start := len(s) - len(strings.TrimLeft(s, " \t\r\n"))
	if i := strings.IndexByte(s[start:], '\n'); i >= 0 {
		return s[:start+i+1]
	}
	return s
}

func tail(s string, lines int) string {
	at := len(s)
	for range lines + 1 {
		i := strings.LastIndexByte(s[:at], '\n')
		if i < 0 {
			return s
		}
		at = i
	}
	return s[at+1:]
}

func head(s string, lines int) string {
	at := 0
	for range lines + 1 {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return s
		}
		at += i + 1
	}
	return s[:at]
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func commonSuffix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[len(a)-1-i] != b[len(b)-1-i] {
			return i
		}
	}
	return n
}
