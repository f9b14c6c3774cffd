package edit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// InName reports whether a name in a program may have a character, or one that is written with others: an accent or a
// vowel sign.
func InName(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// WholeWords are the places of a part of a text where no name goes on before its beginning or behind its end, in bytes.
// They do not overlap.
func WholeWords(text, part string) []int {
	if part == "" {
		return nil
	}
	first, _ := utf8.DecodeRuneInString(part)
	last, _ := utf8.DecodeLastRuneInString(part)
	return places(text, part, func(at int) bool {
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(part):])
		goesOn := InName(first) && InName(before) || InName(last) && InName(after)
		return !goesOn
	})
}

// places are where a part of a text begins, if that counts. They do not overlap.
func places(text, part string, counts func(at int) bool) []int {
	var starts []int
	for from := 0; ; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return starts
		}
		if at += from; counts(at) {
			starts = append(starts, at)
			from = at + len(part)
		} else {
			from = at + 1
		}
	}
}
