package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/assent-ls/assent/cmd/assent/diagnosis"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/workspace"
)

// confined makes the sandbox of a workspace. It tries nothing before the first command.
func confined(ctx context.Context, s settings.Settings, ws *workspace.Workspace) runcommand.Sandbox {
	return sandbox.New(sandbox.Options{
		Helper: []string{confineWord},
		Root:   ws.Root(), Off: s.Sandbox == "off", Hidden: func() []string { return ws.DeniedPaths(ctx) },
		Patterns: func() []string { return ws.DeniedPatterns(ctx) }, Memory: uint64(s.CommandMemory) * 1e6, Disk: uint64(s.CommandDisk) * 1e6, //nolint:gosec // none is negative
		KeepBytes: uint64(s.KeepReplaced) * 1e6, KeepFor: time.Duration(s.KeepFor), //nolint:gosec // none is negative
	})
}

// examineSandbox says whether the commands of models are confined here.
func examineSandbox(ctx context.Context, r *diagnosis.Report, s settings.Settings) {
	here, err := os.Getwd()
	if err != nil {
		r.Note("the sandbox for commands was not tried: %v", err)
		return
	}
	tried := sandbox.New(sandbox.Options{Helper: []string{confineWord}, Root: here, Off: s.Sandbox == "off"})
	state := tried.State(ctx)
	if state.Proven {
		r.OK("%s", state.Sentence)
		if foreign := tried.Foreign(5); len(foreign) > 0 {
			r.Note("of another user or group, and only read in the sandbox: %s", strings.Join(foreign, ", "))
		}
		return
	}
	r.Note("%s", state.Sentence)
	for _, detail := range state.Details {
		r.Note("  %s", detail)
	}
}
