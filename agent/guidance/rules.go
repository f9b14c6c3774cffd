package guidance

import "slices"

// The families of rules that an evaluation can leave out, to find out whether each still wins tasks.
const (
	ruleAnswers  = "answers"  // the answer to a question is asked for separately
	ruleExternal = "external" // tools of others are described with a message that has their words
	ruleFollow   = "follow"   // a file that a search found is read
	ruleGrounded = "grounded" // arguments that nobody said are left out
	rulePlace    = "place"    // arguments are limited to what exists
	ruleRelevant = "relevant" // files that a message is about are attached
	ruleSuited   = "suited"   // tools are described with messages that bring them
	ruleTexts    = "texts"    // texts of files are asked for separately
)

// Rules lists the families of rules.
func Rules() []string {
	return []string{
		ruleAnswers, ruleExternal, ruleFollow, ruleGrounded, rulePlace, ruleRelevant, ruleSuited, ruleTexts,
	}
}

// without reports whether a family of rules is left out.
func (s Source) without(rule string) bool { return slices.Contains(s.Without, rule) }

// applied is the source without what rules that are left out would use.
func (s Source) applied() Source {
	if s.without(rulePlace) {
		s.Place = nil
	}
	if s.without(ruleRelevant) {
		s.About = nil
	}
	if s.without(ruleTexts) {
		s.Show = nil
	}
	return s
}
