package agent

import (
	"cmp"
	"context"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/agent/transcript"
)

// Named is the model that is named for a document: on the command line, else in the document, else in the settings. It
// is empty if none is.
func Named(document *transcript.Chat, o Options) string {
	return cmp.Or(o.ModelFlag, document.Front.Model, o.Model)
}

// chooseModel takes the model that is named, else the best installed one, and says why in that case.
func (a *Agent) chooseModel(ctx context.Context, job Job) (name, why string, err error) {
	if name := Named(job.Document, job.Options); name != "" {
		return name, "", nil
	}
	installed, err := a.backend.Models(ctx)
	if err != nil {
		return "", "", err
	}
	best, why, err := model.Choose(installed, a.backend.Memory())
	return best.Name, why, err
}

// Family names the family of a model, which is that of its profile: by what the server said of the model when it was
// used last, else by its name alone.
func (a *Agent) Family(name string) string {
	a.mu.Lock()
	known, ok := a.families[name]
	a.mu.Unlock()
	if ok {
		return known
	}
	profile, _ := a.profiles.Load().For(model.Info{Name: name})
	return profile.FamilyName()
}

// family names the family of a model by what the server says of it, and keeps that.
func (a *Agent) family(name string, info model.Info) string {
	profile, _ := a.profiles.Load().For(info)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.families[name] = profile.FamilyName()
	return a.families[name]
}

// chooseFormat takes the user's format, else the profile's: its first one, which accepts the calls of its others too.
// No prompt opens a thought for a model that shall not think.
func (a *Agent) chooseFormat(o Options, p model.Profile, think model.Think) (toolcall.Format, error) {
	find := formats.With(a.profiles.Load().Declared())
	if o.Format != "" {
		return find.ByName(o.Format)
	}
	return find.ForModel(p.Formats, p.Opened && think != model.ThinkOff)
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
