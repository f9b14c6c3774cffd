package tools

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/excerpt"
)

// filesIn lists the files of which the result of a search shows lines ("PATH:LINE: text"), each once, in its order.
func filesIn(result string) []string {
	var files []string
	for line := range strings.Lines(Unfence(result)) {
		if file, _, ok := strings.Cut(line, ":"); ok && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return files
}

// Shows says what the result of a tool shows, as far as that is more than text: the files of which a search shows
// lines, the tools that a search of tools describes, and whether of a file only a part is shown.
func Shows(s Spec, result string) (files, found []string, part bool) {
	switch {
	case s.Finds:
		return nil, FoundIn(result), false
	case s.Argument(SearchedText) != "":
		return filesIn(result), nil, false
	}
	return nil, nil, s.ShowsFile != "" && excerpt.IsPart(result)
}
