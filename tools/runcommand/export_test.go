package runcommand

import (
	"context"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/workspace"
)

// RunReading runs a line in a sandbox, as one that only reads or as one that was approved.
func RunReading(ctx context.Context, ws *workspace.Workspace, sh shell.Shell, s Sandbox, line string, reads bool) tools.Result {
	approved := func(string, effect.Effect, workspace.Path) policy.Decision {
		return policy.Decision{Verdict: policy.Ask}
	}
	return running{planned: planned{place: confine(ctx, s, false), reads: reads, call: tools.Call{Judge: approved}}, ws: ws, sh: sh, command: shell.Command{Line: line, Dir: ws.Root()}}.run(ctx)
}

// MayBuild says what may be in the layer of a chat.
func MayBuild(ws *workspace.Workspace) func(rel string, folder bool) bool {
	_, may := ignoring(ws)
	return may
}

// RunUnderstood runs a line that was understood in a sandbox, as one that only reads.
func RunUnderstood(ctx context.Context, ws *workspace.Workspace, sh shell.Shell, s Sandbox, line command.Line) tools.Result {
	return running{planned: planned{place: confine(ctx, s, false), reads: true}, ws: ws, sh: sh, command: shell.Command{Parsed: &line, Dir: ws.Root()}}.run(ctx)
}
