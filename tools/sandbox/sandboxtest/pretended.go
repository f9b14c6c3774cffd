package sandboxtest

import (
	"context"
	"slices"

	"github.com/assent-ls/assent/tools/sandbox"
)

// Pretended says that it holds and confines nothing: it is for tests of what follows from a sandbox that holds. Its commands have
// SANDBOXED=1 in their environment.
type Pretended struct{}

// State implements the sandbox of package tools.
func (Pretended) State(context.Context) sandbox.State {
	return sandbox.State{Proven: true, Kind: "pretended", Sentence: "Nothing is confined."}
}

// Wrap implements the sandbox of package tools.
func (Pretended) Wrap(_ context.Context, argv, env []string, _ string) (sandbox.Wrapped, error) {
	return sandbox.Wrapped{Argv: argv, Env: append(slices.Clone(env), "SANDBOXED=1"), Close: func() {}}, nil
}
