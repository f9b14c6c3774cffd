package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/folders"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools/diskfile"
)

// prompt is a file of prompts as package prompts names it.
func (f File) prompt() prompts.File {
	file := prompts.File{Path: f.path}
	if f.Kind == configfiles.WorkspacePrompt {
		file.Rel = f.rel()
	}
	return file
}

// layerOf is the layer that a file is in the prompt of the chat that is meant.
func layerOf(prompt prompts.Prompt, file File) (prompts.Layer, bool) {
	real := folders.BehindLinks(file.path)
	i := slices.IndexFunc(prompt.Layers, func(l prompts.Layer) bool {
		return l.Path != "" && (l.Path == file.path || folders.BehindLinks(l.Path) == real)
	})
	if i < 0 {
		return prompts.Layer{}, false
	}
	return prompt.Layers[i], true
}

// promptDiagnostics says what is wrong in a prompt or a rules file, whether it counts, and whether all together leaves
// room for a chat.
func (s *Files) promptDiagnostics(file File, text string) []configfiles.Diagnostic {
	out := file.DiagnosePrompt(text)
	env, o, err := s.promptOf(file.uri)
	if err != nil {
		return out
	}
	prompt, _ := prompts.Load(s.Context, o) // what is wrong with this file is in its layer
	layer, counts := layerOf(prompt, file)
	if !counts {
		return out
	}
	note := func(severity configfiles.Severity, sentence string) {
		out = append(
			out, configfiles.Diagnostic{Span: configfiles.FirstLine(text), Severity: severity, Message: sentence},
		)
	}
	if file.Kind == configfiles.UserPrompt && s.unsaved(file, text) {
		note(configfiles.Information, "This is not saved: what is on disk counts.")
	}
	wrong := slices.ContainsFunc(out, func(d configfiles.Diagnostic) bool { return d.Severity == configfiles.Error })
	switch {
	case layer.Workspace && !o.Trusted:
		note(
			configfiles.Information,
			"This folder is not trusted, so this file does not count. The code action Trust this folder lets it count.",
		)
	case !layer.Used && !wrong && layer.Why != "":
		note(configfiles.Information, layer.Why)
	}
	size := model.ChooseContext(env.Options.ContextSize, model.Info{})
	if n := env.Agent.Tokens(o.Model, prompt.Text); layer.Used && n > size/2 {
		note(
			configfiles.Warning,
			fmt.Sprintf(
				"The whole system prompt has ~%d tokens, more than half of the %d tokens of the context: "+
					"little is left for a chat.",
				n, size,
			),
		)
	}
	return out
}

// unsaved reports whether a file of the user's own is another one on disk; how lines end says nothing.
func (s *Files) unsaved(file File, text string) bool {
	data, err := diskfile.ReadSmall(file.path, prompts.MaxSize)
	same := func(text string) string {
		return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\ufeff"))
	}
	return err == nil && same(string(data)) != same(text)
}

// promptFileActions are those of a prompt or a rules file. The first row changes nothing.
func (s *Files) promptFileActions(file File) []features.Action {
	out := []features.Action{{Command: ext.ShowSystemPrompt}, {Command: ext.EditPrompt}}
	if file.Kind != configfiles.UserPrompt {
		if at, err := s.Folders.Of(file.path); err == nil && at.Workspace != nil &&
			!s.State.Trusted(at.Workspace.Key()) {
			out = append(out, features.Action{Command: ext.TrustFolder})
		}
	}
	if file.IsPrompt() {
		out = append(out, features.Action{Command: ext.ResetPrompt})
	}
	return out
}

// promptHover explains the variable at a place of a prompt or, on the first line, the whole prompt that the file is a
// part of.
func (s *Files) promptHover(file File, text string, at int) (string, configfiles.Span) {
	env, o, err := s.promptOf(file.uri)
	if err != nil {
		return "", configfiles.Span{}
	}
	if said, span, ok := configfiles.HoverPrompt(text, at, prompts.Values(o)); ok && file.IsPrompt() {
		return said, span
	}
	first := configfiles.FirstLine(text)
	if at > first.End {
		return "", configfiles.Span{}
	}
	prompt, err := prompts.Load(s.Context, o)
	said := features.ExplainPrompt(prompt, o.Model, env.Agent.Tokens)
	if err != nil {
		said = err.Error() + "\n\n" + said
	}
	return said, first
}

// PromptSize says how long a prompt is, and how long the whole is of which it is a part.
func (s *Files) PromptSize(file File, text string) string {
	env, o, err := s.promptOf(file.uri)
	if err != nil {
		return fmt.Sprintf("%d characters", utf8.RuneCountInString(text))
	}
	size := fmt.Sprintf("%d characters, ~%d tokens", utf8.RuneCountInString(text), env.Agent.Tokens(o.Model, text))
	prompt, _ := prompts.Load(s.Context, o) // the diagnostics say what cannot be used
	if layer, counts := layerOf(prompt, file); counts && layer.Used {
		size += fmt.Sprintf("; the whole prompt %s: ~%d tokens", prompt.Hash(), env.Agent.Tokens(o.Model, prompt.Text))
	}
	return size
}
