// Package prompts holds the prose that models read besides the tools' own descriptions: the system prompt with its
// layers, and the sentences that calls without a result are answered with.
package prompts

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed system.md
var builtIn string

// Options of Load.
type Options struct {
	Model  string // as the model server names it; empty: no file of a model is looked for
	Family string // the name of the model's profile; empty: no file of a family is looked for
	Preset string // see Presets; empty: none
	Whole  string // takes the place of all layers, as a flag says for one launch; empty: they count
	// Config is the user's configuration folder; empty means $XDG_CONFIG_HOME/assent, else ~/.config/assent.
	Config    string
	Workspace *workspace.Workspace // may be nil
	// Trusted says that the user trusts the workspace: only then are its prompts and its rules files used.
	Trusted bool
	Rules   []string // the rules files that are wanted; see RulesFiles
}

// Prompt is a system prompt and where it comes from.
type Prompt struct {
	Text   string
	Layers []Layer // in order, those that were not used included
}

// Hash names the text in 12 hexadecimal digits: equal texts have equal names, so that one sees whether a server can
// have it in its cache.
func (p Prompt) Hash() string {
	sum := sha256.Sum256([]byte(p.Text))
	return hex.EncodeToString(sum[:6])
}

// Layer is one source of a system prompt.
type Layer struct {
	// "built-in", "preset NAME", "user", "user, family NAME", "user, MODEL", the same of the workspace, "rules, FILE",
	// "whole"
	Name string
	Path string // absolute; empty for what is in no file
	Text string // what it adds to the prompt; empty if it is not used
	// Workspace says that it comes from the workspace: it counts only if that is trusted.
	Workspace bool
	Used      bool
	Why       string // why it is not used, or what a person should know about it; one sentence or empty
}

// String says in a line what became of the layer.
func (l Layer) String() string {
	line := l.Name + ": used"
	if !l.Used {
		line = l.Name + ": not used"
	}
	if l.Path != "" {
		line += " (`" + l.Path + "`)"
	}
	if l.Why != "" {
		line += ". " + l.Why
	}
	return line
}

// Load composes the system prompt for a model: the built-in text, the preset, then of the user's configuration folder
// prompts/system.md, the file for the model's family and that for the model (see FileName), then, if the user trusts
// the workspace, its rules files, and the same three files below its .assent. Each is put below what comes before it,
// or takes its place if it begins with YAML front matter that says "replace: true". Variables in them get their values
// (see Variables), but not in rules files. Equal files give equal texts, byte by byte; what cannot be seen is written
// out (<U+202E>).
//
// The error has one sentence for each file that should count and cannot; the prompt is complete without them.
func Load(ctx context.Context, o Options) (Prompt, error) {
	c := composer{values: Values(o), rules: map[string]string{}}
	c.prompt.Layers = []Layer{{Name: "built-in", Text: strings.TrimSpace(builtIn), Used: true}}
	for _, s := range sources(ctx, o) {
		c.add(s, o.Trusted)
	}
	var texts []string
	for _, l := range c.prompt.Layers {
		if l.Text != "" {
			texts = append(texts, l.Text)
		}
	}
	c.prompt.Text = strings.Join(texts, "\n\n")
	return c.prompt, errors.Join(c.failed...)
}

// composer puts layers on top of each other.
type composer struct {
	values map[string]string // of variables
	rules  map[string]string // the names of rules files that are used, by their text
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
	case s.rules != "":
		c.putRules(&layer, s.rules, data)
	default:
		c.put(&layer, data)
	}
	c.prompt.Layers = append(c.prompt.Layers, layer)
}

// put uses one layer's text.
func (c *composer) put(layer *Layer, data string) {
	front, start, err := splitFront(data)
	text := ""
	if err == nil {
		text, err = expand(newlines(data[start:]), c.values)
	}
	if err == nil {
		text, layer.Why, err = writtenOut(text, MaxSize)
	}
	if err != nil {
		err = fmt.Errorf("the prompt %q is not used: %w", cmp.Or(layer.Path, layer.Name), err)
		layer.Why = sentence(err)
		c.failed = append(c.failed, err)
		return
	}
	if text = strings.TrimSpace(text); text == "" && !front.Replace {
		layer.Why = "It is empty."
		return
	}
	layer.Used, layer.Text = true, text
	if !front.Replace {
		return
	}
	for i := range c.prompt.Layers {
		if below := &c.prompt.Layers[i]; below.Used {
			below.Used, below.Text, below.Why = false, "", fmt.Sprintf("The layer %q replaces it.", layer.Name)
		}
	}
}

// putRules uses a rules file, word for word, unless another one says the same.
func (c *composer) putRules(layer *Layer, name, data string) {
	text, why, err := writtenOut(newlines(strings.TrimPrefix(data, "\ufeff")), maxRules)
	text = strings.TrimSpace(text)
	same, twice := c.rules[text]
	switch {
	case err != nil:
		err = fmt.Errorf("the rules file %q is not used: %w", name, err)
		layer.Why = sentence(err)
		c.failed = append(c.failed, err)
	case text == "":
		layer.Why = "It is empty."
	case twice:
		layer.Why = fmt.Sprintf("It says the same as %q.", same)
	default:
		c.rules[text] = name
		layer.Used, layer.Text, layer.Why = true, RulesHeading(name)+"\n"+text, why
	}
}

// sentence is an error as a person reads it on its own.
func sentence(err error) string {
	text := strings.TrimSuffix(err.Error(), ".")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
