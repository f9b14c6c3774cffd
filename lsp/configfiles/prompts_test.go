package configfiles_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/lsp/configfiles"
)

func TestKindOfPrompts(t *testing.T) {
	places := configfiles.Places{Config: "/home/u/.config/assent", Workspace: "/w"}
	for path, want := range map[string]configfiles.Kind{
		"/home/u/.config/assent/prompts/system.md":            configfiles.UserPrompt,
		"/home/u/.config/assent/prompts/system.m-1b.md":       configfiles.UserPrompt,
		"/home/u/.config/assent/prompts/families/gemma3.md":   configfiles.UserPrompt,
		"/home/u/.config/assent/prompts/presets/mine.md":      configfiles.UserPrompt,
		"/home/u/.config/assent/prompts/notes.md":             configfiles.None,
		"/home/u/.config/assent/prompts/presets/deep/mine.md": configfiles.None,
		"/w/.assent/prompts/system.md":                        configfiles.WorkspacePrompt,
		"/w/.assent/prompts/families/gemma3.md":               configfiles.WorkspacePrompt,
		"/w/.assent/prompts/presets/mine.md":                  configfiles.None,
		"/w/.assent/prompts2/system.md":                       configfiles.None,
		"/w/system.md":                                        configfiles.None,
		"/w/sub/.assent/prompts/system.md":                    configfiles.None,
		"/w/AGENTS.md":                                        configfiles.WorkspaceRules,
		"/w/a/b/AGENTS.md":                                    configfiles.WorkspaceRules,
		"/w/CLAUDE.md":                                        configfiles.WorkspaceRules,
		"/w/.github/copilot-instructions.md":                  configfiles.WorkspaceRules,
		"/w/a/.cursorrules":                                   configfiles.None,
		"/elsewhere/AGENTS.md":                                configfiles.None,
	} {
		if got := places.KindOf(path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

func TestCompleteAPrompt(t *testing.T) {
	for marked, want := range map[string]string{
		"Use {{‸": "Use {{.Model}}", "Use {{‸}} and": "Use {{.Model}} and", "{{.Mo‸}}": "{{.Model}}", "{{.Mo‸del}}": "{{.Model}}", "{{- .‸ -}}": "{{- .Model -}}",
		"{{if eq .‸ \"x\"}}y{{end}}": "{{if eq .Model \"x\"}}y{{end}}", "{{‸ a {{.OS}}": "{{.Model}} a {{.OS}}",
		"‸": "", "{{.Model}} ‸": "", "{{/* ‸ */}}": "", "{{if eq .OS \"‸\"}}": "", "{‸": "",
	} {
		text, offset := at(t, marked)
		got := ""
		if all := configfiles.CompletePrompt(text, offset); len(all) > 0 {
			got = text[:all[0].Replace.Start] + all[0].Text + text[all[0].Replace.End:]
		}
		if got != want {
			t.Errorf("at %s:\ngot  %s\nwant %s", marked, got, want)
		}
	}
}

// FuzzPrompt: whatever is in a prompt, places lie in the text, and a prompt without an error has none when it is
// used.
func FuzzPrompt(f *testing.F) {
	for _, seed := range []string{"{{.Model}}", "---\nreplace: true\n---\n{{if .OS}}a{{end}}", "\ufeff---\r\n---\r\n{{.X}}\u202e", "{{", "{{/*", "caf\xe9", "{{define \"x\"}}{{end}}", "{{`}}"} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, offset int) {
		for _, k := range []configfiles.Kind{configfiles.UserPrompt, configfiles.WorkspaceRules} {
			for _, d := range k.DiagnosePrompt(text) {
				if d.Span.Start < 0 || d.Span.End > len(text) || d.Span.Start > d.Span.End || strings.Contains(d.Message, "\n") {
					t.Errorf("%q: %+v", text, d)
				}
			}
		}
		if offset < 0 || offset > len(text) {
			return
		}
		for _, c := range configfiles.CompletePrompt(text, offset) {
			if c.Replace.Start < 0 || c.Replace.End > len(text) || c.Replace.Start > c.Replace.End {
				t.Errorf("%q: %+v", text, c)
			}
		}
		configfiles.HoverPrompt(text, offset, nil)
	})
}
