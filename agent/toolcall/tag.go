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

// tag is the pattern of a tag, in the words that a family uses for it. It is shorter than maxHead.
type tag struct {
	*regexp.Regexp
	here   *regexp.Regexp // the same, at the beginning of a text
	usual  usual
	prefix string // what every tag begins with
	word   string // what must follow it, behind blanks; empty: not known
}

func newTag(p *regexp.Regexp, u usual) tag {
	t := tag{Regexp: p, here: regexp.MustCompile("^(?:" + p.String() + ")"), usual: u}
	t.prefix, _ = p.LiteralPrefix()
	if rest, blanks := strings.CutPrefix(p.String(), t.prefix+`\s*`); blanks {
		if word := rest[:len(rest)-len(strings.TrimLeft(rest, letters))]; strings.HasPrefix(rest[len(word):], `\s`) {
			t.word = word
		}
	}
	return t
}

// begins reports whether text may begin with the tag. A pattern takes many times as long to say that it does not.
func (t tag) begins(text string) bool {
	rest, found := strings.CutPrefix(text, t.prefix)
	return found && strings.HasPrefix(strings.TrimLeft(rest, blankBytes), t.word)
}

// at gives the places of the match that begins at a place, as FindStringSubmatchIndex does; nil: there is none.
func (t tag) at(text string, from int) []int {
	groups := t.usual.match(t.Regexp, text, from)
	if groups != nil {
		return groups
	}
	near := text[from:min(len(text), from+maxHead)]
	if !t.begins(near) {
		return nil
	}
	groups = t.here.FindStringSubmatchIndex(near)
	if groups == nil || groups[1] == len(near) && from+len(near) < len(text) {
		return nil
	}
	for i := range groups {
		if groups[i] >= 0 {
			groups[i] += from
		}
	}
	return groups
}

// next gives the first match from a place on.
func (t tag) next(text string, from int) []int {
	if t.prefix == "" { // it stands at the beginning, behind blanks
		return t.FindStringSubmatchIndex(text[from:])
	}
	for {
		at := strings.Index(text[from:], t.prefix)
		if at < 0 {
			return nil
		}
		if groups := t.at(text, from+at); groups != nil {
			return groups
		}
		from += at + 1
	}
}

// group gives a named group of a match, or "".
func group(pattern *regexp.Regexp, text string, at []int, name string) string {
	i := pattern.SubexpIndex(name)
	if i < 0 || at[2*i] < 0 {
		return ""
	}
	return text[at[2*i]:at[2*i+1]]
}
