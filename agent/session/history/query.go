package history

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what is searched for.
const (
	maxQuery = 2_000 // bytes
	maxTerms = 32
)

// term is a part of what is searched for.
type term struct {
	text   string // normal
	prefix bool   // words that begin with it count, too
}

// parse reads what a person searches for: words, "phrases", and prefix*. All else is text, whatever it means to a
// database.
func parse(text string) (terms []term) {
	if len(text) > maxQuery {
		text = text[:maxQuery]
	}
	text = normal(text)
	for text = strings.TrimLeftFunc(text, unicode.IsSpace); text != "" && len(terms) < maxTerms; {
		var t term
		if rest, quoted := strings.CutPrefix(text, `"`); quoted {
			t.text, text, _ = strings.Cut(rest, `"`)
		} else {
			end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
			if end < 0 {
				end = len(text)
			}
			t.text, text = text[:end], text[end:]
			t.text, t.prefix = strings.CutSuffix(t.text, "*")
		}
		if rest, star := strings.CutPrefix(text, "*"); star && !t.prefix {
			t.prefix, text = true, rest
		}
		if isWord(t.text) {
			terms = append(terms, t)
		}
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	return terms
}

// quote makes a string of FTS5 of a text: nothing in it is an operator.
func quote(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// match is the term as an expression of FTS5.
func (t term) match() string {
	var parts []string
	last := ""
	runs(t.text, func(part string) {
		if isWord(part) {
			parts, last = append(parts, "{title text} : "+quote(part)), part
		}
	}, func(part string) {
		runes := []rune(part)
		last = ""
		if len(runes) == 1 {
			parts = append(parts, "pairs : "+quote(part)+" *")
			return
		}
		var pairs []string
		for i := range len(runes) - 1 {
			pairs = append(pairs, string(runes[i:i+2]))
		}
		parts = append(parts, "pairs : "+quote(strings.Join(pairs, " ")))
	})
	if t.prefix && last != "" && !endsApart(last) {
		parts[len(parts)-1] += " *"
	}
	return "(" + strings.Join(parts, " AND ") + ")"
}

// endsApart reports whether a text ends in what is no part of a word: there no word goes on.
func endsApart(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return !unicode.In(last, unicode.L, unicode.N, unicode.M)
}

// expression is all terms in one expression of FTS5.
func expression(terms []term) string {
	parts := make([]string, len(terms))
	for i, t := range terms {
		parts[i] = t.match()
	}
	return strings.Join(parts, " AND ")
}
