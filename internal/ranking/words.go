package ranking

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// maxText is how many bytes of a text are read.
const maxText = 100_000

// Words splits a text into words in lower case, and names at _ and at capitals, without the words of English that say
// nothing of what a text is about. Forms of a word count as one where only an ending differs.
func Words(text string) []string {
	var all []string
	each(text, func(word string) {
		if w := base(word); w != "" {
			all = append(all, w)
		}
	}, func(name string) { all = append(all, strings.ToLower(name)) })
	return all
}

// base is what a part of a name counts as; empty: it says nothing.
func base(part string) string {
	w := strings.ToLower(part)
	if _, common := slices.BinarySearch(common, w); common {
		return ""
	}
	return stem(w)
}

// each calls part with the words of a text as they are there, names split, and whole with each name that was split
// behind its parts: it says more than they do.
func each(text string, part, whole func(string)) {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	word, name, parts := -1, -1, 0 // where they begin; -1: in none
	small := false
	end := func(at int) {
		if word >= 0 {
			part(text[word:at])
			parts++
		}
		word = -1
	}
	endName := func(at int) {
		if parts > 1 {
			whole(text[name:at])
		}
		name, parts = -1, 0
	}
	for i, r := range text {
		kind := kindOf(r)
		if kind == other || r == '_' || small && kind == upper {
			end(i)
		}
		if kind != other && word < 0 {
			word = i
		}
		if kind == other && r != '_' {
			endName(i)
		} else if name < 0 {
			name = i
		}
		small = kind == lower
	}
	end(len(text))
	endName(len(text))
}

// kind is that of a rune in a name.
type kind byte

const (
	other kind = iota
	lower
	upper
	caseless
)

func kindOf(r rune) kind {
	switch {
	case 'a' <= r && r <= 'z':
		return lower
	case 'A' <= r && r <= 'Z':
		return upper
	case '0' <= r && r <= '9':
		return caseless
	case r < 0x80:
		return other
	case unicode.IsLower(r):
		return lower
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return caseless
	}
	return other
}

// stem takes off the ending of a plural or of a form of a verb.
func stem(word string) string {
	if root := irregular()[word]; root != "" {
		word = root
	}
	switch {
	case len(word) < 4 || strings.HasSuffix(word, "ss"):
		return word
	case strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	}
	word = strings.TrimSuffix(word, "s")
	for _, ending := range []string{"ing", "ed"} {
		if root, ok := strings.CutSuffix(word, ending); ok && len(root) >= 4 {
			word = root
		}
	}
	if len(word) > 4 {
		word = strings.TrimSuffix(word, "e") // "use" stays, "delete" is the root of "deleting"
	}
	return american(word)
}

// irregular are the roots of those forms of verbs that no rule finds and that people ask with.
var irregular = sync.OnceValue(func() map[string]string {
	const forms = "bought=buy broke=break broken=break built=build chose=choose chosen=choose drew=draw drawn=draw " +
		"grew=grow grown=grow held=hold kept=keep lent=lend lost=lose paid=pay ran=run sent=send sold=sell " +
		"spent=spend taught=teach threw=throw thrown=throw won=win wrote=write written=write"
	roots := map[string]string{}
	for pair := range strings.FieldsSeq(forms) {
		form, root, _ := strings.Cut(pair, "=")
		roots[form] = root
	}
	return roots
})

// american spells the root of a word as Americans do: code says "color" whatever its readers say.
func american(root string) string {
	for _, spelling := range [][2]string{
		{"our", "or"}, {"is", "iz"}, {"isation", "ization"}, {"tr", "ter"}, {"ogu", "og"},
	} {
		if start, ok := strings.CutSuffix(root, spelling[0]); ok && len(start) >= 3 {
			return start + spelling[1]
		}
	}
	return root
}

// common are words of English that say nothing of what a text is about, sorted.
var common = strings.Fields(`a about after all also an and any are as at be been before being but by can cannot could did do does doing done
	each for from get give given go goes had has have having he her here hers him his how i if in into is it its just know let like look make
	may me mean might mine more most much must my need no not now of off on one only or other our ours out over own please say
	see shall she should show so some such tell than thank thanks that the their them then there these they this those to too
	under up us use used using very want was we were what when where which while who whom whose why will with would yes yet you your yours`)
