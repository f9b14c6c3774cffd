package intent

import (
	"regexp"
	"strings"
	"sync"
)

var (
	here    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(` + hereWords + `)\b`) })
	general = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(` + generalWords + `)\b`) })
	small   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(` + smallTalk + `)\b`) })
	tongue  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(` + english + `)\b`) })
)

// How much of what a message tells a file must have for the message to be about files: little where it speaks of them, much where it does not.
const (
	fewWords  = 0.2
	manyWords = 0.75
)

// IsTalk reports whether a message needs nothing of the folder that its writer works in. named says that it names a file; covers is the part
// of what its words tell that some file there has, from 0 to 1. When in doubt it is no talk.
func IsTalk(message string, named bool, covers float64) bool {
	plain := strings.ToLower(withoutCode(message))
	switch {
	case named, pathLike().MatchString(message), !tongue().MatchString(plain) && !isAsideOf(plain):
		return false
	case isAsideOf(plain):
		return true
	case Of(message) == Change, here().MatchString(plain):
		return false
	case large().MatchString(plain): // a tool computes it better
		return false
	case sums().MatchString(plain) && (Of(message) == Question || strings.Contains(plain, "how m")):
		return covers < manyWords
	case general().MatchString(plain), ownCode(message):
		return covers < manyWords
	case Of(message) == Question:
		return covers < fewWords
	}
	return covers < fewWords && small().MatchString(plain) && len(strings.Fields(plain)) <= 10
}

// asides are requests for a text that is only to be read.
var asides = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(please |hey |hi |can you |could you )*(translate|spell|pronounce|define)\b|\b(in general|generally|not ours|(here|only|just) in (the|this|your) (chat|answer|reply))\b|` +
		`\b(haiku|poem|limerick|joke|synonym|(mail|email|letter) to)\b`)
})

func isAsideOf(plain string) bool { return asides().MatchString(plain) }

// sums are questions that bring their numbers.
var sums = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[^\w./-])\d+(\.\d+)?([^\w./-]|$).*[^\w./-]\d+(\.\d+)?([^\w./-]|$)|how (many|much) [\w ]{1,20} (are|is|make) \d|^\d+(\.\d+)? \w+ (in|to) \w+`)
})

// large finds two numbers of three digits or more.
var large = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b\d{3,}\b.*\b\d{3,}\b`) })

// pathLike finds what may be the path of a file, also of one that is not there, and links.
var pathLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(^|[\\s`\"'(])([\\w.-]+/)*[\\w-]+\\.[a-zA-Z]\\w{0,4}($|[\\s`\"'?,:;.)])|\\]\\(")
})

var codeLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?m)^```|^(    |\t)\\S|[;{}]\\s*$|=>|:=|::") })

// ownCode reports whether a message brings the code that it is about.
func ownCode(message string) bool { return codeLines().MatchString(message) }
