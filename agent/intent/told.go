package intent

import (
	"regexp"
	"strings"
	"sync"
)

// participles are what was done to a text.
const participles = `added|appended|inserted|put|written|created|made|set|changed|updated|edited|modified|replaced|renamed|moved|deleted|removed|dropped|fixed|corrected|repaired|implemented|refactored|rewritten|` +
	`converted|increased|decreased|raised|lowered|sorted|cleaned|split|merged|copied|extracted|commented|uncommented|documented|enabled|disabled|extended|switched|reverted|restored|saved|applied|noted|recorded|marked|swapped|shortened`

var told = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(has|have) (now |just |already |successfully )?been (now |successfully )?(` + participles + `)\b|` +
		`\bi('ve| have) (now |just |successfully )?(` + participles + `)\b|` +
		`\b(will|should|must) (now )?be (` + participles + `)\b|\bi('ll| will)( now)? (` + strings.Join(changeVerbs, "|") + `)\b`)
})

// TellsOfChange reports whether a reply tells of a change that was or will be made, as in "the line has been removed". Code in it says nothing.
func TellsOfChange(reply string) bool {
	return told().MatchString(strings.ToLower(withoutCode(strings.ReplaceAll(reply, "’", "'"))))
}

var asksWhere = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(where|files?|folders?|director(y|ies)|paths?|scripts?|modules?|documents?|pages?)\b`)
})

// AsksWhere reports whether a question may be answered by the name of a file.
func AsksWhere(message string) bool { return asksWhere().MatchString(strings.ToLower(message)) }
