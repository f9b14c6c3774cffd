package model

import (
	"unicode"
	"unicode/utf8"
)

// What the parts of a prompt take besides their text, in tokens: no server tells, and what a model's chat template adds
// differs.
const (
	messageTokens = 4
	imageTokens   = 400 // models take from 64 to 1600 for one
)

// What the parts of a text take, in tokens: fitted to texts in a dozen languages and as many kinds of files, as the
// tokenizers of today's models count them. They take a word with the blank before it, a run of signs with the line end
// behind it.
const (
	wordTokens   = 0.8  // a word of up to four letters, or a part of one that begins with a capital
	middleTokens = 0.28 // each letter from the fifth to the eighth
	endTokens    = 0.55 // each letter from the ninth on
	accentTokens = 0.55 // a letter with an accent, besides
	digitTokens  = 1.1  // a digit, and a blank before one
	lineTokens   = 1.1  // line ends in a row
	indentTokens = 1.6  // blanks in a row
	signTokens   = 0.5  // the first sign in a row
	signsTokens  = 0.35 // each sign behind it
	ruleTokens   = 0.1  // each sign behind the same one
)

// RoughTokens says about how many tokens a text takes, without knowing the model. A [Meter] makes it fit a model.
func RoughTokens(text string) int { return int(rough(text) + 0.5) }

// rough adds up the parts. It is on the way of every request, so it looks at each character once.
func rough(text string) float64 {
	var s sizer
	for _, c := range text {
		s.next(c)
	}
	return s.total
}

// sizer sizes a text, character by character.
type sizer struct {
	total  float64
	class  class
	length int  // of the run of this class
	last   rune // of the run
}

// class is what a character is to a tokenizer.
type class int

const (
	start class = iota
	word
	blank
	line
	digit
	sign
	foreign // a letter of an alphabet that is not the Latin one
	block   // a character of a script without blanks
	rare
)

func classOf(c rune) class {
	switch {
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return word
	case c == ' ' || c == '\t':
		return blank
	case c == '\n' || c == '\r':
		return line
	case c >= '0' && c <= '9':
		return digit
	case c < utf8.RuneSelf:
		return sign
	case c >= 0xC0 && c < 0x250 || c >= 0x1E00 && c < 0x1F00:
		return word
	case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return block
	case unicode.IsLetter(c), unicode.IsMark(c):
		return foreign
	default:
		return rare
	}
}

// next takes a character.
func (s *sizer) next(c rune) {
	to := classOf(c)
	before, length, last := s.class, s.length, s.last
	s.length++
	if to != before || to == word && c >= 'A' && c <= 'Z' && last >= 'a' && last <= 'z' {
		s.length = 1
	}
	s.class, s.last = to, c
	if before == blank && to != blank && to != line {
		switch {
		case length > 1:
			s.total += indentTokens
		case to == digit:
			s.total += digitTokens
		}
	}
	s.total += s.cost(c, before, last)
}

// cost is what a character adds.
func (s *sizer) cost(c rune, before class, last rune) float64 {
	switch s.class {
	case word:
		return s.letter(c)
	case line:
		if s.length == 1 && before != sign {
			return lineTokens
		}
	case digit:
		return digitTokens
	case sign:
		switch {
		case s.length == 1:
			return signTokens
		case c == last && s.length > 3:
			return ruleTokens
		}
		return signsTokens
	case foreign:
		return s.foreignLetter(c)
	case block:
		if unicode.Is(unicode.Hangul, c) {
			return 0.85
		}
		return 0.62
	case rare:
		if c > 0xFFFF || c == utf8.RuneError {
			return 2.4
		}
		return 1
	case start, blank:
	}
	return 0
}

func (s *sizer) letter(c rune) (cost float64) {
	switch {
	case s.length == 1:
		cost = wordTokens
	case s.length > 8:
		cost = endTokens
	case s.length > 4:
		cost = middleTokens
	}
	if c >= utf8.RuneSelf {
		cost += accentTokens
	}
	return cost
}

func (s *sizer) foreignLetter(c rune) float64 {
	begins := 0.0
	if s.length == 1 {
		begins = 1
	}
	switch {
	case unicode.Is(unicode.Cyrillic, c):
		return begins + 0.2
	case unicode.Is(unicode.Greek, c):
		return begins + 0.8
	default:
		return begins + 0.6
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
