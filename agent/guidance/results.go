package guidance

import (
	"encoding/json"
	"slices"

	"github.com/assent-ls/assent/agent/guidance/intent"
	"github.com/assent-ls/assent/agent/toolcall"
)

// follows reports whether the last result of a question is that of a search which found files that the model has not
// read: it would answer from the lines alone, or look elsewhere. Then one of them is to be read, once in a run.
func (g *Guide) follows(last toolcall.Turn) bool {
	if g.source.without(ruleFollow) || g.followed || g.wants.intent != intent.Question || last.Failed {
		return false
	}
	g.followed = slices.ContainsFunc(last.Facts.Files, func(path string) bool {
		return slices.Contains(g.files, path) && !g.hasRead(path)
	})
	return g.followed
}

// hasRead reports whether a file is attached whole to the last message, or was read since.
func (g *Guide) hasRead(path string) bool {
	if asked := g.lastMessage(); asked >= 0 && slices.Contains(g.Turns[asked].Whole, path) {
		return true
	}
	return slices.ContainsFunc(g.results(), func(r result) bool {
		read, _ := g.reading(r)
		return read == path
	})
}

// showsFile reports whether a tool shows a file.
func (g *Guide) showsFile(name string) bool {
	spec, _ := g.spec(name)
	return spec.ShowsFile != ""
}

// reading is the file that a call read; empty: it read none. whole: it did not say which part of it.
func (g *Guide) reading(r result) (path string, whole bool) {
	spec, _ := g.spec(r.Name)
	var arguments map[string]any
	if spec.ShowsFile == "" || json.Unmarshal(r.call.Arguments, &arguments) != nil {
		return "", false
	}
	path, _ = arguments[spec.ShowsFile].(string)
	return path, len(arguments) == 1
}
