package tasks

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// near requires that the answer gives a number for a name: the number comes soon after it, with no other name or number
// in its place, or in the same sentence before it, with no other name in front.
func near(name, number, other string) check {
	names, numbers := regexp.MustCompile("(?i)"+name), regexp.MustCompile("(?i)"+number)
	others := regexp.MustCompile("(?i)" + other)
	return func(_ context.Context, o Outcome) error {
		answer := plainAnswer(o.Answer)
		for _, first := range names.FindAllStringIndex(answer, -1) {
			for _, second := range numbers.FindAllStringIndex(answer, -1) {
				if second[0] < first[1]-1 || second[0]-first[1] > 150 {
					continue
				}
				between := answer[first[1]:max(first[1], second[0])]
				if !others.MatchString(between) && !othersPlace.MatchString(dates.ReplaceAllString(between, "")) {
					return nil
				}
			}
		}
		for _, sentence := range sentences(o.Answer) {
			if first := names.FindStringIndex(sentence); first != nil && numbers.MatchString(sentence[:first[0]]) &&
				!others.MatchString(sentence[:first[0]]) {
				return nil
			}
		}
		return fmt.Errorf("the answer does not give %q for %q: %s", number, name, Short(o.Answer))
	}
}

var (
	// dates are numbers that are no counts.
	dates = regexp.MustCompile(`(?i),? ?\b\d{4}-\d\d(-\d\d)?\b|\b(17(th)?( of)? june|june 17(th)?)\b|,? ?\b2026\b`)
	// othersPlace is a number where that of a name belongs.
	othersPlace = regexp.MustCompile(
		`(?i)^\W*((came|went|attended|was|is|had|has|with|averaged|an?|average|of|at|to|the)\W+)*\d`,
	)
)

// token is a name that an answer may have, with the pattern by which it is known.
type token struct{ name, pattern string }

func (t token) in(text string) bool { return regexp.MustCompile("(?i)" + t.pattern).MatchString(text) }

// tokens are names that are not parts of longer names.
func tokens(names string) []token {
	var all []token
	for name := range strings.FieldsSeq(names) {
		all = append(all, token{name, `(^|[^\w-])` + regexp.QuoteMeta(name) + `([^\w-]|$)`})
	}
	return all
}

var sentenceEnd = regexp.MustCompile(`([.!?;])\s+`)

// sentences are those of an answer, and its lines, without Markdown's marks of emphasis and code.
func sentences(answer string) []string {
	answer = strings.NewReplacer("**", "", "`", "", "’", "'").Replace(answer)
	return strings.Split(sentenceEnd.ReplaceAllString(answer, "$1\n"), "\n")
}

// lists is an answer that lists names: all that are wanted, and others only where it says that they are not meant. That
// is in a sentence, or below a heading, that matches aside and does not match but.
type lists struct {
	want, others []string
	aside, but   string
}

func (l lists) isAside(sentence string) bool {
	matches := func(p string) bool { return p != "" && regexp.MustCompile("(?i)"+p).MatchString(sentence) }
	return matches(l.aside) && !matches(l.but)
}

func (l lists) check() check {
	want, others := tokens(strings.Join(l.want, " ")), tokens(strings.Join(l.others, " "))
	return func(_ context.Context, o Outcome) error {
		missing := map[string]bool{}
		for _, t := range want {
			missing[t.name] = true
		}
		below := false
		for _, sentence := range sentences(o.Answer) {
			trimmed := strings.TrimSpace(sentence)
			aside := l.isAside(trimmed)
			if strings.HasSuffix(trimmed, ":") || strings.HasPrefix(trimmed, "#") {
				below = aside
			}
			if aside || below {
				continue
			}
			for _, t := range want {
				if t.in(trimmed) {
					delete(missing, t.name)
				}
			}
			for _, t := range others {
				if regexp.MustCompile(t.pattern).MatchString(trimmed) { // a variable's name may be a word, too
					return fmt.Errorf("the answer has %s: %s", t.name, Short(trimmed))
				}
			}
		}
		if len(missing) > 0 {
			return fmt.Errorf("the answer lacks %q: %s", slices.Sorted(maps.Keys(missing)), Short(o.Answer))
		}
		return nil
	}
}

// pairs is an answer that says which names belong together: in one line, or one of them in a heading of the other.
type pairs struct {
	left, right []token
	want        map[string]string // name on the left to the names on the right, with spaces between them
	aside       string            // matches sentences that do not count
}

func (p pairs) check() check {
	return func(_ context.Context, o Outcome) error {
		missing := map[[2]string]bool{}
		for left, right := range p.want {
			for name := range strings.FieldsSeq(right) {
				missing[[2]string{left, name}] = true
			}
		}
		right := maps.Clone(missing)
		for _, stated := range p.stated(o.Answer) {
			// where several are in one line with several, who belongs to whom cannot be told
			if !right[stated.pair] && !stated.vague {
				return fmt.Errorf("the answer has %q: %s", stated.pair, Short(o.Answer))
			}
			delete(missing, stated.pair)
		}
		if len(missing) > 0 {
			return fmt.Errorf("the answer lacks %q: %s", slices.Collect(maps.Keys(missing)), Short(o.Answer))
		}
		return nil
	}
}

type statedPair struct {
	pair  [2]string
	vague bool
}

// stated are the pairs in an answer.
func (p pairs) stated(answer string) []statedPair {
	var all []statedPair
	var overLeft, overRight []string // what the heading names: one of them is empty
	for _, sentence := range sentences(answer) {
		if p.aside != "" && regexp.MustCompile("(?i)"+p.aside).MatchString(sentence) {
			continue
		}
		left, right := namesIn(p.left, sentence), namesIn(p.right, sentence)
		switch {
		case len(left) > 0 && len(right) > 0:
		case len(left) > 0 && len(overRight) == 0:
			overLeft = left
		case len(left) > 0:
			right = overRight
		case len(right) > 0 && len(overLeft) == 0:
			overRight = right
		case len(right) > 0:
			left = overLeft
		}
		for _, l := range left {
			for _, r := range right {
				all = append(all, statedPair{[2]string{l, r}, len(left) > 1 && len(right) > 1})
			}
		}
	}
	return all
}

// namesIn are the names of the tokens in a text.
func namesIn(all []token, text string) []string {
	var names []string
	for _, t := range all {
		if t.in(text) {
			names = append(names, t.name)
		}
	}
	return names
}
