package relevant

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/tools/workspace"
)

// A file that is too long to be brought may have the answer to a question in a few of its lines.
const (
	minPassage  = 8  // lines, where blank lines would make shorter ones
	maxPassage  = 40 // lines
	maxPassages = 2  // that are brought for a question
)

// passage is some lines of a text: from first on, before last, which count from 0.
type passage struct{ first, last int }

// passages splits a text at blank lines behind which something begins at the margin.
func passages(lines []string) []passage {
	var all []passage
	first := 0
	for i := range lines {
		begins := i > 0 && strings.TrimSpace(lines[i-1]) == "" && strings.TrimSpace(lines[i]) != "" &&
			strings.TrimLeft(lines[i], " \t") == lines[i]
		if n := i - first; n >= maxPassage || n >= minPassage && begins {
			all = append(all, passage{first, i})
			first = i
		}
	}
	if first < len(lines) {
		all = append(all, passage{first, len(lines)})
	}
	return all
}

// bestPassage finds the lines of a text that have most of a message's words, but for those before a line; ok is false
// if none has any.
func bestPassage(text, message string, from int) (best passage, ok bool) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	all := passages(lines)
	var index ranking.Index
	for _, p := range all {
		index.Add(ranking.Field{Text: strings.Join(lines[p.first:p.last], "\n"), Weight: 1})
	}
	for _, found := range index.Rank(message, len(all)) {
		if best = all[found.Place]; best.last > from {
			return best, true
		}
	}
	return passage{}, false
}

// passageOf names the lines of a long file that have most of a message's words, as a mention does. from is how many
// bytes of it are shown anyhow. Empty: there are none.
func passageOf(ctx context.Context, ws *workspace.Workspace, path, message string, from int) string {
	p, err := ws.Resolve(path)
	if err != nil {
		return ""
	}
	text, _, err := rankedText(ctx, ws, p)
	if err != nil || len(text) <= from {
		return ""
	}
	best, ok := bestPassage(text, message, strings.Count(text[:from], "\n"))
	if !ok {
		return ""
	}
	mention := fmt.Sprintf("%s:%d-%d", path, best.first+1, best.last)
	// Of an odd name a mention may mean another file, which nobody judged.
	if m, _ := attach.ParseMention(mention); m.Kind != attach.PathMention || m.Name != path {
		return ""
	}
	if other, err := ws.Resolve(mention); err != nil || other.Exists {
		return ""
	}
	return mention
}
