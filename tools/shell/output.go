package shell

import (
	"bytes"
	"strings"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// Output is what a command wrote, standard output and errors together.
type Output struct {
	Head    string // the beginning; everything if nothing was left out
	Tail    string // the end, after what was left out
	Bytes   int64  // of everything
	Omitted int64  // bytes between Head and Tail that were not kept
	Lines   int64  // line ends between Head and Tail that were not kept
}

// output keeps the beginning and the end of what is written to it.
type output struct {
	head, tail         []byte
	maxHead, maxTail   int
	total, lostNewline int64
}

func newOutput(head, tail int) *output { return &output{maxHead: head, maxTail: tail} }

// Write keeps what there is room for. It never fails.
func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	o.total += int64(n)
	room := min(o.maxHead-len(o.head), len(p))
	o.head, p = append(o.head, p[:room]...), p[room:]
	o.tail = append(o.tail, p...)
	if over := len(o.tail) - o.maxTail; over > 0 {
		o.lostNewline += int64(bytes.Count(o.tail[:over], []byte("\n")))
		o.tail = append(o.tail[:0], o.tail[over:]...)
	}
	return n, nil
}

func (o *output) result() Output {
	omitted := o.total - int64(len(o.head)+len(o.tail))
	if omitted == 0 {
		return Output{Head: Plain(string(o.head) + string(o.tail)), Bytes: o.total}
	}
	return Output{
		Head: Plain(string(o.head)), Tail: Plain(string(o.tail)), Bytes: o.total, Omitted: omitted,
		Lines: o.lostNewline,
	}
}

// sequence matches terminal sequences that only set colours or move the cursor: CSI, and OSC with its end. What does
// not match stays and is made visible later, so that an unfinished sequence hides nothing.
const sequence = "\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[()][0-9A-B]"

var escapes = lazyregexp.New(sequence)

// Plain removes terminal sequences from a text, turns a lone CR into a line end, and replaces bytes that are not UTF-8.
// Other control characters stay.
func Plain(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = escapes().ReplaceAllString(s, "")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.ReplaceAll(s, "\r", "\n")
}
