package agent

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/guide"
	"github.com/assent-ls/assent/agent/intent"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
)

// hints constrain the next reply where a small model otherwise goes wrong (measured: docs/small-models.md).
func (c *help) hints(ctx context.Context) toolcall.Hints {
	h := c.ofReply()
	h.AnswerApart = c.answersApart()
	if c.job.Tools == nil {
		return h
	}
	h.Arguments = map[string][]json.RawMessage{}
	c.lookups(h.Arguments)
	if c.job.Place == nil {
		return h
	}
	place := c.job.Place(ctx, c.wants.text)
	c.files, c.folders = place.Files, place.Folders
	place.Whole = slices.DeleteFunc(slices.Clone(place.Short), func(path string) bool { return !slices.Contains(place.Files, path) })
	place.Short = slices.DeleteFunc(place.Short, func(path string) bool {
		return c.unwritten[path] || !slices.Contains(c.wants.files, path) && !slices.ContainsFunc(place.Read, func(f guide.File) bool { return f.Path == path })
	})
	for _, spec := range c.job.Tools.Registry().Specs() {
		if schemas := guide.Arguments(spec, place); schemas != nil {
			h.Arguments[spec.Name] = schemas
		}
	}
	return h
}

// wants is what the message that a run answers wants.
type wants struct {
	text    string
	intent  intent.Intent
	asks    bool         // it is a question by its form, too
	talk    bool         // nothing of the workspace
	forbids bool         // it says that no file is to change
	named   []string     // files that it names
	targets []string     // those of them that it wants changed
	files   []string     // of the workspace, that it does not name and that have its words
	bring   []string     // those, and passages of longer ones, as mentions name them
	meant   string       // the file that it means by words of its name; empty: none
	tools   []tools.Spec // of others, that have its words
	others  bool         // it is about what they know, and not about files
}

// understand finds out what the message that the run answers wants.
func (c *help) understand(ctx context.Context) {
	if last := c.lastMessage(); last >= 0 {
		c.wants.text = c.Turns[last].Asked
	}
	c.wants.intent, c.wants.asks, c.wants.forbids = intent.Of(c.wants.text), intent.Asks(c.wants.text), intent.Forbids(c.wants.text)
	c.wants.tools = c.fitting()
	if c.job.About != nil {
		bring := attach.ForAChange()
		if c.wants.intent == intent.Question {
			bring = attach.ForAQuestion()
		}
		about := c.job.About(ctx, c.wants.text, bring)
		c.wants.talk = intent.IsTalk(c.wants.text, about.Named, about.Covers) || c.afterTalk() && intent.GoesOn(c.wants.text, about.Named)
		c.wants.files, c.wants.meant = about.Files, about.Meant
		for _, b := range about.Bring {
			c.wants.bring = append(c.wants.bring, b.Mention)
		}
		c.wants.named, c.wants.targets = about.Paths, intent.Targets(c.wants.text, about.Paths)
		of := intent.OfTheOthers(c.wants.text, about.Named, about.Covers)
		if of == intent.NotOthers {
			c.wants.tools = nil
		}
		c.wants.others = of == intent.OfOthers && len(c.wants.tools) > 0
	}
	if c.wants.others {
		c.wants.talk, c.wants.targets = false, nil
	}
	if c.wants.talk || c.wants.others {
		c.wants.files, c.wants.bring = nil, nil
	}
}

// afterTalk reports whether the message before the last one was plain talk: nothing was attached to it, and it was answered without a call.
func (c *help) afterTalk() bool {
	for i := c.lastMessage() - 1; i >= 0; i-- {
		turn := c.Turns[i]
		if turn.Role == model.RoleUser {
			return turn.IsBare()
		}
		if turn.Role == model.RoleTool || len(turn.Calls) > 0 {
			return false
		}
	}
	return false
}

// ofReply are the hints of the next reply, arguments aside.
func (c *help) ofReply() toolcall.Hints {
	if c.lastWord {
		return toolcall.Hints{RequireAnswer: true}
	}
	h := c.meant(c.wanted())
	if h.Only == nil && len(c.barred) > 0 {
		h.Only = c.names(func(string) bool { return true })
	}
	for name := range c.barred {
		if !c.effect(name).Pure() { // a tool that only computes gives the same result again, others may not
			delete(c.barred, name)
		}
	}
	return c.withEditing(h)
}

// withEditing sees to it that the tools that change files are never missing from what a reply may call, however else it is limited: what a message
// wants is a guess, and who is wrong would leave a change unmade. They are missing only where the user forbade changes.
func (c *help) withEditing(h toolcall.Hints) toolcall.Hints {
	editing := c.names(func(name string) bool { return c.effect(name).Fulfills() })
	last := c.last(h, editing)
	c.unasked = false
	switch {
	case len(editing) == 0:
	case c.wants.forbids:
		if h.Only == nil {
			h.Only = c.names(func(string) bool { return true })
		}
		h.Only = slices.DeleteFunc(slices.Clone(h.Only), func(name string) bool { return slices.Contains(editing, name) })
		h.RequireCall = h.RequireCall && len(h.Only) > 0
	case h.RequireAnswer:
		h.RequireAnswer, h.Only = false, editing
	case h.Only != nil:
		h.Only = c.names(func(name string) bool { return slices.Contains(h.Only, name) || slices.Contains(editing, name) })
	}
	if h.Does == nil && c.seemsToAsk() && !c.wants.asks && !c.changed {
		h.Does = c.does()
	}
	h.Does = putLast(h.Does, last)
	return h
}

