package intent

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// participles are what was done to a text.
const participles = `added|appended|inserted|put|written|created|made|set|changed|updated|edited|modified|replaced|renamed|moved|deleted|removed|dropped|fixed|corrected|repaired|implemented|refactored|rewritten|` +
	`converted|increased|decreased|raised|lowered|sorted|cleaned|split|merged|copied|extracted|commented|uncommented|documented|enabled|disabled|extended|switched|reverted|restored|saved|applied|noted|recorded|marked|swapped|shortened`

var told = sync.OnceValue(func() *regexp.Regexp {
	verbs := slices.DeleteFunc(slices.Clone(changeVerbs), func(verb string) bool { return slices.Contains(idle, verb) })
	return regexp.MustCompile(`\b(has|have) (now |just |already |successfully )?been (now |successfully )?(` + participles + `)\b|` +
		`\bi('ve| have) (now |just |successfully )?(` + participles + `)\b|` +
		`\b(will|should|must) (now )?be (` + participles + `)\b|\bi('ll| will)( now)? (` + strings.Join(
		verbs, "|",
	) + `)\b`)
})

// idle are verbs by which a reply tells what it says next.
var idle = []string{"go", "give", "get", "call"}

// Words of a sentence that tells of no change: in front of what was done, and behind it.
var (
	untold = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(no|not|none|nothing|never|neither|nor|without|cannot|if|unless|whether|when|once|after|until|before|what|which|how|why)\b|n't\b`)
	})
	notDone = sync.OnceValue(
		func() *regexp.Regexp { return regexp.MustCompile(`^ (no|not|none|nothing|neither|sure)\b`) },
	)
)

// TellsOfChange reports whether a reply tells of a change that was or will be made, as in "the line has been removed".
// Code in it says nothing, nor do questions, conditions and what was not done.
func TellsOfChange(reply string) bool {
	return slices.ContainsFunc(sentences(strings.ToLower(withoutCode(plainQuotes(reply)))), func(sentence string) bool {
		at := told().FindStringIndex(sentence)
		return at != nil && !strings.HasSuffix(sentence, "?") && !untold().MatchString(sentence[:at[0]]) &&
			!notDone().MatchString(sentence[at[1]:])
	})
}

var done = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`\b(i|we|you|they|he|she)('ve| have)? (just |already |now )?(` + participles + `)\b|\b(thanks|thank you)\b`,
	)
})

// SaysDone reports whether a message tells of a change that somebody made, so that a reply may tell of it, too.
func SaysDone(message string) bool {
	return done().MatchString(strings.ToLower(withoutCode(plainQuotes(message))))
}

func plainQuotes(text string) string { return strings.ReplaceAll(text, "’", "'") }

var asksWhere = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(where|files?|folders?|director(y|ies)|paths?|scripts?|modules?|documents?|pages?)\b`)
})

// AsksWhere reports whether a question may be answered by the name of a file.
func AsksWhere(message string) bool { return asksWhere().MatchString(strings.ToLower(message)) }
