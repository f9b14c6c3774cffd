package intent

import (
	"slices"
	"strings"
)

// Asks reports whether a message is a question by its form, and asks for nothing to be done: each sentence that wants
// something begins like an English question that is no request in disguise ("can it …?", "why not …?"), or wants the
// writer to be told. It is stricter than [Question].
func Asks(message string) bool {
	plain := strings.ToLower(withoutCode(message))
	if Of(message) != Question || !tongue().MatchString(plain) {
		return false
	}
	asks := false
	for _, sentence := range sentences(plain) {
		if ofSentence(sentence) != Question {
			continue
		}
		if !isAsked(sentence) {
			return false
		}
		asks = true
	}
	return asks
}

// isAsked reports whether a sentence begins like a question, or like a request to tell somebody something.
func isAsked(sentence string) bool {
	words, _ := afterPoliteness(strings.FieldsFunc(sentence, isBetweenWords))
	if len(words) == 0 {
		return false
	}
	second := ""
	if len(words) > 1 {
		second = words[1]
	}
	switch first := words[0]; {
	case slices.Contains(modalWords, first), second == "not", second == "about", second == "if": // as in "why not", "how about", "what if"
		return false
	case slices.Contains(tellVerbs, first):
		return second == "me" || second == "us" || strings.HasSuffix(sentence, "?")
	case slices.Contains(prepositions, first): // as in "until when"
		return slices.Contains(questionWords, second) && !slices.Contains(modalWords, second)
	}
	return slices.Contains(questionWords, words[0])
}
