package model

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// mark is put behind the first character of a control mark, so that it is only text: it is in no model's own marks, and
// a person sees it.
const mark = "·"

// Control knows what a model reads as control marks, as where a turn begins, wherever it is in a prompt. It is
// immutable and may be used concurrently; the zero value knows none.
type Control struct {
	literals []string
	shapes   []*regexp.Regexp
}

// NewControl knows these marks. A * in one stands for 1 to 64 characters that are neither blank nor brackets nor bars.
func NewControl(marks []string) Control { return Control{}.With(marks...) }

// With knows these marks, too.
func (c Control) With(marks ...string) Control {
	c.literals, c.shapes = slices.Clip(c.literals), slices.Clip(c.shapes)
	for _, m := range slices.Compact(slices.Sorted(slices.Values(marks))) {
		before, after, shape := strings.Cut(m, "*")
		switch {
		case m == "":
		case shape:
			c.shapes = append(
				c.shapes, regexp.MustCompile(regexp.QuoteMeta(before)+`[^\s<>|｜\[\]]{1,64}`+regexp.QuoteMeta(after)),
			)
		default:
			c.literals = append(c.literals, m)
		}
	}
	return c
}

// Escape makes every control mark in a text from outside harmless: where one is, or would without dots behind its
// first character, there is one dot more. Unescape takes that back: for every text, Unescape(Escape(text)) == text.
func (c Control) Escape(text string) string {
	return c.shift(text, func(_ string, dots int) int { return dots + 1 })
}

// Unescape turns what a model wrote after an escaped text into what it means: of the dots in a mark there is one less.
// A mark that has none stays as it is.
func (c Control) Unescape(text string) string {
	return c.shift(text, func(_ string, dots int) int { return max(dots-1, 0) })
}

// Defuse makes the control marks in what a model wrote itself harmless, but for those that it was to write. Those that
// it copied from an escaped text are harmless already and stay as they are.
func (c Control) Defuse(text string, but []string) string {
	return c.shift(text, func(mark string, dots int) int {
		if slices.Contains(but, mark) {
			return dots
		}
		return max(dots, 1)
	})
}

// First is the first control mark in a text; empty: there is none.
func (c Control) First(text string) string {
	base := strings.ReplaceAll(text, mark, "")
	if found := c.find(base); len(found) > 0 {
		return base[found[0].start:found[0].end]
	}
	return ""
}

// shift changes the number of dots in each mark. What counts as a mark is decided by the text without any dots: so it
// is the same before and after.
func (c Control) shift(text string, by func(mark string, dots int) int) string {
	base := strings.ReplaceAll(text, mark, "")
	found := c.find(base)
	if len(found) == 0 {
		return text
	}
	var out strings.Builder
	out.Grow(len(text) + len(mark)*len(found))
	at := 0 // in base
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], mark) {
			out.WriteString(mark)
			i += len(mark)
			continue
		}
		size := 1
		if len(found) > 0 && found[0].start == at {
			_, size = utf8.DecodeRuneInString(text[i:])
			rest := strings.TrimLeft(text[i+size:], mark)
			dots := (len(text) - i - size - len(rest)) / len(mark)
			out.WriteString(text[i:i+size] + strings.Repeat(mark, by(base[at:found[0].end], dots)))
			i += dots * len(mark)
			found = found[1:]
		} else {
			out.WriteByte(text[i])
		}
		i += size
		at += size
	}
	return out.String()
}

// byteRange is a half-open range of bytes.
type byteRange struct{ start, end int }

// find gives where marks begin, in order; of those that begin at one place the longest.
func (c Control) find(text string) []byteRange {
	var found []byteRange
	for _, literal := range c.literals {
		for at := 0; ; at++ {
			i := strings.Index(text[at:], literal)
			if i < 0 {
				break
			}
			at += i
			found = append(found, byteRange{at, at + len(literal)})
		}
	}
	for _, shape := range c.shapes {
		for _, m := range shape.FindAllStringIndex(text, -1) {
			found = append(found, byteRange{m[0], m[1]})
		}
	}
	slices.SortFunc(
		found, func(a, b byteRange) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) },
	)
	return slices.CompactFunc(found, func(a, b byteRange) bool { return a.start == b.start })
}

// inTemplate finds what looks like a control mark in a chat template.
var inTemplate = lazyregexp.New(
	`\[/?[A-Z][A-Z_]+\]|</?s>|<[a-z]+_of_[a-z]+>|<(?:bos|eos|BOS_TOKEN|EOS_TOKEN)>|\[\|[a-z]+\|\]|<</?SYS>>`,
)

// Marks lists the control marks of a model, as [NewControl] takes them: those of every model, of its family, and what
// its chat template shows.
func (p *Profiles) Marks(profile Profile, info Info) []string {
	return slices.Concat(p.marks["all"], p.marks[profile.Marks], inTemplate().FindAllString(info.Template, -1))
}
