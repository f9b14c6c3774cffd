// Package lazyregexp compiles regular expressions when they are first needed, so that a start does not wait for them.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles an expression once. It panics at its first call if the expression is wrong, as
// [regexp.MustCompile] does.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
