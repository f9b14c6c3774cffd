package attach

import (
	"fmt"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
)

// WriteMention writes the mention of some lines of a file, which count from 1; with first 0 it mentions the file. The
// error is a sentence.
func WriteMention(rel string, first, last int) (string, error) {
	lines := ""
	switch {
	case first > 0 && first == last:
		lines = fmt.Sprintf(":%d", first)
	case first > 0:
		lines = fmt.Sprintf(":%d-%d", first, last)
	}
	for _, name := range []string{rel, `"` + rel + `"`} {
		written := "@" + name + lines
		found := FindMentions(written)
		if len(found) != 1 || found[0].Kind != PathMention || found[0].Span.End != len(written) ||
			strings.ContainsAny(rel, "\r\n`") {
			continue
		}
		if m := found[0]; m.Name == rel && !m.Plain && m.Ranged == (first > 0) {
			return written, nil
		}
	}
	return "", fmt.Errorf(
		"%s has a name that cannot be written as a mention: copy the lines into a chat", visible.Line(rel),
	)
}