// last are the tools that should come last in the next reply.
func (c *help) last(h toolcall.Hints, editing []string) []string {
	switch {
	case c.changed && c.finished(), c.unasked, h.RequireAnswer && (c.seemsToAsk() || c.wants.others):
		return editing
	case c.changed:
		return nil
	case c.wants.talk:
		return c.names(func(string) bool { return true })
	}
	return c.names(func(name string) bool {
		spec, _ := c.spec(name)
		return c.wants.asks && slices.Contains(editing, name) || c.seemsToAsk() && spec.Argument(tools.Arithmetic) != "" && !intent.Computes(c.wants.text)
	})
}

// putLast changes the words before calls so that some tools come last: their word is one that the prompt does not teach. A small model says the words
// that it was taught, which lead to other tools, and can still call these. If the prompt names the word, it says nothing else (docs/small-models.md).
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
func (c *help) does() map[string]string {
	words := map[string]string{}
	for _, t := range c.Tools {
		switch e := c.effect(t.Name); {
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
func (c *help) seemsToAsk() bool { return c.wants.talk || c.wants.intent == intent.Question }

// maxLooks is how many calls may come before the answer to a question; twice as many to a message that is not clear.
const maxLooks = 6

// looks is how many results there are since the last message.
func (c *help) looks() int { return len(c.results()) }

// maxUrged is how many replies of a run must be calls because a change was asked for.
const maxUrged = 6

// meant urges what the message seems to want: a change that was asked for is not answered before something was done. No tool is taken away.
func (c *help) meant(h toolcall.Hints) toolcall.Hints {
	switch asked := c.wants.intent; {
	case h.RequireAnswer, c.wants.talk:
	case c.wants.others:
		return c.meantForOthers(h)
	case asked == intent.Change && !c.changed && !c.denied && !c.computed() && !c.wants.forbids && c.urged < maxUrged && len(c.Tools) > 0:
		c.urged++
		h.RequireCall = true
	}
	return h
}

// computed reports whether a sum was just worked out, which may be all that was to be done.
func (c *help) computed() bool {
	all := c.results()
	return len(all) > 0 && !all[len(all)-1].Failed && c.effect(all[len(all)-1].Name).Pure()
}

// wanted is what the last turn asks of the next reply.
func (c *help) wanted() toolcall.Hints {
	if len(c.Turns) == 0 {
		return toolcall.Hints{}
	}
	last := c.Turns[len(c.Turns)-1]
	if c.answerNow {
		c.answerNow = false
		return toolcall.Hints{RequireAnswer: true}
	}
	if retry := c.retry; retry != "" {
		c.retry = ""
		return toolcall.Hints{RequireCall: true, Only: []string{retry}}
	}
	did := c.effect(last.Name)
	if c.reads {
		c.reads, c.answerNow = false, true
		return toolcall.Hints{RequireCall: true, Only: c.names(c.showsFile)}
	}
	switch {
	case last.Role != model.RoleTool || len(c.Tools) == 0:
		return toolcall.Hints{}
	case c.wants.intent == intent.Question && c.looks() >= maxLooks, c.wants.intent == intent.Unclear && !c.changed && c.looks() >= 2*maxLooks: // it goes from folder to folder
		return toolcall.Hints{RequireAnswer: true}
	case c.follows(last):
		return toolcall.Hints{RequireCall: true, Only: c.names(c.showsFile)}
	case !last.Failed || did.FailureAnswers(): // the output of a failed command may be the answer
		c.forced = 0
		if writers := c.names(c.writes); c.writes(last.Name) && len(c.left()) > 0 && len(writers) > 0 {
			return toolcall.Hints{RequireCall: true, Only: writers}
		}
		return toolcall.Hints{AskDone: !last.Failed && did.Fulfills()}
	case c.changed && c.writes(last.Name) && len(c.unwritten) > 0: // a file that needs no change
		return toolcall.Hints{AskDone: true}
	case c.denied || c.forced >= maxForcedCalls || did.Pure() || did.Fulfills() && c.seemsToAsk():
		return toolcall.Hints{}
	}
	// Small models give up after an error; forced calls are limited in number, and tools that only compute would not help.
	c.forced++
	return toolcall.Hints{RequireCall: true, Only: c.names(func(name string) bool { return !c.effect(name).Pure() })}
}

// names lists the offered tools that fit and are not barred; nil if there is none.
func (c *help) names(fits func(name string) bool) []string {
	var names []string
	for _, t := range c.Tools {
		if !c.barred[t.Name] && fits(t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}
