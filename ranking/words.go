package ranking

import (
	"slices"
	"strings"
	"unicode"
)

// maxText is how many bytes of a text are read.
const maxText = 100_000

// Words splits a text into words in lower case, and names at _ and at capitals, without the words of English that say nothing of what a
// text is about. Forms of a word count as one where only an ending differs.
func Words(text string) []string {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	var all []string
	var word, name strings.Builder
	parts := 0 // of the name
	end := func() {
		w := strings.ToLower(word.String())
		word.Reset()
		if w != "" {
			parts++
		}
		if _, common := slices.BinarySearch(common, w); w != "" && !common {
			all = append(all, stem(w))
		}
	}
	whole := func() { // a name that was split says more than its parts
		if parts > 1 {
			all = append(all, strings.ToLower(name.String()))
		}
		name.Reset()
		parts = 0
	}
	small := false
	for _, r := range text {
		inWord := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !inWord || small && unicode.IsUpper(r) {
			end()
		}
		if inWord {
			word.WriteRune(r)
		}
		if inWord || r == '_' {
			name.WriteRune(r)
		} else {
			whole()
		}
		small = unicode.IsLower(r)
	}
	end()
	whole()
	return all
}

// stem takes off the ending of a plural or of a form of a verb.
func stem(word string) string {
	if root := irregular(word); root != "" {
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

// irregular is the root of a form of a verb that no rule finds; empty: it is none of those that people ask with.
func irregular(word string) string {
	switch word {
	case "bought":
		return "buy"
	case "broke", "broken":
		return "break"
	case "built":
		return "build"
	case "chose", "chosen":
		return "choose"
	case "drew", "drawn":
		return "draw"
	case "grew", "grown":
		return "grow"
	case "held":
		return "hold"
	case "kept":
		return "keep"
	case "lent":
		return "lend"
	case "lost":
		return "lose"
	case "paid":
		return "pay"
	case "ran":
		return "run"
	case "sent":
		return "send"
	case "sold":
		return "sell"
	case "spent":
		return "spend"
	case "taught":
		return "teach"
	case "threw", "thrown":
		return "throw"
	case "won":
		return "win"
	case "wrote", "written":
		return "write"
	}
	return ""
}

// american spells the root of a word as Americans do: code says "color" whatever its readers say.
func american(root string) string {
	for _, spelling := range [][2]string{{"our", "or"}, {"is", "iz"}, {"isation", "ization"}, {"tr", "ter"}, {"ogu", "og"}} {
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
