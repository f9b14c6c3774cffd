package tools

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/content"
	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/workspace"
	"github.com/assent-ls/assent/visible"
)

//go:embed run_command.md
var runCommandText string

type runCommandInput struct {
	Command string `json:"command"`
}

// RunCommand runs a command in the workspace: in the sandbox if there is one that holds.
func RunCommand(ws *workspace.Workspace, o Options) Tool {
	c := commands{ws: ws, sh: o.Shell, sandbox: o.Sandbox, timeout: o.CommandTimeout}
	return define(Spec{Name: "run_command", Description: runCommandText, Verb: "run", Effect: effect.Runs, Timeout: Unlimited}, c.plan)
}

type commands struct {
	ws      *workspace.Workspace
	sh      shell.Shell
	sandbox Sandbox
	timeout func() time.Duration // asked when a command starts; 0 is the default of package shell
}

// planned is a command that is ready to run.
type planned struct {
	text  string
	line  *command.Line // nil: it was not understood
	place confinement
	note  string // above the result
}

func (c commands) plan(ctx context.Context, call Call, in runCommandInput) (Plan, error) {
	switch {
	case strings.TrimSpace(in.Command) == "":
		return Plan{}, errors.New("command is empty")
	case strings.ContainsRune(in.Command, 0):
		return Plan{}, errors.New("command holds a NUL character")
	}
	line, files, _ := understand(c.ws, in.Command) // what is not understood is asked about
	if err := writable(c.ws, line, files); err != nil {
		return Plan{}, err
	}
	p := planned{text: in.Command, line: line, place: confine(ctx, c.sandbox, call.Outside)}
	paths := rulePaths(c.ws, files...)
	plan := Plan{
		Target:   in.Command,
		Preview:  strings.TrimRight(fmt.Sprintf("$ %s\n\nin %s\n%s\n%s", in.Command, c.ws.Root(), linked(c.ws, files), p.place.text), "\n"),
		Binding:  policy.Bind(append([]string{c.ws.Root(), in.Command, where(line), p.place.text}, paths...)...),
		Paths:    paths,
		Command:  line,
		Confined: p.place.holds,
		Run:      func(ctx context.Context, report Reporter) Result { return c.run(ctx, report, p) },
	}
	for i, file := range files {
		why := file.Protected
		if i < len(line.Written()) {
			why = file.ToWrite()
		}
		plan.Protected = cmp.Or(plan.Protected, why)
	}
	if visible.Text(in.Command) != in.Command {
		plan.Protected = "The command holds characters that cannot be seen; they are shown as <U+XXXX>."
	}
	if unsaved := c.ws.Unsaved(); len(unsaved) > 0 {
		names := strings.Join(unsaved, ", ")
		plan.Waits = fmt.Sprintf("Unsaved changes by Assent in %s: save them, or run on the files on disk.", names)
		p.note = fmt.Sprintf("[Ran on the files on disk: the changes in %s are not saved.]\n", names)
		plan.RunAnyway = func(ctx context.Context, report Reporter) Result { return c.run(ctx, report, p) }
	}
	return plan, nil
}

func (c commands) run(ctx context.Context, report Reporter, p planned) Result {
	var before *ledger.Copy
	if p.mayWrite() {
		before = ledger.Snapshot(ctx, c.ws)
	}
	return runIn(ctx, c.sh, p.place, shell.Command{
		Line: p.text, Parsed: p.line, Dir: c.ws.Root(), Timeout: c.timeout(), Live: report.Output,
	}, before, p.note)
}

// runIn runs a command in its place. Below a note, its result is what it printed and how it ended.
func runIn(ctx context.Context, sh shell.Shell, place confinement, command shell.Command, before *ledger.Copy, note string) Result {
	var masked []string
	command.Confine = place.by(ctx, &masked)
	o, text, refused := execute(ctx, sh, command)
	if refused != nil {
		return *refused
	}
	result := Result{Failed: failed(o)}
	text = note + text
	if place.holds && result.Failed && !o.TimedOut && !o.Canceled {
		if result.Blocked = sandbox.Blocked(o.Output.Head+o.Output.Tail, o.Status); result.Blocked != "" {
			text += "\n[" + result.Blocked + "]"
		}
		if len(masked) > 0 {
			text += fmt.Sprintf("\n[Empty in the sandbox, since they may hold secrets: %s.]", strings.Join(masked, ", "))
		}
	}
	changes, leftOut := changed(ctx, before)
	for _, sentence := range leftOut {
		text += "\n[" + sentence + "]"
	}
	result.Parts, result.Changes = content.Texts(text), changes
	return result
}

// mayWrite reports whether a command may change files.
func (p planned) mayWrite() bool {
	return p.line == nil || len(p.line.Written()) > 0 || slices.ContainsFunc(p.line.Parts, func(part command.Part) bool { return !part.Harmless() })
}

// changed is what a command did to files since they were copied, and sentences on what cannot be told.
func changed(ctx context.Context, before *ledger.Copy) (changes []FileChange, leftOut []string) {
	switch {
	case before == nil:
		return nil, nil
	case ctx.Err() != nil:
		return nil, []string{"Undo turn does not cover what this command did, since it was stopped."}
	}
	return before.Changes(ctx)
}
