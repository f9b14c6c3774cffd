package intent

import (
	"strings"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

var (
	here    = lazyregexp.New(`\b(` + hereWords + `)\b`)
	general = lazyregexp.New(`\b(` + generalWords + `)\b`)
	small   = lazyregexp.New(`\b(` + smallTalk + `)\b`)
	tongue  = lazyregexp.New(`\b(` + english + `)\b`)
)

// How much of what a message tells a file must have for the message to be about files: little where it speaks of them,
// much where it does not.
const (
	fewWords  = 0.2
	someWords = 0.35
	manyWords = 0.75
)

// toldWords is how many words a message has at least that wants nothing clear and is about nothing in the folder: a
// shorter one may go on with what was said before.
const toldWords = 8

// IsTalk reports whether a message needs nothing of the folder that its writer works in. named says that it names a
// file; covers is the part of what its words tell that some file there has, from 0 to 1. When in doubt it is no talk.
func IsTalk(message string, named bool, covers float64) bool {
	plain := strings.ToLower(withoutCode(message))
	switch {
	case named, pathLike().MatchString(message), !tongue().MatchString(plain) && !isAsideOf(plain):
		return false
	case isAsideOf(plain):
		return true
	case Of(message) == Change, here().MatchString(anyOne().ReplaceAllString(plain, "")):
		return false
	case large().MatchString(plain): // a tool computes it better
		return false
	case conversions().MatchString(plain):
		return covers < manyWords
	case sums().MatchString(plain) && (Of(message) == Question || strings.Contains(plain, "how m")):
		return covers < manyWords
	case general().MatchString(plain), codeLines().MatchString(message):
		return covers < manyWords
	case Of(message) == Question && ofTheWorld().MatchString(plain):
		return covers < someWords
	case Of(message) == Question, len(strings.Fields(plain)) >= toldWords && !certain().MatchString(plain):
		return covers < fewWords
	}
	return covers < fewWords && small().MatchString(plain) && len(strings.Fields(plain)) <= 10
}

// GoesOn reports whether a message only goes on with what was said before it: it names nothing of the folder.
func GoesOn(message string, named bool) bool {
	plain := strings.ToLower(withoutCode(message))
	return !named && len(strings.Fields(plain)) <= 12 && goesOn().MatchString(plain) && Of(message) != Change &&
		!here().MatchString(plain) && !pathLike().MatchString(message)
}

var goesOn = lazyregexp.New(
	`^(ok(ay)?,? )?(and|so|but|then|or|what about|how about|what if|which of (them|these|those)|why|really)\b`,
)

// asides are requests for a text that is only to be read.
var asides = lazyregexp.New(
	`^(please |hey |hi |can you |could you )*(translate|spell|pronounce|define)\b|\b(in general|generally|not ours|(here|only|just) in (the|this|your) (chat|answer|reply))\b|` +
		`\b(haiku|poem|limerick|joke|synonym|(mail|email|letter) to|(sentence|slogan|headline|caption|toast|greeting)s? (for|about|to))\b`,
)

func isAsideOf(plain string) bool { return asides().MatchString(plain) }

// anyOne finds what is spoken of as one of its kind: "a long file" is none of the folder's.
var anyOne = lazyregexp.New(`\b(a|an) (\w+ ){0,2}(` + kinds + `)\b`)

// ofTheWorld finds questions about things of a kind, about the past, and how one does something.
var ofTheWorld = lazyregexp.New(
	`\b(does|do|is|are|has|have|can|should) (a|an|one)\b|\bhow (do|can|could|should|would) (i|you|one|people)\b|\b(who|when|where) (was|were|is|did)? ?(first )?(invented|discovered|wrote|built|founded|won|born|painted|composed)\b|` +
		`\b(normall?y|in the world|on earth)\b`,
)

// certain finds what is spoken of as something that both know, as in "the catalogue", but for "the largest".
var certain = lazyregexp.New(`\b(the|this|these|those) (\w{1,3}|\w+([^t\W]|[^s\W]t|[^e\W]st))\b`)

// sums are questions that bring their numbers.
var sums = lazyregexp.New(
	`(^|[^\w./-])\d+(\.\d+)?([^\w./-]|$).*[^\w./-]\d+(\.\d+)?([^\w./-]|$)|how (many|much) [\w ]{1,20} (are|is|make|in|has|have|are in) (\d|an?\b|one\b)`,
)

// conversions want a measure in another unit.
var conversions = lazyregexp.New(`(^|\b(is|are|convert) )\d+(\.\d+)? ?(` + units + `) (in|to|as) (` + units + `)\b`)

// large finds two numbers of three digits or more.
var large = lazyregexp.New(`\b\d{3,}\b.*\b\d{3,}\b`)

// pathLike finds what may be the path of a file, also of one that is not there, and links.
var pathLike = lazyregexp.New("(^|[\\s`\"'(])([\\w.-]+/)*[\\w-]+\\.[a-zA-Z]\\w{0,4}($|[\\s`\"'?,:;.)])|\\]\\(")

// codeLines finds the code that a message brings.
var codeLines = lazyregexp.New("(?m)^```|^(    |\t)\\S|[;{}]\\s*$|=>|:=|::")
