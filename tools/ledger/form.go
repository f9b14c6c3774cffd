package ledger

import (
	"strings"
	"unicode/utf8"
)

const mark = "\ufeff" // a byte order mark

// asShown gives two kept texts the form of the present one: editors leave out a byte order mark, show all line ends
// alike and end the last line. That is nobody's change, so that it is no reason to refuse one. Origin is the text that
// the present one comes from.
func asShown(origin, other, now *string) (shownOrigin, shownOther *string) {
	if origin == nil || now == nil || *origin == *now || !utf8.ValidString(*origin) || !utf8.ValidString(*now) {
		return origin, other
	}
	if strings.HasPrefix(*origin, mark) != strings.HasPrefix(*now, mark) {
		with := strings.HasPrefix(*now, mark)
		origin, other = each(origin, other, func(text string) string {
			if text = strings.TrimPrefix(text, mark); with && text != "" {
				return mark + text
			}
			return text
		})
	}
	if end := lineEnd(*now); end != "" && end != lineEnd(*origin) {
		origin, other = each(origin, other, func(text string) string {
			return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", end)
		})
	}
	if end := lineEnd(*now); end != "" && strings.HasSuffix(*now, end) && *origin != "" &&
		!strings.HasSuffix(*origin, "\n") {
		origin, other = each(origin, other, func(text string) string {
			if text == "" || strings.HasSuffix(text, "\n") {
				return text
			}
			return text + end
		})
	}
	return origin, other
}

func each(a, b *string, change func(string) string) (changedA, changedB *string) {
	of := func(text *string) *string {
		if text == nil {
			return nil
		}
		changed := change(*text)
		return &changed
	}
	return of(a), of(b)
}

// lineEnd is how all lines of a text end; empty: none does, or not all alike.
func lineEnd(text string) string {
	all, long := strings.Count(text, "\n"), strings.Count(text, "\r\n")
	switch {
	case all == 0:
		return ""
	case long == 0:
		return "\n"
	case long == all:
		return "\r\n"
	}
	return ""
}
