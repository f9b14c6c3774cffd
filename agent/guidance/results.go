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

// hasRead reports whether a file is attached to the last message, or was read since.
func (g *Guide) hasRead(path string) bool {
	return g.isAttached(path) || slices.ContainsFunc(g.results(), func(r result) bool { return g.shows(r) == path })
}

// isAttached reports whether a file is attached whole to the last message.
func (g *Guide) isAttached(path string) bool {
	asked := g.lastMessage()
	return asked >= 0 && slices.Contains(g.Turns[asked].Whole, path)
}

// showsFile reports whether a tool shows a file.
func (g *Guide) showsFile(name string) bool {
	spec, _ := g.spec(name)
	return spec.ShowsFile != ""
}

// shows is the file that a call read; empty: it read none.
func (g *Guide) shows(r result) string {
	path, _ := g.reading(r)
	return path
}

// showsWhole is the file that a call read without saying which part of it; empty: it read none, or said so.
func (g *Guide) showsWhole(r result) string {
	if path, arguments := g.reading(r); arguments == 1 {
		return path
	}
	return ""
}

// reading is the file that a call read, and how many arguments it has.
func (g *Guide) reading(r result) (path string, arguments int) {
	spec, _ := g.spec(r.Name)
	var values map[string]any
	if spec.ShowsFile == "" || json.Unmarshal(r.call.Arguments, &values) != nil {
		return "", 0
	}
	path, _ = values[spec.ShowsFile].(string)
	return path, len(values)
}
