package agent

import (
	"context"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// chooseModel takes the document's model, else the setting, else the best installed one, and says why in the last case.
func (a *Agent) chooseModel(ctx context.Context, job Job) (name, why string, err error) {
	if job.Document.Front.Model != "" {
		return job.Document.Front.Model, "", nil
	}
	if job.Options.Model != "" {
		return job.Options.Model, "", nil
	}
	installed, err := a.backend.Models(ctx)
	if err != nil {
		return "", "", err
	}
	best, why, err := model.Choose(installed, job.Options.Memory)
	return best.Name, why, err
}

// chooseFormat takes the user's format, else the profile's: its first one, which accepts the calls of its others too.
func (a *Agent) chooseFormat(o Options, p model.Profile) (toolcall.Format, error) {
	if o.Format != "" {
		return toolcall.ByName(o.Format)
	}
	return toolcall.ForModel(p.Formats, p.Opened)
}

// rememberStop notes that a run was stopped before its first token: the server goes on reading that prompt.
func (a *Agent) rememberStop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = time.Now()
}

func (a *Agent) forgetStop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = time.Time{}
}

// stillReading reports whether a prompt that was stopped may still keep the server busy.
func (a *Agent) stillReading() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.stopped.IsZero() && time.Since(a.stopped) < prefillMemory
}
