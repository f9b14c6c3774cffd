package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/agent/transcript"
)

// prefillMemory is how long a stopped prompt may still keep the server busy.
const prefillMemory = 2 * time.Minute

// Named is the model that is named for a document: on the command line, else in the document, else in the settings. It
// is empty if none is.
func Named(document *transcript.Chat, o Options) string {
	return cmp.Or(o.ModelFlag, document.Front.Model, o.Model)
}

// NamedBy says who names the model of a document, as a sentence without its end.
func NamedBy(document *transcript.Chat, o Options) string {
	named := Named(document, o)
	switch {
	case o.ModelFlag == "" && document.Front.Model != "":
		return "The head of this chat names it"
	case slices.ContainsFunc(
		o.UserModels, func(own string) bool { return own != "" && model.SameName(own, named) },
	):
		return "You named it yourself, by --model or in your settings file"
	}
	return "The settings name it, and not your own settings file"
}

// ChooseModel takes the model that is named, else the best one of the servers that are known, and says why in that
// case.
func (e *Engine) ChooseModel(ctx context.Context, document *transcript.Chat, o Options) (name, why string, err error) {
	if name := Named(document, o); name != "" {
		return name, "", nil
	}
	installed, err := e.backend.Models(ctx)
	if err != nil {
		return "", "", err
	}
	best, why, err := model.Choose(installed, e.backend.Memory())
	return best.Name, why, err
}

// ChooseModelToSend is ChooseModel for a Send, for which servers on this machine that nobody declared are looked for,
// too.
func (e *Engine) ChooseModelToSend(
	ctx context.Context, document *transcript.Chat, o Options,
) (name, why string, err error) {
	if name, why, err = e.ChooseModel(ctx, document, o); err == nil {
		return name, why, nil
	}
	// nobody declared a server that has one: one that is found is asked about before anything is sent there
	if found := e.discover(ctx); len(found) > 0 {
		if best, why, none := model.Choose(found, e.backend.Memory()); none == nil {
			return best.Name, why, nil
		}
	}
	return "", "", err
}

// discover lists the models of servers on this machine that nobody declared.
func (e *Engine) discover(ctx context.Context) []model.Info {
	finds, ok := e.backend.(model.Discoverer)
	if !ok {
		return nil
	}
	return finds.Discover(ctx)
}

// Describe says what is known of a model. One that no declared server has may be on a server of this machine that
// nobody declared.
func (e *Engine) Describe(ctx context.Context, name string) (model.Info, error) {
	info, err := e.backend.Describe(ctx, name)
	known, ok := errors.AsType[*model.Error](err)
	if !ok || known.Kind != model.NotInstalled && known.Kind != model.Unreachable {
		return info, err
	}
	for _, found := range e.discover(ctx) {
		if model.SameName(found.Name, name) || strings.HasSuffix(found.Name, "/"+name) {
			return e.backend.Describe(ctx, found.Name)
		}
	}
	return info, err
}

// Family names the family of a model, which is that of its profile: by what the server said about the model when it was
// used last, else by its name alone.
func (e *Engine) Family(name string) string {
	e.mu.Lock()
	known, ok := e.families[name]
	e.mu.Unlock()
	if ok {
		return known
	}
	profile, _ := e.Profiles.Load().For(model.Info{Name: name})
	return profile.FamilyName()
}

// FamilyOf names the family of a model by what the server says about it, and keeps that.
func (e *Engine) FamilyOf(name string, info model.Info) string {
	profile, _ := e.Profiles.Load().For(info)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.families[name] = profile.FamilyName()
	return e.families[name]
}

// ChooseFormat takes what the user chose, else the profile's formats: the first one, which accepts the calls of the
// others too. No prompt opens a thought for a model that shall not think.
func (e *Engine) ChooseFormat(o Options, p model.Profile, think model.Think) (toolcall.Format, error) {
	find := formats.With(e.Profiles.Load().Declared()).Fenced(p.Fence)
	c := formats.Choice{Only: o.Format, Primary: o.Primary, Enabled: o.Enabled}
	names := p.Formats
	if o.Programs && find.Enables(o.Enabled, formats.Python) {
		if p.Code && c.Only == "" && c.Primary == "" {
			c.Primary = formats.Python
		}
		names = append(slices.Clone(names), formats.Python)
	}
	return find.Choose(names, p.Opened && think != model.ThinkOff, c)
}

// RememberStop notes that a run was stopped before its first token: the server of its model goes on reading that
// prompt.
func (e *Engine) RememberStop(name string) {
	place, _ := e.place(name)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped[place] = time.Now()
}

func (e *Engine) ForgetStop(name string) {
	place, _ := e.place(name)
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.stopped, place)
}

// StillReading reports whether a prompt that was stopped may still keep the server of a model busy.
func (e *Engine) StillReading(name string) bool {
	place, _ := e.place(name)
	e.mu.Lock()
	defer e.mu.Unlock()
	stopped := e.stopped[place]
	return !stopped.IsZero() && time.Since(stopped) < prefillMemory
}
