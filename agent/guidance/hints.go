package guidance

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/assent-ls/assent/agent/guidance/intent"
	"github.com/assent-ls/assent/agent/guidance/schema"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
)

// Hint limits the next reply where a small model otherwise goes wrong (measured: cmd/eval/findings.md).
func (g *Guide) Hint(ctx context.Context, v View) toolcall.Hints {
	g.View = v
	g.retry = cmp.Or(v.Retry, g.retry)
	h := g.ofReply()
	h.AnswerSeparately = g.answersSeparately()
	if g.source.Tools == nil {
		return h
	}
	h.Arguments = map[string][]json.RawMessage{}
	g.lookups(h.Arguments)
	if g.source.Place == nil {
		return h
	}
	place := g.source.Place(ctx, g.wants.text)
	g.files, g.folders = place.Files, place.Folders
	place.Whole = slices.DeleteFunc(
		slices.Clone(place.Short), func(path string) bool { return !slices.Contains(place.Files, path) },
	)
	place.Short = slices.DeleteFunc(place.Short, func(path string) bool {
		return g.unwritten[path] ||
			!slices.Contains(g.wants.files, path) &&
				!slices.ContainsFunc(place.Read, func(f schema.File) bool { return f.Path == path })
	})
	for _, spec := range g.source.Tools.Specs() {
		if schemas := schema.Arguments(spec, place); schemas != nil {
			h.Arguments[spec.Name] = schemas
		}
	}
	return h
}

// ofReply are the hints of the next reply, arguments aside.
func (g *Guide) ofReply() toolcall.Hints {
	if g.lastWord {
		return toolcall.Hints{RequireAnswer: true}
	}
	h := g.wanted()
	g.urge(&h)
	if h.Only == nil && len(g.barred) > 0 {
		h.Only = g.every()
	}
	for name := range g.barred {
		if !g.effect(name).Pure() { // a tool that only computes gives the same result again, others may not
			delete(g.barred, name)
		}
	}
	return g.withEditing(h)
}

// withEditing sees to it that the tools that change files are never missing from what a reply may call, however else it
// is limited: what a message wants is a guess, and who is wrong would leave a change unmade. They are missing only
// where the user forbade changes.
func (g *Guide) withEditing(h toolcall.Hints) toolcall.Hints {
	editing := g.editing()
	last := g.last(h, editing)
	switch {
	case len(editing) == 0:
	case g.wants.forbids:
		if h.Only == nil {
			h.Only = g.every()
		}
		h.Only = without(h.Only, editing)
		h.RequireCall = h.RequireCall && len(h.Only) > 0
	case h.RequireAnswer:
		h.RequireAnswer, h.Only = false, editing
	case h.Only != nil:
		h.Only = g.names(
			func(name string) bool { return slices.Contains(h.Only, name) || slices.Contains(editing, name) },
		)
	}
	if h.Does == nil && g.seemsToAsk() && !g.wants.asks && !g.changed {
		h.Does = g.does()
	}
	h.Does = putLast(h.Does, last)
	return h
}

// last are the tools that should come last in the next reply.
func (g *Guide) last(h toolcall.Hints, editing []string) []string {
	switch {
	case h.RequireAnswer && (g.seemsToAsk() || g.wants.external):
		return editing
	case g.changed:
		return nil
	case g.wants.talk:
		return g.every()
	}
	return g.names(func(name string) bool {
		spec, _ := g.spec(name)
		return g.wants.asks && slices.Contains(editing, name) ||
			g.seemsToAsk() && spec.Argument(tools.Arithmetic) != "" && !intent.Computes(g.wants.text)
	})
}

// putLast changes the words before calls so that some tools come last: their word is one that the prompt does not
// teach. A small model says the words that it was taught, which lead to other tools, and can still call these. If the
// prompt names the word, it says nothing else (cmd/eval/findings.md).
func putLast(words map[string]string, names []string) map[string]string {
	if words == nil && len(names) > 0 {
		words = map[string]string{}
	}
	for _, name := range names {
		words[name] = "files"
	}
	return words
}

// does says for each tool of Assent's own what a call of it does. Those of others may do anything.
func (g *Guide) does() map[string]string {
	words := map[string]string{}
	for _, t := range g.Tools {
		switch e := g.effect(t.Name); {
		case e.Outside():
		case e.Pure():
			words[t.Name] = "compute"
		case e.RunsPrograms():
			words[t.Name] = "run"
		case e.Fulfills():
			words[t.Name] = "change"
		default:
			words[t.Name] = "look"
		}
	}
	return words
}

// seemsToAsk reports whether the message seems to want an answer and no change.
func (g *Guide) seemsToAsk() bool { return g.wants.talk || g.wants.intent == intent.Question }

// maxLooks is how many calls may come before the answer to a question; twice as many to a message that is not clear.
const maxLooks = 6

// maxForced is how many replies in a row are forced to be calls after an error.
const maxForced = 2

// maxUrged is how many replies of a run must be calls because a change was asked for.
const maxUrged = 6

// urge urges what the message seems to want: a change that was asked for is not answered before something was done. No
// tool is taken away.
func (g *Guide) urge(h *toolcall.Hints) {
	switch {
	case h.RequireAnswer, g.wants.talk:
	case g.wants.external:
		*h = g.hintExternal(*h)
	case g.wants.intent == intent.Change && !g.changed && !g.denied && !g.computed() && !g.wants.forbids &&
		g.urged < maxUrged && len(g.Tools) > 0:
		g.urged++
		h.RequireCall = true
	}
}

// computed reports whether a sum was just worked out, which may be all that was to be done.
func (g *Guide) computed() bool {
	last, ok := g.lastResult()
	return ok && !last.Failed && g.effect(last.Name).Pure()
}

// wanted is what the last turn asks of the next reply.
func (g *Guide) wanted() toolcall.Hints {
	if len(g.Turns) == 0 {
		return toolcall.Hints{}
	}
	last := g.Turns[len(g.Turns)-1]
	if g.answerNow {
		g.answerNow = false
		return toolcall.Hints{RequireAnswer: true}
	}
	if retry := g.retry; retry != "" {
		g.retry = ""
		return toolcall.Hints{RequireCall: true, Only: []string{retry}}
	}
	did, looks := g.effect(last.Name), len(g.results())
	switch {
	case last.Role != model.RoleTool || len(g.Tools) == 0:
		return toolcall.Hints{}
	case g.wants.intent == intent.Question && looks >= maxLooks, // it goes from folder to folder
		g.wants.intent == intent.Unclear && !g.changed && looks >= 2*maxLooks:
		return toolcall.Hints{RequireAnswer: true}
	case g.follows(last):
		return toolcall.Hints{RequireCall: true, Only: g.names(g.showsFile)}
	case !last.Failed || did.FailureAnswers(): // the output of a failed command may be the answer
		g.forced = 0
		return toolcall.Hints{AskDone: !last.Failed && did.Fulfills()}
	case g.changed && g.writes(last.Name) && len(g.unwritten) > 0: // a file that needs no change
		return toolcall.Hints{AskDone: true}
	case g.denied || g.forced >= maxForced || did.Pure() || did.Fulfills() && g.seemsToAsk():
		return toolcall.Hints{}
	}
	// Small models give up after an error; forced calls are limited in number, and tools that only compute would not
	// help.
	g.forced++
	return toolcall.Hints{RequireCall: true, Only: g.names(func(name string) bool { return !g.effect(name).Pure() })}
}
