package python

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/conc/iter"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/python/signature"
)

// inner is a call of the program on its way to an answer.
type inner struct {
	from     interpreter.Call
	prepared tools.Prepared
	began    time.Time
	answer   *interpreter.Answer // nil: there is none yet
	made     bool                // it was run, and what came of it is kept
}

// Call implements interpreter.Host. What reads runs side by side; the others one after the other, those that a person is
// asked about first of all in one question.
func (r *run) Call(ctx context.Context, calls []interpreter.Call) []interpreter.Answer {
	list := make([]*inner, len(calls))
	for i, c := range calls {
		list[i] = r.prepare(ctx, c)
	}
	if r.reachesDisk(list) && r.settleFirst(ctx) {
		for _, in := range list {
			*in = *r.prepare(ctx, in.from)
		}
	}
	r.askTogether(ctx, list)
	var side []*inner
	for _, in := range list {
		if in.answer == nil && in.prepared.Spec.Effect.Parallel() && !r.needsPerson(in.prepared) {
			side = append(side, in)
		}
	}
	iter.ForEach(side, func(in **inner) { r.execute(ctx, *in, (*in).prepared) })
	answers := make([]interpreter.Answer, len(list))
	for i, in := range list {
		if in.answer == nil {
			r.one(ctx, in)
		}
		if !in.made {
			r.keep(in, made{result: in.answer.Error, unrun: true})
		}
		answers[i] = *in.answer
	}
	return answers
}

// prepare plans a call. One that is answered by what it lacks, such as the text of a file that has to be read before it
// is changed, is planned again: the program has no turn in which it would read the answer.
func (r *run) prepare(ctx context.Context, c interpreter.Call) *inner {
	in := &inner{from: c, began: time.Now()}
	call := tools.Call{
		ID: r.call.ID, Name: c.Tool, Arguments: c.Arguments, Chat: r.call.Chat, Reads: r.call.Reads,
		Caller: r.call.Caller, Client: r.call.Client, Mode: r.call.Mode, Parent: cmp.Or(r.call.ID, Name),
		Described: r.call.Described, Whole: true,
	}
	switch {
	case r.dispatcher == nil || !r.options.calls(): // the program wrote to the pipe by itself
		in.fail("This program cannot call tools.")
		return in
	case c.Tool == r.call.Name:
		in.fail("A program cannot run another program.")
		return in
	}
	if spec, known := r.dispatcher.Registry().Named(c.Tool); known && spec.Effect.RunsPrograms() {
		r.useCommands(ctx)
	}
	in.prepared = r.dispatcher.Prepare(ctx, call)
	if in.prepared.Answered != nil && !in.prepared.Invalid && in.prepared.Spec.Effect.Changes() {
		if _, err := r.dispatcher.Execute(ctx, in.prepared, nil); err == nil {
			in.prepared = r.dispatcher.Prepare(ctx, call)
		}
	}
	return in
}

func (in *inner) fail(why string) { in.answer = &interpreter.Answer{Error: why} }

// onDraft reports whether a call changes the draft alone: what it does there is asked about at the end.
func (r *run) onDraft(p tools.Prepared) bool {
	return r.drafted[p.Spec.Own()] && p.Spec.Origin == tools.BuiltIn && p.Spec.Effect.Changes()
}

// unasked reports whether a call does nothing but change the draft.
func (r *run) unasked(p tools.Prepared) bool {
	return r.onDraft(p) && !p.Spec.Effect.RunsPrograms() && !r.uncovers(p)
}

// needsPerson reports whether somebody is asked before a call runs.
func (r *run) needsPerson(p tools.Prepared) bool {
	if p.Answered != nil || r.unasked(p) {
		return false
	}
	return p.Decision.Verdict != policy.Run || p.Spec.Effect.ByPerson()
}

// one takes a call to its answer: it asks if it must.
func (r *run) one(ctx context.Context, in *inner) {
	p := in.prepared
	if r.unasked(p) && p.Answered == nil {
		if p.Waits != "" {
			in.fail(p.Waits)
			return
		}
		r.keepRule(p)
		r.execute(ctx, in, p.Approved())
		return
	}
	if r.reachesDisk([]*inner{in}) && r.settleFirst(ctx) {
		*in = *r.prepare(ctx, in.from)
		p = in.prepared
	}
	if r.needsPerson(p) {
		approved, why := r.ask(ctx, p)
		if why != "" {
			in.fail(why)
			return
		}
		p = approved
	}
	r.execute(ctx, in, p)
}

// reachesDisk reports whether a call works on what is on the disk, where it would miss what the program has changed.
func (r *run) reachesDisk(list []*inner) bool {
	return slices.ContainsFunc(list, func(in *inner) bool {
		p := in.prepared
		return in.answer == nil && p.Answered == nil && p.Spec.Effect.Changes() && !r.onDraft(p)
	})
}

// settleFirst asks what becomes of the changes so far, before such a call, and reports whether there were any.
func (r *run) settleFirst(ctx context.Context) bool {
	sentence, changed := r.settle(ctx)
	if changed {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.settled = append(r.settled, sentence)
	}
	return changed
}

// execute runs a call, and keeps what came of it.
func (r *run) execute(ctx context.Context, in *inner, p tools.Prepared) {
	result, err := r.dispatcher.Execute(ctx, p, r.report)
	if err != nil {
		result = tools.Failed(tools.Sentence(err.Error()))
	}
	in.answer, in.made = r.answerOf(p, result), true
	first, _, _ := strings.Cut(result.Unfenced(), "\n")
	ran := p.Answered == nil
	r.keep(in, made{
		result: strings.Clone(excerpt.Cut(first, maxText)), // the rest of the result is not kept
		took:   time.Since(in.began), lasting: ran && p.Spec.Effect.Changes() && !r.onDraft(p),
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.onDraft(p) {
		r.changes = append(r.changes, result.Changes...)
	}
	r.outside = r.outside || ran && p.Spec.Effect.Outside()
}

// keep keeps what came of a call, which has its answer.
func (r *run) keep(in *inner, m made) {
	m.tool, m.target, m.line = in.prepared.Spec.Name, in.prepared.Target, in.from.Line
	if m.failed = in.answer.Error != ""; m.tool == "" {
		m.tool = noTool // a program that writes to the pipe may name anything, of any length
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made = append(r.made, m)
}

// answerOf is a result as the program gets it.
func (r *run) answerOf(p tools.Prepared, result tools.Result) *interpreter.Answer {
	switch value := result.Value.(type) {
	case nil:
	case error:
		return &interpreter.Answer{Error: tools.Sentence(value.Error())}
	default:
		return valueOf(value)
	}
	said := result.Unfenced()
	if result.Failed {
		return &interpreter.Answer{Error: said}
	}
	if p.Spec.Finds {
		said = r.stubs(result.Text())
	}
	return valueOf(said)
}

// valueOf is a value as the program gets it.
func valueOf(value any) *interpreter.Answer {
	text, err := json.Marshal(value)
	if err != nil {
		return &interpreter.Answer{Error: tools.Sentence(err.Error())}
	}
	return &interpreter.Answer{Value: text}
}

// stubs are the tools that a search found, as functions.
func (r *run) stubs(found string) string {
	var list []signature.Function
	for _, name := range tools.FoundIn(found) {
		if f, known := r.functions[name]; known {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return found
	}
	return signature.Stubs(list)
}
