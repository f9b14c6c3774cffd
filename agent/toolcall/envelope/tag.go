package envelope

import (
	"regexp"
	"strings"
)

// tag is the pattern of a tag in the notation of a family. A match is shorter than MaxHead.
type tag struct {
	*regexp.Regexp
	here   *regexp.Regexp // the same, at the beginning of a text
	prefix string         // what every tag begins with
}

func newTag(p *regexp.Regexp) tag {
	prefix, _ := p.LiteralPrefix()
	return tag{Regexp: p, here: regexp.MustCompile("^(?:" + p.String() + ")"), prefix: prefix}
}

// at gives the places of the match that begins at a place, as FindStringSubmatchIndex does; nil: there is none.
func (t tag) at(text string, from int) []int {
	near := text[from:min(len(text), from+MaxHead)]
	if !strings.HasPrefix(near, t.prefix) {
		return nil
	}
	groups := t.here.FindStringSubmatchIndex(near)
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
	if t.prefix == "" { // it is at the beginning, after whitespace
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
