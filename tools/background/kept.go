package background

import (
	"fmt"
	"strings"
)

// The bytes that are kept of what a command printed: for people, and for the next time that the model reads it.
const (
	headForPeople, tailForPeople = 8 << 10, 56 << 10
	headForModel, tailForModel   = 2 << 10, 6 << 10
)

// kept is the beginning and the end of a text that grows without end.
type kept struct {
	head, tail       []byte // the tail may be up to twice as long as its bound, so that it is seldom moved
	maxHead, maxTail int
	total            int64 // bytes of all
}

func newKept(head, tail int) kept { return kept{maxHead: head, maxTail: tail} }

// add keeps what there is room for.
func (k *kept) add(text string) {
	k.total += int64(len(text))
	n := min(k.maxHead-len(k.head), len(text))
	k.head, text = append(k.head, text[:n]...), text[n:]
	if len(text) > k.maxTail {
		text, k.tail = text[len(text)-k.maxTail:], k.tail[:0]
	}
	if len(k.tail)+len(text) > 2*k.maxTail {
		k.tail = append(k.tail[:0], k.end()...)
	}
	k.tail = append(k.tail, text...)
}

// end is the end that is kept.
func (k *kept) end() []byte { return k.tail[max(0, len(k.tail)-k.maxTail):] }

func (k *kept) empty() bool { return k.total == 0 }

// clear forgets all of it.
func (k *kept) clear() { k.head, k.tail, k.total = k.head[:0], k.tail[:0], 0 }

func (k *kept) String() string {
	left := k.total - int64(len(k.head)+len(k.end()))
	if left == 0 {
		return string(k.head) + string(k.end())
	}
	return strings.ToValidUTF8(fmt.Sprintf("%s\n[%d bytes left out]\n%s", k.head, left, k.end()), "\uFFFD")
}
