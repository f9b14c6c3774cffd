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
	if last := g.lastMessage(); last >= 0 {
		g.wants.text = g.Turns[last].Asked
	}
	text := g.wants.text
	g.wants.intent, g.wants.asks, g.wants.forbids = intent.Of(text), intent.Asks(text), intent.Forbids(text)
	g.wants.tools = g.externalTools()
	if g.source.About != nil {
		bring := relevant.ForAChange()
		if g.wants.intent == intent.Question {
			bring = relevant.ForAQuestion()
		}
		about := g.source.About(ctx, g.wants.text, bring)
		g.wants.talk = intent.IsTalk(g.wants.text, about.Named, about.Covers) ||
			g.afterTalk() && intent.GoesOn(g.wants.text, about.Named)
		g.wants.files, g.wants.meant = about.Files, about.Meant
		for _, b := range about.Bring {
			g.wants.bring = append(g.wants.bring, b.Mention)
		}
		g.wants.named, g.wants.targets = about.Paths, intent.Targets(g.wants.text, about.Paths)
		of := intent.OfTheOthers(g.wants.text, about.Named, about.Covers)
		if of == intent.NotOthers {
			g.wants.tools = nil
		}
		g.wants.external = of == intent.OfOthers && len(g.wants.tools) > 0
	}
	if g.wants.external {
		g.wants.talk, g.wants.targets = false, nil
	}
	if g.wants.talk || g.wants.external {
		g.wants.files, g.wants.bring = nil, nil
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
