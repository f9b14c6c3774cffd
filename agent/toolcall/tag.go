package toolcall

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// usual is how a tag is mostly written: a plain name between two texts, before something that is not part of it. Its pattern
// would give the same, but takes many times as long. The zero value knows no usual way.
type usual struct{ before, after, next string }

// match gives the places of p's match, whose first group is the name, if text goes on with such a tag at a place; else nil.
func (u usual) match(p *regexp.Regexp, text string, from int) []int {
	if u == (usual{}) || !strings.HasPrefix(text[from:], u.before) {
		return nil
	}
	name := from + len(u.before)
	end := name
	for end < len(text) && text[end] < utf8.RuneSelf && isNameByte(text[end]) {
		end++
	}
	if end == name || strings.IndexByte(letters, text[name]) < 0 || !strings.HasPrefix(text[end:], u.after) || !strings.HasPrefix(text[end+len(u.after):], u.next) {
		return nil
	}
	at := make([]int, 2*(p.NumSubexp()+1))
	for i := range at {
		at[i] = -1
	}
	at[0], at[1], at[2], at[3] = from, end+len(u.after), name, end
	return at
}

// submatch is p's leftmost match. What p begins with is looked for first, since most text holds no tag at all; then the usual
// way to write it; and then a little after that, since matching in a long text is slow to set up. A tag that ends there is the
// same in all of the text.
func submatch(p *regexp.Regexp, u usual, text string) []int {
	prefix, _ := p.LiteralPrefix()
	from := strings.Index(text, prefix)
	if from < 0 {
		return nil
	}
	if at := u.match(p, text, from); at != nil {
		return at
	}
	near := text[from:min(len(text), from+maxHead)]
	at := p.FindStringSubmatchIndex(near)
	if (at == nil || at[1] == len(near)) && from+len(near) < len(text) {
		return p.FindStringSubmatchIndex(text)
	}
	for i := range at {
		if at[i] >= 0 {
			at[i] += from
		}
	}
	return at
}

// group gives a named group of a match, or "".
func group(pattern *regexp.Regexp, text string, at []int, name string) string {
	i := pattern.SubexpIndex(name)
	if i < 0 || at[2*i] < 0 {
		return ""
	}
	return text[at[2*i]:at[2*i+1]]
}
