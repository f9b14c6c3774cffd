package intent

import (
	"regexp"
	"strings"
	"sync"
)

var (
	testsFail = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\btest(s|ed|ing)?\b|\btest_\w+|\w+_test\b|\.test\.|\bspec\b`)
	})
	failing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(fail(s|ed|ing|ure)?|breaks?|broken|red|errors?|\w*error|exception|wrong|fix|according to|mistake|bug|pass|green|expects?|complains?)\b`)
	})
	testItself = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(add|write|create|new|another|more|missing|update|change|edit|rename|delete|remove|correct|adapt|skip|extend)( \w+){0,2} tests?\b|\btests? (is|are) (wrong|outdated|missing)|(^|\b(a|an|new|more|some|unit|missing) )tests? for\b`)
	})
)

// MendsCode reports whether a message wants code to be mended because a test fails: then the test is not what should change.
func MendsCode(message string) bool {
	plain := strings.ToLower(message)
	return Of(message) != Question && testsFail().MatchString(plain) && failing().MatchString(plain) && !testItself().MatchString(plain)
}
