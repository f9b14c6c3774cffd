package sandboxtest

import (
	"context"
	"slices"

	"github.com/assent-ls/assent/tools/sandbox"
)

// Pretended says that it holds and confines nothing: it is for tests of what follows from a sandbox that holds. Its
// commands have SANDBOXED=1 in their environment.
type Pretended struct{}

var pretended = sandbox.State{Proven: true, Kind: "pretended", Sentence: "Nothing is confined."}

// State implements the sandbox of package tools.
func (Pretended) State(context.Context) sandbox.State {
	return pretended
}

// Known implements the sandbox of package tools.
func (Pretended) Known() (sandbox.State, bool) { return pretended, true }

// Wrap implements the sandbox of package tools.
func (Pretended) Wrap(_ context.Context, c sandbox.Command) (sandbox.Wrapped, error) {
	return sandbox.Wrapped{Argv: c.Argv, Env: append(slices.Clone(c.Env), "SANDBOXED=1"), Close: func() {}}, nil
}
