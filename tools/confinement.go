package tools

import (
	"context"

	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/shell"
)

// Sandbox confines the commands of one workspace. Its State decides whether rules may let commands run.
type Sandbox interface {
	State(ctx context.Context) sandbox.State
	// Known is State if it was found out before; it starts nothing and does not wait.
	Known() (sandbox.State, bool)
	Wrap(ctx context.Context, argv, env []string, dir string) (sandbox.Wrapped, error)
}

// confinement says where one command would run.
type confinement struct {
	sandbox Sandbox // nil: outside of any
	holds   bool
	text    string // for people; empty: nothing is known of sandboxes here
}

// confine chooses where a command runs. The first call tries the sandbox.
func confine(ctx context.Context, s Sandbox, outside bool) confinement {
	if s == nil {
		return confinement{}
	}
	state := s.State(ctx)
	switch {
	case !state.Proven:
		return confinement{text: state.Sentence}
	case outside:
		return confinement{text: "It runs outside the sandbox: with network, and with all that you may do yourself."}
	}
	return confinement{sandbox: s, holds: true, text: "It runs in the sandbox: without network, and it can write only in the workspace, and nothing protected there."}
}

// by is how package shell confines a command; masked gets the files that the command finds empty.
func (c confinement) by(ctx context.Context, masked *[]string) shell.Confine {
	if !c.holds {
		return nil
	}
	return func(argv, env []string, dir string) (shell.Confined, error) {
		w, err := c.sandbox.Wrap(ctx, argv, env, dir)
		if err != nil {
			return shell.Confined{}, err
		}
		*masked = w.Masked
		return shell.Confined{Argv: w.Argv, Env: w.Env, Close: w.Close}, nil
	}
}
