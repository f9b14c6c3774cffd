//go:build linux

package changes

// ApplyBy is Apply that asks before each step whether it goes on.
func ApplyBy(l *Layer, list []Change, next func() error) (Report, error) { return apply(l, list, next) }
