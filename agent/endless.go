package agent

import "errors"

// A reply is endless when its last endlessBytes repeat one piece of at most endlessPeriod bytes. No prose and hardly any file
// looks like that; replies of small models do, until their context is full.
const (
	endlessBytes  = 3000
	endlessPeriod = 120
	endlessCheck  = 250 // bytes from one check to the next
)

var errEndless = errors.New("the model repeats itself without end")

// endless detects a reply that repeats itself without end, while it streams.
type endless struct {
	last   []byte // at least the last endlessBytes, if there are as many
	unseen int
	border []int32
}

// next takes a piece of the reply and reports whether the reply is endless.
func (e *endless) next(piece string) bool {
	e.last = append(e.last, piece...)
	if extra := len(e.last) - endlessBytes; extra > endlessBytes {
		e.last = e.last[:copy(e.last, e.last[extra:])]
	}
	e.unseen += len(piece)
	if e.unseen < endlessCheck || len(e.last) < endlessBytes {
		return false
	}
	e.unseen = 0
	return e.period(e.last[len(e.last)-endlessBytes:]) <= endlessPeriod
}

// period is the length of the shortest piece that a text repeats, by the failure function of Knuth, Morris and Pratt.
func (e *endless) period(text []byte) int {
	if e.border == nil {
		e.border = make([]int32, endlessBytes)
	}
	k := int32(0)
	for i := 1; i < len(text); i++ {
		for k > 0 && text[i] != text[k] {
			k = e.border[k-1]
		}
		if text[i] == text[k] {
			k++
		}
		e.border[i] = k
	}
	return len(text) - int(k)
}
