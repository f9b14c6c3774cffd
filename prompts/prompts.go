// Package prompts holds the prose that models read besides the tools' own descriptions: the system prompt with its
// layers, and the sentences that calls without a result are answered with.
package prompts

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed system.md
var builtIn string

// Options of Load.
type Options struct {
	Model string // as the model server names it; empty: no file of a model is looked for
	// Config is the user's configuration folder; empty means $XDG_CONFIG_HOME/assent, else ~/.config/assent.
	Config    string
	Workspace *workspace.Workspace // may be nil
	// Trusted says that the user trusts the workspace: only then are its prompts used.
	Trusted bool
}

// Prompt is a system prompt and where it comes from.
type Prompt struct {
	Text   string
	Layers []Layer // in order, those that were not used included
}

// Layer is one source of a system prompt.
type Layer struct {
	Name string // "built-in", "user", "user, MODEL", "workspace", "workspace, MODEL"
	Path string // absolute; empty for the built-in one
	// Workspace says that it comes from the workspace: it counts only if that is trusted.
	Workspace bool
	Used      bool
	Why       string // why it is not used, or what a person should know about it; one sentence or empty
}

// Load composes the system prompt for a model: the built-in text, then prompts/system.md of the user's configuration
// folder and the file for the model beside it (see FileName), then the same two below .assent of the workspace, if
// the user trusts it. Each is put below what comes before it, or takes its place if it begins with YAML front matter
// that says "replace: true". Equal files give equal texts, byte by byte; what cannot be seen is written out (<U+202E>).
//
// The error has one sentence for each file that should count and cannot; the prompt is complete without them.
func Load(ctx context.Context, o Options) (Prompt, error) {
	c := composer{prompt: Prompt{Text: strings.TrimSpace(builtIn), Layers: []Layer{{Name: "built-in", Used: true}}}}
	for _, s := range sources(ctx, o) {
		c.add(s, o.Trusted)
	}
	return c.prompt, errors.Join(c.failed...)
}

// composer puts layers on top of each other.
type composer struct {
	prompt Prompt
	failed []error
}

func (c *composer) add(s source, trusted bool) {
	data, found, err := s.read()
	if !found && err == nil {
		return
	}
	layer := Layer{Name: s.name, Path: s.path, Workspace: s.workspace}
	switch {
	case s.workspace && !trusted:
		layer.Why = "The workspace is not trusted, so its prompts are not used."
	case err != nil:
		layer.Why = sentence(err)
		c.failed = append(c.failed, err)
	default:
		c.put(&layer, data)
	}
	c.prompt.Layers = append(c.prompt.Layers, layer)
}

// put uses one layer's text.
func (c *composer) put(layer *Layer, data string) {
	front, text, err := splitFront(data)
	if err != nil {
		err = fmt.Errorf("the prompt %q is not used: %w", layer.Path, err)
		layer.Why = sentence(err)
		c.failed = append(c.failed, err)
		return
	}
	text, layer.Why = writeOut(text)
	if text = strings.TrimSpace(text); text == "" && !front.Replace {
		layer.Why = "It is empty."
		return
	}
	layer.Used = true
	if !front.Replace {
		c.prompt.Text = strings.TrimSpace(c.prompt.Text + "\n\n" + text)
		return
	}
	for i := range c.prompt.Layers {
		if below := &c.prompt.Layers[i]; below.Used {
			below.Used, below.Why = false, fmt.Sprintf("The layer %q replaces it.", layer.Name)
		}
	}
	c.prompt.Text = text
}

// sentence is an error as a person reads it on its own.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
