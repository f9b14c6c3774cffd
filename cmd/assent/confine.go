package main

import (
	"context"
	"fmt"
	"os"

	"github.com/assent-ls/assent/settings"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/workspace"
	"github.com/assent-ls/assent/visible"
)

// confineWord is the first argument by which this program starts itself as a process of a sandbox.
const confineWord = "confine"

// confine is the main function of such a process. It is no subcommand: what the command line needs to start would be added to the time
// that each command of a model takes.
func confine(args []string) int {
	if err := sandbox.Help(args); err != nil {
		fmt.Fprintln(os.Stderr, "assent: "+visible.Line(err.Error()))
		return 1
	}
	return 0
}

// confined makes the sandbox of a workspace. It tries nothing before the first command.
func confined(ctx context.Context, s settings.Settings, ws *workspace.Workspace) tools.Sandbox {
	return sandbox.New(sandbox.Options{
		Helper: []string{confineWord}, Root: ws.Root(), Off: s.Sandbox == "off", Hidden: func() []string { return ws.DeniedPaths(ctx) },
	})
}

// sandbox says whether the commands of models are confined here.
func (d *doctor) sandbox(ctx context.Context, s settings.Settings) {
	here, err := os.Getwd()
	if err != nil {
		d.note("the sandbox for commands was not tried: %v", err)
		return
	}
	state := sandbox.New(sandbox.Options{Helper: []string{confineWord}, Root: here, Off: s.Sandbox == "off"}).State(ctx)
	if state.Proven {
		d.ok("%s", state.Sentence)
		return
	}
	d.note("%s", state.Sentence)
	for _, detail := range state.Details {
		d.note("  %s", detail)
	}
}
