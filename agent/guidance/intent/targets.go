package intent

import (
	"path"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// aside finds, at the end of what is before a file's name, that it is only where something is to be looked up.
var aside = lazyregexp.New(
	`\b(like|as|from|see|with|per|than|by|via|using|because|according to|compared? to|similar to|(as|like|is|are|stands?|says?|found|defined|described|listed|written|used) (in|at|of|by))( the| our)?( file)?[\s"'` +
		"`" + `(]*$`,
)

// Targets are those of the files that a message names which it wants changed, as far as its words tell: not what it
// only refers to.
func Targets(message string, files []string) []string {
	if Of(message) != Change {
		return nil
	}
	plain := strings.ToLower(message)
	var targets []string
	for _, file := range files {
		at := strings.Index(plain, strings.ToLower(file))
		if at < 0 {
			at = strings.Index(plain, strings.ToLower(path.Base(file)))
		}
		if at >= 0 && !aside().MatchString(plain[:at]) && !slices.Contains(targets, file) {
			targets = append(targets, file)
		}
	}
	return targets
}

// Shortens reports whether a message wants something taken out of a file or put otherwise, so that lines may be gone
// afterwards.
func Shortens(message string) bool { return shortens().MatchString(strings.ToLower(message)) }

var shortens = lazyregexp.New(
	`\b(remov|delet|drop|replac|instead|rewrit|short|clean|merg|simplif|strip|empty|clear|throw|get rid|without|cut|refactor|extract|move|convert|translat|fix|correct|mend|repair|fail|wrong|mistake|bug|no longer|only|turn)`,
)

// Computes reports whether an answer to a message may need a sum: it has a number, or asks for one.
func Computes(message string) bool { return computes().MatchString(strings.ToLower(message)) }

var computes = lazyregexp.New(
	`\d|\b(how (many|much|long|old|far|often)|sum|total|altogether|together|average|mean|median|percent|percentage|ratio|difference|times|twice|half|double|more|less|longer|cost|costs|count|number|add|plus|minus|divided|multiplied|calculate|compute)\b|%`,
)
