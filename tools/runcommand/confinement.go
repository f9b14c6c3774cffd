package runcommand

import (
	"context"
	"strings"

	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/shell"
)

// Sandbox confines the commands of one workspace. Its State decides whether rules may let commands run.
type Sandbox interface {
	State(ctx context.Context) sandbox.State
	// Known is State if it was found out before; it starts nothing and does not wait.
	Known() (sandbox.State, bool)
	Wrap(ctx context.Context, c sandbox.Command) (sandbox.Wrapped, error)
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
	return confinement{sandbox: s, holds: true, text: "It runs in the sandbox: without network, " +
		"and on a view of the workspace. What it changes there is checked and applied when it has ended. " +
		"Undo turn takes that back, but for files that are ignored, binary or above 1 MB."}
}

// inBackground is for people who are asked about a command that goes on running.
const inBackground = "It runs in the sandbox: without network, and on a copy of the workspace. " +
	"After files change it is ended and started again on a fresh copy. What it wrote on the copy is dropped then, " +
	"and waits for your answer when it ends by itself."

// by is how package shell confines a command, which sees what sees says, and may start less if nobody approved it and
// it only reads. into gets how it is confined; whoever runs the command closes that.
func (c confinement) by(
	ctx context.Context, sees sandbox.Command, reads bool, into *sandbox.Wrapped,
) shell.Confine {
	if !c.holds {
		return nil
	}
	return func(argv, env []string, dir string) (shell.Confined, error) {
		sees.Argv, sees.Env, sees.Dir = argv, env, dir
		w, err := c.sandbox.Wrap(ctx, sees)
		if err != nil {
			return shell.Confined{}, err
		}
		if reads {
			w.Env = append(w.Env, readingEnvironment(w.Env)...)
		}
		*into = w
		return shell.Confined{Argv: w.Argv, Env: w.Env, How: w.How}, nil
	}
}

// readingEnvironment keeps git from fetching what a repository lacks, and go from asking git. What git could start,
// package command switches off.
func readingEnvironment(env []string) []string {
	flags := "-buildvcs=false"
	for _, v := range env {
		if own, ok := strings.CutPrefix(v, "GOFLAGS="); ok && own != "" {
			flags = own + " -buildvcs=false"
		}
	}
	return []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GOFLAGS=" + flags}
}
