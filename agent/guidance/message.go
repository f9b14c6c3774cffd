package guidance

import (
	"context"

	"github.com/assent-ls/assent/agent/guidance/intent"
	"github.com/assent-ls/assent/agent/guidance/relevant"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools"
)

// wants is what the message that a run answers wants.
type wants struct {
	text     string
	intent   intent.Intent
	asks     bool         // it is a question by its form, too
	talk     bool         // nothing of the workspace
	forbids  bool         // it says that no file is to change
	named    []string     // files that it names
	targets  []string     // those of them that it wants changed
	files    []string     // of the workspace, that it does not name and that have its words
	bring    []string     // those, and passages of longer ones, as mentions name them
	meant    string       // the file that it means by words of its name; empty: none
	tools    []tools.Spec // of others, that have its words
	external bool         // it is about what they know, and not about files
}

// Interpret finds out what the message that the run answers wants, and what is to be attached to it. It is called once,
// before all others.
func (g *Guide) Interpret(ctx context.Context, v View) Attachments {
	g.View = v
	g.understand(ctx)
	attached := Attachments{Nothing: g.wants.talk || g.wants.external, Files: g.wants.bring}
	if g.Finder == "" {
		return attached
	}
	// small models rarely search for them
	if !g.source.without(ruleSuited) {
		attached.Tools = suited(g.source.Tools, g.every(), g.wants.text+" "+g.wants.meant)
	}
	attached.Tools = append(attached.Tools, g.wants.tools...)
	if g.wants.external {
		attached.Note = prompts.AboutOthers
	}
	return attached
}

func (g *Guide) understand(ctx context.Context) {
	w := &g.wants
	if last := g.lastMessage(); last >= 0 {
		w.text = g.Turns[last].Asked
	}
	w.intent, w.asks, w.forbids = intent.Of(w.text), intent.Asks(w.text), intent.Forbids(w.text)
	w.tools = g.externalTools()
	if g.source.About != nil {
		bring := relevant.ForAChange()
		if w.intent == intent.Question {
			bring = relevant.ForAQuestion()
		}
		about := g.source.About(ctx, w.text, bring)
		w.talk = intent.IsTalk(w.text, about.Named, about.Covers) ||
			g.afterTalk() && intent.GoesOn(w.text, about.Named)
		w.files, w.meant = about.Files, about.Meant
		for _, b := range about.Bring {
			w.bring = append(w.bring, b.Mention)
		}
		w.named, w.targets = about.Paths, intent.Targets(w.text, about.Paths)
		of := intent.OfTheOthers(w.text, about.Named, about.Covers)
		if of == intent.NotOthers {
			w.tools = nil
		}
		w.external = of == intent.OfOthers && len(w.tools) > 0
	}
	if w.external {
		w.talk, w.targets = false, nil
	}
	if w.talk || w.external {
		w.files, w.bring = nil, nil
	}
}

// afterTalk reports whether the message before the last one was plain talk: nothing was attached to it, and it was
// answered without a call.
func (g *Guide) afterTalk() bool {
	for i := g.lastMessage() - 1; i >= 0; i-- {
		turn := g.Turns[i]
		if turn.Role == model.RoleUser {
			return turn.IsBare()
		}
		if turn.Role == model.RoleTool || len(turn.Calls) > 0 {
			return false
		}
	}
	return false
}
