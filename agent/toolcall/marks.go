package toolcall

import (
	"regexp"
	"slices"

	"github.com/assent-ls/assent/agent/model"
)

// resultTag is what may enclose a result.
var resultTag = regexp.MustCompile(`<[^\s<>]+>|\[/?[A-Z_]+\]`)

// ResultMarks are the tags in which a format encloses a result: a result that holds them must not seem to end, or to begin.
func ResultMarks(f Format) []string {
	req := f.Request("", []Turn{{Role: model.RoleTool, Name: "x", CallID: "x"}}, nil, Hints{})
	var marks []string
	for _, m := range req.Messages {
		marks = append(marks, resultTag.FindAllString(m.Text, -1)...)
	}
	return marks
}

// OwnMarks are the markers that a model is to write in a format: of its calls, its thoughts and its channels.
func OwnMarks(f Format) []string {
	g := grammarOf(f)
	if g == nil {
		return nil
	}
	var marks []string
	for _, b := range g.blocks {
		marks = slices.Concat(marks, b.open, b.closers)
	}
	for _, t := range g.thoughts {
		marks = slices.Concat(marks, t.open, t.close)
	}
	ends := endMarkers()
	for _, m := range slices.Concat(g.noise, g.sections) {
		if !slices.Contains(ends, m) {
			marks = append(marks, m)
		}
	}
	return marks
}
