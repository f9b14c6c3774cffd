// Package guidance helps small models, whose every reply is held to a schema: it guesses what a message wants, attaches
// what that needs, limits each reply, and asks for texts and answers in requests of their own. Each rule was measured
// (cmd/eval/findings.md). A run of any other model has no Guide, and nothing of this package runs for it.
package guidance

import (
	"context"
	"slices"

	"github.com/assent-ls/assent/agent/guidance/intent"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
)

// Guide guides the model of one run. It belongs to the goroutine of the run. It never changes a message that was sent.
type Guide struct {
	View   // of the run, as it is when a method is called
	source Source

	wants     wants
	files     []string        // of the workspace, as they were when this step began; nil: not known
	folders   []string        // of the workspace, likewise
	followed  bool            // what a search found was read once
	answerNow bool            // the next reply should be an answer: the model goes round in circles
	forced    int             // replies in a row that were forced to be calls
	urged     int             // replies that had to be calls because a change was asked for
	retry     string          // the next reply must call this tool: its last call has to be made again
	denied    bool            // the last call was denied: the model must not be made to try again
	changed   bool            // a call that changes files or runs something went well
	barred    map[string]bool // tools that the next reply should not call: the same call of them failed again
	lastWord  bool            // the next reply is an answer: without it the run would be over
	unwritten map[string]bool // files whose new text was asked for, and was the old one
}

// New returns the guide of one run.
func New(source Source) *Guide {
	return &Guide{source: source.applied(), barred: map[string]bool{}, unwritten: map[string]bool{}}
}

// Guides reports whether models that call tools in a format are guided. This is the only place that says so.
func Guides(format toolcall.Format) bool { return format.Name() == "guided" }

// Observe learns what a call led to. It reports whether the next reply can be made an answer, where the run would end
// without one (o.Last).
func (g *Guide) Observe(o Outcome) (goesOn bool) {
	g.denied = o.Denied
	g.changed = g.changed || !o.Failed && !o.NotRun && g.effect(o.Call.Name).Changes()
	if o.Retry && (!g.seemsToAsk() || !g.effect(o.Call.Name).Fulfills()) {
		g.retry = o.Call.Name
	}
	if o.Last && !g.answersLast() {
		return false
	}
	if o.Again && o.Failed {
		g.barred[o.Call.Name] = true
	} else if o.Again {
		g.answerNow = true
	}
	return true
}

// answersLast makes the next reply an answer to what seems to be a question, or about what was done; once in a run. Who
// asked for a change and got none reads that the run was stopped.
func (g *Guide) answersLast() bool {
	if g.lastWord || !g.changed && !g.seemsToAsk() {
		return false
	}
	g.lastWord = true
	return true
}

// Decoder decodes one reply, whose calls may lack the texts that are asked for separately.
func (g *Guide) Decoder(v View) toolcall.Decoder {
	g.View = v
	return g.Format.Decoder(g.withoutTexts(g.All))
}

// Take returns a call of a reply as it is made.
func (g *Guide) Take(v View, call toolcall.Call) Taken {
	g.View = v
	made, altered := g.grounded(call)
	if named, other := g.asNamed(made); other {
		made, altered = named, true
	}
	return Taken{Call: made, Altered: altered, Incomplete: g.isIncomplete(made)}
}

// Complete asks for what a reply only announces: the texts of files, and the answer. When it fails, r has only the
// calls before the one that failed.
func (g *Guide) Complete(ctx context.Context, v View, r *Reply, by Asker) error {
	g.View = v
	if err := g.writeTexts(ctx, r, by); err != nil {
		return err
	}
	return g.answer(ctx, r, by)
}

// Later lists the requests that may follow the reply, as they would be sent if it asks for nothing else first.
func (g *Guide) Later(ctx context.Context, v View) (list []Request) {
	g.View = v
	if g.lastMessage() < 0 || !g.asksSeparately() {
		return nil
	}
	if g.answersSeparately() {
		return []Request{g.askAnswer()}
	}
	if g.wants.intent != intent.Change {
		return nil
	}
	files := g.wants.targets
	if len(files) == 0 {
		files = g.wants.named
	}
	for _, file := range files {
		if before, exists, ok := g.source.Show(ctx, file); ok {
			list = append(list, g.askText(ctx, file, before, exists, ""))
		}
	}
	return list
}

// lastMessage is the place of the user's last turn; -1: there is none.
func (g *Guide) lastMessage() int {
	last := len(g.Turns) - 1
	for last >= 0 && g.Turns[last].Role != model.RoleUser {
		last--
	}
	return last
}

// names lists the offered tools that fit and are not barred; nil if there is none.
func (g *Guide) names(fits func(name string) bool) []string {
	var names []string
	for _, t := range g.Tools {
		if !g.barred[t.Name] && fits(t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// editing are the offered tools that change files.
func (g *Guide) editing() []string {
	return g.names(func(name string) bool { return g.effect(name).Fulfills() })
}

// every lists all offered tools that are not barred.
func (g *Guide) every() []string { return g.names(func(string) bool { return true }) }

// without is a list without the names of another one.
func without(list, names []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return slices.Contains(names, name) })
}

// spec is the tool of a name.
func (g *Guide) spec(name string) (tools.Spec, bool) {
	if g.source.Tools == nil {
		return tools.Spec{}, false
	}
	return g.source.Tools.Named(name)
}

// effect is what a tool does to the world; the zero value for an unknown tool.
func (g *Guide) effect(name string) effect.Effect {
	spec, _ := g.spec(name)
	return spec.Effect
}
