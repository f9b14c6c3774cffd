package main

import (
	"context"
	"os"

	"github.com/assent-ls/assent/settings"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/workspace"
)

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
