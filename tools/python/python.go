// Package python has the tool python_execution: a program of the model's that calls the other tools as functions. The
// program itself reaches nothing (see package interpreter). Each of its calls goes through the dispatcher, as if the
// model had made it, but for one thing: what it does to files goes to a draft of the workspace, which the program sees,
// and which is asked about as one change when the program has ended.
package python

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/python/modules"
	"github.com/assent-ls/assent/tools/python/signature"
	"github.com/assent-ls/assent/tools/workspace"
)

// Name is the name of the tool.
const Name = signature.Execution

// Interpreter runs programs; interpreter.Interpreter is one.
type Interpreter interface {
	Run(ctx context.Context, p interpreter.Program, h interpreter.Host) (interpreter.Result, error)
}

// Options of New.
type Options struct {
	Workspace *workspace.Workspace // nil: there is none, and no file
	// Interpreter gives the interpreter; an error says why there is none, and what to do.
	Interpreter func() (Interpreter, error)
	// Files makes the tools that read and change the files of a workspace. Those of the draft take their places.
	Files func(*workspace.Workspace) []tools.Tool
	// Commands makes the tool that runs commands on a draft, which they see; it gives nil where no sandbox holds. nil:
	// commands run on the disk.
	Commands func(ctx context.Context, draft *workspace.Workspace) tools.Tool
	On       func() bool // whether the user wants the tool now
	// CallsTools reports whether programs can call tools now; otherwise they only compute. nil: they can.
	CallsTools func() bool
	Limits     interpreter.Limits // zero fields: the interpreter's own
}

// calls reports whether programs can call tools.
func (o Options) calls() bool { return o.CallsTools == nil || o.CallsTools() }

// Source offers the tool where it is on.
type Source struct{ options Options }

// New makes the source.
func New(o Options) *Source { return &Source{o} }

// Name implements tools.Source.
func (*Source) Name() string { return "code mode" }

// Tools implements tools.Source.
func (s *Source) Tools(context.Context) ([]tools.Tool, <-chan struct{}, error) {
	outdated := tools.Outdated() // settings change unseen
	if !s.options.On() {
		return nil, outdated, nil
	}
	if _, err := s.options.Interpreter(); err != nil {
		return nil, outdated, err
	}
	return []tools.Tool{s.Tool()}, outdated, nil
}

type input struct {
	Program string `json:"program" jsonschema:"Python"`
}

const (
	maxProgram = 64 << 10 // bytes
	fromOther  = "A program outside of Assent wants this to run."
)

// Tool is the tool itself.
func (s *Source) Tool() tools.Tool {
	spec := tools.Spec{
		Name: Name, Description: signature.Description(modules.Names(), s.options.calls(), true), Verb: "run", Effect: effect.Combines, Timeout: tools.Unlimited, PlansAtOnce: true,
	}
	return tools.Define(spec, func(_ context.Context, call tools.Call, in input) (tools.Plan, error) {
		source := strings.TrimSpace(in.Program)
		switch {
		case source == "":
			return tools.Plan{}, errors.New("program is empty: write the Python that is to run")
		case len(in.Program) > maxProgram:
			return tools.Plan{}, errors.New("program is longer than 64 KB: write a shorter one")
		}
		plan := tools.Plan{
			Target: titleOf(source), Preview: source, Binding: source,
			Run: func(ctx context.Context, report tools.Reporter) tools.Result {
				return newRun(s.options, call, report).do(ctx, in.Program)
			},
		}
		if call.Client != "" {
			plan.Protected = fromOther
		}
		return plan, nil
	})
}

// titleOf is the first line of a program that says something.
func titleOf(source string) string {
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "import ") && !strings.HasPrefix(line, "from ") {
			return excerpt.Cut(strings.TrimSpace(strings.TrimLeft(line, "# ")), excerpt.MaxLongLine)
		}
	}
	return "a program"
}
