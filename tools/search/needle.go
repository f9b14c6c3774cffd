package search

import (
	"bytes"
	"regexp/syntax"
	"strings"
)

// needle is a text that is in each line that matches something, so that lines without it need no other look.
type needle struct {
	text string // in lower case, if fold is set
	fold bool   // in any case; then it holds only letters of ASCII that no other letter folds to, digits and the like
	rare int    // of its bytes, the one that is found least often
	slow bool   // that one is found so often that the whole text is better looked for
}

const (
	minNeedle  = 2 // bytes: a shorter one is in nearly every line
	maxNeedles = 8 // of which one is in each line that matches
)

func newNeedle(text string, fold bool) needle {
	n := needle{text: text, fold: fold}
	if fold {
		n.text = strings.ToLower(text)
	}
	for i := range len(n.text) {
		if frequency(n.text[i]) < frequency(n.text[n.rare]) {
			n.rare = i
		}
	}
	n.slow = !fold && frequency(n.text[n.rare]) >= frequency('[')
	return n
}

// frequency orders bytes by how often they are in code and prose, roughly.
func frequency(b byte) int {
	return strings.IndexByte(
		"\x00QZXYJKVW@$^~`%?#jqzUHGBODFMLPNRSIACTE&!|+\\X[]<>kxwvby'*98765432;:{}10-/\"gm=()ph_.,ufdlcsainorte \t\n", b,
	)
}

// literalNeedles are those of a plain text.
func literalNeedles(text string, fold bool) []needle {
	best, _, _ := strings.Cut(text, "\n")
	if fold {
		best = longestPart(text, foldsOddly)
	}
	if best == "" {
		return nil
	}
	return []needle{newNeedle(best, fold)}
}

// foldsOddly is true for letters with more than two forms: the Kelvin sign is a K, and the long s an s. Nothing spans
// lines.
func foldsOddly(r rune) bool { return r >= 0x80 || r == '\n' || strings.ContainsRune("kKsS", r) }

// needlesOf are texts of which one is in each line that matches an expression; none: no such texts of use are
// known.
func needlesOf(re *syntax.Regexp, fold bool) []needle {
	if found := required(re, fold); shortest(found) >= minNeedle {
		return found
	}
	return nil
}

func required(re *syntax.Regexp, fold bool) []needle {
	switch re.Op {
	case syntax.OpLiteral:
		return literalNeedles(string(re.Rune), fold || re.Flags&syntax.FoldCase != 0)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0], fold)
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0], fold)
		}
	case syntax.OpConcat:
		var best []needle
		for _, sub := range re.Sub {
			if found := required(sub, fold); shortest(found) > shortest(best) {
				best = found
			}
		}
		return best
	case syntax.OpAlternate:
		var all []needle
		for _, sub := range re.Sub {
			found := required(sub, fold)
			if all = append(all, found...); len(found) == 0 || len(all) > maxNeedles {
				return nil
			}
		}
		return all
	default:
	}
	return nil
}

func shortest(needles []needle) int {
	least := 0
	for i, n := range needles {
		if i == 0 || len(n.text) < least {
			least = len(n.text)
		}
	}
	return least
}

// finder finds needles in one text, from its beginning to its end.
type finder struct {
	data    []byte
	needles []needle
	next    []int // of each needle: where it is found next; len(data): nowhere
	forms   [][2]int
}

func newFinder(needles []needle, data []byte) *finder {
	f := &finder{data: data, needles: needles, next: make([]int, len(needles)), forms: make([][2]int, len(needles))}
	for i := range needles {
		f.next[i], f.forms[i] = -1, [2]int{-1, -1}
	}
	return f
}

// from is where the first needle is at or behind a place; ok is false if there is none. Places must not go back.
func (f *finder) from(at int) (place int, ok bool) {
	place = len(f.data)
	for i, n := range f.needles {
		if f.next[i] < at {
			f.next[i] = f.find(i, n, at)
		}
		place = min(place, f.next[i])
	}
	return place, place < len(f.data)
}

func (f *finder) find(i int, n needle, at int) int {
	if n.slow {
		return after(f.data, at, func(rest []byte) int { return bytes.Index(rest, []byte(n.text)) })
	}
	lower := n.text[n.rare]
	upper := lower
	if n.fold && 'a' <= lower && lower <= 'z' {
		upper -= 'a' - 'A'
	}
	forms := &f.forms[i]
	for at += n.rare; ; at++ {
		for k, b := range [2]byte{lower, upper} {
			switch {
			case k > 0 && b == lower: // it has one form
				forms[k] = forms[0]
			case forms[k] < at:
				forms[k] = after(f.data, at, func(rest []byte) int { return bytes.IndexByte(rest, b) })
			}
		}
		if at = min(forms[0], forms[1]); at == len(f.data) {
			return at
		}
		if start := at - n.rare; start+len(n.text) <= len(f.data) && n.is(f.data[start:start+len(n.text)]) {
			return start
		}
	}
}

// after is where something is found in data at or behind a place; the end of the data: nowhere.
func after(data []byte, at int, index func([]byte) int) int {
	if at >= len(data) {
		return len(data)
	}
	if i := index(data[at:]); i >= 0 {
		return at + i
	}
	return len(data)
}

// is reports whether data of the needle's length is the needle.
func (n needle) is(data []byte) bool {
	if !n.fold {
		return string(data) == n.text
	}
	for i, b := range data {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != n.text[i] {
			return false
		}
	}
	return true
}
