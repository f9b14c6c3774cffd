package session

import (
	"context"
	"encoding/json"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// mayRead reports whether the model of a job may read a file without a question. What is shown to it unasked is judged
// like a call of read_file, so that rules which ask, and tools that are switched off, hold there, too.
func mayRead(ctx context.Context, job *agent.Job, file string) bool {
	if job.Tools == nil {
		return false
	}
	reader, ok := job.Tools.Registry().BuiltIn("read_file")
	if !ok {
		return false
	}
	arguments, err := json.Marshal(map[string]string{"path": file})
	if err != nil {
		return false
	}
	mode := func() policy.Mode { return engine.ModeOf(job.Document, job.Options) }
	call := job.Tools.Prepare(
		ctx,
		tools.Call{
			Name: reader.Name, Arguments: arguments, Chat: job.Chat, Reads: job.Reads.Clone(), Caller: policy.Model,
			Mode: mode,
		},
	)
	return call.Answered == nil && call.Decision.Verdict == policy.Run
}
