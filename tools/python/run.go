package python

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/proposal"
	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/python/signature"
	"github.com/assent-ls/assent/tools/workspace"
)

// run is one run of a program.
type run struct {
	options   Options
	call      tools.Call // of the program
	report    tools.Reporter
	functions map[string]signature.Function // by the tool that they call

	draft      *workspace.Workspace // nil: there is no workspace
	files      []tools.Tool         // those that work on the draft
	drafted    map[string]bool      // their own names
	commands   bool                 // it was found out whether commands can
	dispatcher *tools.Dispatcher
	ruled      map[string]policy.Decision // by path: what asks about a change of the draft

	mu      sync.Mutex
	made    []made             // guarded by mu: the calls that ended
	settled []string           // guarded by mu: what became of changes before the program's end
	changes []tools.FileChange // guarded by mu: what the program did to files that is no draft any more
	outside bool               // guarded by mu: a result came from outside
}

func newRun(o Options, call tools.Call, report tools.Reporter) *run {
	call.Reads = call.Reads.Clone() // what the program reads, the model does not
	r := &run{options: o, call: call, report: report, functions: map[string]signature.Function{}}
	r.begin()
	return r
}

// begin starts a draft in which nothing was changed.
func (r *run) begin() {
	r.files, r.commands, r.ruled = nil, false, map[string]policy.Decision{}
	if r.options.Workspace != nil {
		r.draft = r.options.Workspace.Draft()
		r.files = r.options.Files(r.draft)
	}
	r.use()
}

// use has the calls of the program use the tools that work on the draft.
func (r *run) use() {
	r.drafted = map[string]bool{}
	for _, t := range r.files {
		r.drafted[t.Spec().Name] = true
	}
	r.dispatcher = r.call.Inner(r.files)
}

// useCommands has commands run on the draft, if they can. The first one finds that out, since it may start the sandbox.
func (r *run) useCommands(ctx context.Context) {
	if r.commands || r.draft == nil || r.options.Commands == nil {
		return
	}
	r.commands = true
	if t := r.options.Commands(ctx, r.draft); t != nil {
		r.files = append(r.files, t)
		r.use()
	}
}

// do runs a program to its result.
func (r *run) do(ctx context.Context, source string) tools.Result {
	by, err := r.options.Interpreter()
	if err != nil {
		return tools.FailedBy(err)
	}
	program := interpreter.Program{Source: source, Functions: r.declare(), Limits: r.options.Limits}
	out, err := by.Run(ctx, program, r)
	r.note()
	text := strings.TrimRight(out.Output, "\n")
	switch {
	case ctx.Err() != nil:
		return r.result(tools.Failed(joined(text, "[Stopped by the user.]")), r.dropped(ctx))
	case err != nil:
		return r.result(tools.FailedBy(err), r.dropped(ctx))
	}
	if out.Error != "" || out.Limit != "" {
		failed := cmp.Or(out.Error, fmt.Sprintf("The program was ended: it reached its limit of %s.", out.Limit))
		return r.result(tools.Failed(joined(text, failed)), r.dropped(ctx))
	}
	sentence, _ := r.settle(ctx)
	return r.result(tools.Text(cmp.Or(text, "[The program printed nothing.]")), sentence)
}

// note shows a person the calls of the program.
func (r *run) note() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n, ok := r.report.(tools.Noter); ok && len(r.made) > 0 {
		n.Note("calls", strings.TrimRight(listed(r.made), "\n"))
	}
}

func joined(parts ...string) string {
	var some []string
	for _, part := range parts {
		if part != "" {
			some = append(some, part)
		}
	}
	return strings.Join(some, "\n")
}

// declare makes functions of the tools.
func (r *run) declare() []interpreter.Function {
	if !r.options.calls() || r.dispatcher == nil {
		return nil
	}
	var offered []signature.Tool
	for _, s := range r.dispatcher.Registry().Specs() {
		if s.Own() != Name {
			offered = append(offered, signature.Tool{
				Name: s.Name, Description: s.Description, Parameters: s.Parameters, Returns: s.Returns,
			})
		}
	}
	var list []interpreter.Function
	for _, f := range signature.Of(offered) {
		r.functions[f.Tool] = f
		g := interpreter.Function{Name: f.Name, Tool: f.Tool, Doc: f.Doc}
		for _, p := range f.Parameters {
			g.Parameters = append(g.Parameters, interpreter.Parameter(p))
		}
		list = append(list, g)
	}
	return list
}

// dropped says what becomes of what a program did that did not come to its end: changes of files are not kept.
func (r *run) dropped(ctx context.Context) string {
	r.mu.Lock()
	stays := lasting(r.made)
	r.mu.Unlock()
	if r.draft == nil {
		return stays
	}
	list := r.draft.Drafted(ctx)
	if len(list) == 0 {
		return stays
	}
	return joined(stays, fmt.Sprintf(
		"Nothing of what it changed is kept (%s), since it did not come to its end.", names(list),
	))
}

// names are the first of some changed files.
func names(list []workspace.DraftChange) string {
	var rels []string
	for _, c := range list {
		rels = append(rels, c.Rel)
	}
	return proposal.SomeOf(rels)
}

// settle asks what becomes of the draft, and begins another one; changed is false if the draft has no change.
func (r *run) settle(ctx context.Context) (sentence string, changed bool) {
	if r.draft == nil {
		return "", false
	}
	list := r.draft.Drafted(ctx)
	if len(list) == 0 {
		return "", false
	}
	call := r.call
	call.Judge, call.JudgeAlone = r.judging(call.Judge), r.judging(call.JudgeAlone)
	settled := proposal.Settle(ctx, r.options.Workspace, call, r.report, "the program", list)
	r.mu.Lock()
	r.changes = append(r.changes, settled.Changes...)
	r.mu.Unlock()
	r.begin()
	return strings.Join(settled.Sentences, " "), true
}

// result adds what the program did.
func (r *run) result(result tools.Result, sentence string) tools.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	result.Changes = append(result.Changes, r.changes...)
	if r.outside {
		result.Parts = tools.FromOutside(result.Parts)
	}
	after := joined(counted(r.made), joined(r.settled...), sentence)
	if after != "" {
		result.Parts = append(result.Parts, content.Texts("\n"+after)...)
	}
	return result
}
