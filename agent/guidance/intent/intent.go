// Package intent guesses what a message wants of an assistant, as far as its words tell: whether files are to change,
// or something is only asked. It knows English, and of that too little: a request for a change is often taken for a
// question. So no tool may be taken from a model for what is guessed here, but only where [Forbids] finds that the user
// forbade changes.
package intent

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// Intent is what a message wants.
type Intent int

// The intents.
const (
	Unclear  Intent = iota
	Question        // something is asked or to be told, and no file is to change
	Change          // files are to change
)

// String is the intent in a word.
func (i Intent) String() string { return [...]string{"unclear", "question", "change"}[i] }

// maxMessage is how many bytes of a message are read.
const maxMessage = 4_000

// Of says what a message wants. Code in it says nothing.
func Of(message string) Intent {
	if len(message) > maxMessage {
		return Unclear
	}
	plain := strings.ToLower(withoutCode(message))
	if noChange().MatchString(plain) {
		return Question
	}
	all := sentences(plain)
	wants := Unclear
	for _, sentence := range all {
		switch ofSentence(sentence) {
		case Change:
			return Change
		case Question:
			wants = Question
		case Unclear:
		}
	}
	if len(all) == 0 || !slices.ContainsFunc(all, statement().MatchString) {
		return wants
	}
	// Who says how something should be wants it so, unless a question follows.
	if last := all[len(all)-1]; ofSentence(last) == Question && !strings.HasSuffix(last, ".") {
		return Question
	}
	return Change
}

// noChange finds that a message forbids changes, or asks in general.
var noChange = lazyregexp.New(
	`\b(without changing|no changes?|change nothing|(don't|dont|do not) (change|touch|edit|modify|write|save|do)|only (show|tell|explain)|just (show|tell|explain)|` +
		`no need to save|in general|generally|nothing (must|should|shall|may|is to) be \w+)\b`,
)

var code = lazyregexp.New("(?s)```.*?(```|$)|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”")

// withoutCode is a message without what is only quoted in it. A name takes the place of what was there.
func withoutCode(message string) string { return code().ReplaceAllString(message, " it ") }

var ends = lazyregexp.New(`[.!?;:]+(\s+|$)|\n+`)

// sentences splits a text. The mark that ends a sentence stays with it.
func sentences(text string) []string {
	var all []string
	for len(text) > 0 {
		end := len(text)
		if at := ends().FindStringIndex(text); at != nil {
			end = at[1]
		}
		if s := strings.TrimSpace(text[:end]); s != "" {
			all = append(all, s)
		}
		text = text[end:]
	}
	return all
}

// ofSentence says what one sentence wants, in lower case.
func ofSentence(sentence string) Intent {
	asked := strings.HasSuffix(sentence, "?")
	words := strings.FieldsFunc(sentence, isBetweenWords)
	words, polite := afterPoliteness(words)
	if len(words) == 0 {
		return Unclear
	}
	first := words[0]
	switch {
	case slices.Contains(changeVerbs, first) && !isShown(words) && !isNoun(words):
		return Change
	case polite && !slices.Contains(tellVerbs, first): // by a verb that is not known
		return Unclear
	case first == "do" && !asked && len(words) > 1 && !slices.Contains(subjects, words[1]): // as in "do it"
		return Unclear
	case slices.Contains(questionWords, first):
		return Question
	case clause().MatchString(sentence):
		return Change
	case slices.Contains(tellVerbs, first):
		return Question
	case asked:
		return Question
	}
	return Unclear
}

func isBetweenWords(r rune) bool { return strings.ContainsRune(" \t,.!?;:()*", r) }

// afterPoliteness takes off what people say before they come to the point; polite says that it was a request in the
// form of a question.
func afterPoliteness(words []string) (rest []string, polite bool) {
	for len(words) > 0 {
		n := min(4, len(words))
		for n > 1 && !slices.Contains(requests, strings.Join(words[:n], " ")) {
			n--
		}
		if n == 1 && !slices.Contains(fillers, words[0]) {
			break
		}
		words, polite = words[n:], polite || n > 1
	}
	return words, polite
}

// isShown reports whether what a verb asks for is a text to be read, as in "write a haiku".
func isShown(words []string) bool {
	if !slices.Contains(writeVerbs, words[0]) {
		return false
	}
	return slices.ContainsFunc(
		words[1:min(len(words), 9)], func(w string) bool { return slices.Contains(shownThings, w) },
	)
}

// isNoun reports whether a verb at the beginning is a noun, as in "changes are …".
func isNoun(words []string) bool {
	return len(words) > 1 && slices.Contains([]string{"is", "are", "was", "of"}, words[1])
}

// clause finds a change that is asked for behind something else, as in "find the mistake and correct it".
var clause = lazyregexp.New(`(,|\b(and|so|then)\b) ((please|then|just|also|so|can you|could you|would you) )*((` +
	strings.Join(changeVerbs, "|") +
	`) (it|them|that|this|those|these|the|all|both|a|an|one|him|her|his|their|its|my|our)\b|` + takes + `|` +
	notes + `)`)

// statement finds that something is to be otherwise than it is.
var statement = lazyregexp.New(
	`\b(should|shall|must|has to|have to|needs?( to)?|ought to)\b|\b(is|are) (missing|wrong|outdated|obsolete|leftovers?|unused)\b|` +
		`\bno longer (needed|used)\b|\bnobody needs\b|\bnot needed\b|\bcan go\b|\bhas no\b|\binstead of\b|\bi want\b|\bi'd like\b|` +
		`\b(` + strings.Join(
		changeVerbs, "|",
	) + `) (it|them|both|that|this|all)\b|\bwould be (better|nicer|clearer|enough)\b|^((please|can you|could you) )*(` + takes + `|` + notes + `)`,
)

// What is asked for with verbs that mean something else by themselves.
const (
	takes = `\b(take|strike|cross|leave) (\w+ ){1,4}(off|out|away)\b`
	notes = `\b(note|write|put|enter|record|register) (it|this|that|them|him|her|so) (in|into|down|on|onto|at|under|there)\b`
)
