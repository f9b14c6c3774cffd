package history

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// unspaced are the scripts that are written without spaces between words, or with endings on them, as Korean: what is
// looked for there are pairs of characters.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar,
}

// longMark is drawn in both kinds of kana, and so is of no script.
const longMark = 'ー'

func isUnspaced(r rune) bool { return r > 0x0DFF && (r == longMark || unicode.In(r, unspaced...)) }

// normal is a text in the form in which texts are compared: NFKC, in valid UTF-8, without NUL.
func normal(text string) string {
	text = strings.ToValidUTF8(text, " ")
	if strings.ContainsRune(text, 0) {
		text = strings.ReplaceAll(text, "\x00", " ")
	}
	return norm.NFKC.String(text)
}

// runs calls spaced and run with the parts of a text, which is normal, in their order.
func runs(text string, spaced, run func(part string)) {
	from, in := 0, false
	end := func(at int) {
		switch {
		case from == at:
		case in:
			run(text[from:at])
		default:
			spaced(text[from:at])
		}
		from = at
	}
	for i, r := range text {
		if is := isUnspaced(r); is != in {
			end(i)
			in = is
		}
	}
	end(len(text))
}

// indexedAs is a text as the index holds it: the words of languages with spaces, and the pairs of characters of the
// others. A run of those ends with its last character alone, so that each character begins a word.
func indexedAs(text string) (words, pairs string) {
	var w, p strings.Builder
	runs(normal(text), func(part string) { w.WriteString(part) }, func(part string) {
		w.WriteByte(' ')
		runes := []rune(part)
		for i := range runes {
			p.WriteString(string(runes[i:min(i+2, len(runes))]))
			p.WriteByte(' ')
		}
	})
	return w.String(), p.String()
}

// isWord reports whether a text holds something that the index has.
func isWord(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) })
}

// folded is a text without case and accents, with the place of each of its bytes in the text that it was made from.
func folded(text string) (plain string, places []int) {
	var b strings.Builder
	for i, r := range text {
		for _, part := range norm.NFKD.String(string(r)) {
			if unicode.Is(unicode.Mn, part) && !isUnspaced(part) {
				continue
			}
			n, _ := b.WriteRune(unicode.ToLower(part))
			for range n {
				places = append(places, i)
			}
		}
	}
	return b.String(), append(places, len(text))
}
