package formats

import (
	"regexp"
	"slices"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
)

// resultTag is what may enclose a result.
var resultTag = regexp.MustCompile(`<[^\s<>]+>|\[/?[A-Z_]+\]`)

// ResultMarks are the tags in which a format encloses a result: a result that holds them must not seem to end, or to
// begin.
func ResultMarks(f toolcall.Format) []string {
	req := f.Request("", []toolcall.Turn{{Role: model.RoleTool, Name: "x", CallID: "x"}}, nil, toolcall.Hints{})
	var marks []string
	for _, m := range req.Messages {
		marks = append(marks, resultTag.FindAllString(m.Text, -1)...)
	}
	return marks
}

// OwnMarks are the markers that a model is to write in a format: of its calls, its thoughts and its channels.
func OwnMarks(f toolcall.Format) []string {
	g := grammarOf(f)
	if g == nil {
		return nil
	}
	var marks []string
	for _, b := range g.Blocks {
		marks = slices.Concat(marks, b.Open, b.Closers)
	}
	for _, t := range g.Thoughts {
		marks = slices.Concat(marks, t.Open, t.Close)
	}
	ends := grammar.EndMarkers()
	for _, m := range slices.Concat(g.Noise, g.Sections) {
		if !slices.Contains(ends, m) {
			marks = append(marks, m)
		}
	}
	return marks
}
