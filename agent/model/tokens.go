package model

import (
	"unicode"
	"unicode/utf8"
)

// What the parts of a prompt take besides their text, in tokens: no server tells, and what a model's chat template adds differs.
const (
	messageTokens = 4
	imageTokens   = 400 // models take from 64 to 1600 for one
)

// RoughTokens says about how many tokens a text takes, without knowing the model: a word takes one for six letters, a digit and
// a sign one each, a run of blanks one, and a character of a script without blanks one. A [Meter] makes it fit a model.
func RoughTokens(text string) int { return int(rough(text) + 0.5) }

// rough adds up the classes of characters. It is on the way of every request, so it looks at each character once.
func rough(text string) float64 {
	var total float64
	letters, blanks := 0, 0
	flush := func() {
		if letters > 0 {
			total += float64((letters + 5) / 6)
		}
		if blanks > 1 { // one blank belongs to the word behind it
			total++
		}
		letters, blanks = 0, 0
	}
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			flush()
			total += roughRune(r)
			i += size
			continue
		}
		i++
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			if blanks > 0 {
				flush()
			}
			letters++
		case c == ' ' || c == '\t':
			if letters > 0 {
				flush()
			}
			blanks++
		case c == '\n':
			flush()
			total++
		case c >= '0' && c <= '9':
			flush()
			total++
		default:
			flush()
			total += 0.8
		}
	}
	flush()
	return total
}

// roughRune is for what is not ASCII: letters with accents are cheap, signs of other scripts and symbols are not.
func roughRune(r rune) float64 {
	switch {
	case r < 0x250:
		return 0.5
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return 0.9
	case unicode.IsLetter(r), unicode.IsMark(r):
		return 0.6
	case r == utf8.RuneError, r > 0xFFFF:
		return 2.5
	default:
		return 1
	}
}

// tokens is about what a message takes.
func (m Message) tokens() float64 {
	total := messageTokens + rough(m.Text) + float64(len(m.Images)*imageTokens)
	for _, call := range m.Calls {
		total += messageTokens + rough(call.Name) + rough(string(call.Arguments))
	}
	return total
}

// tokens is about what the definition of a tool takes.
func (t Tool) tokens() float64 {
	return messageTokens + rough(t.Name) + rough(t.Description) + rough(string(t.Parameters))
}
