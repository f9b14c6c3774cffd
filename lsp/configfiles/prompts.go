package configfiles

import (
	"strings"

	"github.com/assent-ls/assent/prompts"
)

// DiagnosePrompt says what is wrong in the text of a prompt or a rules file.
func (k Kind) DiagnosePrompt(text string) []Diagnostic {
	problems := prompts.CheckRules(text)
	if k.IsPrompt() {
		problems = prompts.Check(text)
	}
	var out []Diagnostic
	for _, p := range problems {
		out = append(out, problemAt(p.Offset, p.Length, p.Warning, p.Reason))
	}
	return out
}

// CompletePrompt lists the variables that can be written at a place of a prompt, between braces; after two that are not
// closed they are closed, too.
func CompletePrompt(text string, at int) []Completion {
	start, end, ok := prompts.InBraces(text, at)
	if !ok {
		return nil
	}
	closing := ""
	line, _, _ := strings.Cut(text[end:], "\n")
	if next, _, found := strings.Cut(line, "}}"); !found || strings.Contains(next, "{{") {
		closing = "}}"
	}
	var out []Completion
	for _, v := range prompts.Variables() {
		out = append(
			out, Completion{Label: "." + v.Name, Doc: v.Doc, Replace: Span{start, end}, Text: "." + v.Name + closing},
		)
	}
	return out
}

// HoverPrompt explains the variable at a place of a prompt, with its value now.
func HoverPrompt(text string, at int, values map[string]string) (markdown string, span Span, ok bool) {
	v, start, end, ok := prompts.VariableAt(text, at)
	if !ok {
		return "", Span{}, false
	}
	value := "It is empty now."
	if values[v.Name] != "" {
		value = "Now: `" + values[v.Name] + "`."
	}
	return "**" + v.Name + "**\n\n" + v.Doc + "\n\n" + value, Span{start, end}, true
}
