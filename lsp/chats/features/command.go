package features

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/slash"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
)

// completeCommand lists the commands that the user's words can begin with.
func completeCommand(ctx context.Context, c *chats.Chat, words string, start, offset int) (list []Completion, ok bool) {
	typed := strings.TrimLeft(words, " \t\r\n")
	if name, isModel := strings.CutPrefix(typed, "/model "); isModel && !strings.ContainsAny(name, " \t\r\n") {
		return completeModels(ctx, c, "", transcript.Span{Start: offset - len(name), End: offset}), true
	}
	if name, isPreset := strings.CutPrefix(typed, "/prompt "); isPreset && !strings.ContainsAny(name, " \t\r\n") {
		return completePresets(c, "", transcript.Span{Start: offset - len(name), End: offset}), true
	}
	if !strings.HasPrefix(typed, "/") || strings.ContainsAny(typed, " \t\r\n") {
		return nil, false
	}
	at := start + len(words) - len(typed)
	for _, command := range c.Session.Commands(ctx) {
		if strings.HasPrefix("/"+command.Name, typed) {
			list = append(list, Completion{
				Text: "/" + command.Name, Doc: explainCommand(command),
				Kind: CommandCompletion, Replace: transcript.Span{Start: at, End: offset},
			})
		}
	}
	return list, true
}

// explainCommand describes a command in Markdown.
func explainCommand(c slash.Command) string {
	title := visible.Line(strings.TrimSpace(c.Name + " " + c.Arguments))
	if c.From == "" {
		title = "**/" + title + "**"
	} else {
		title = visible.CodeSpan("/" + title)
	}
	text := title + ": " + parsed.OneLine(c.Doc)
	if c.Problem != "" {
		return text + "\n\nIt cannot be used: " + parsed.OneLine(c.Problem)
	}
	if c.Template != "" {
		fence := transcript.FenceAround(c.Template)
		text += "\n\nIt is sent as\n\n" + fence + "\n" + visible.Text(c.Template) + "\n" + fence
	}
	if c.Path != "" {
		text += "\n\nFrom `" + visible.Line(c.Path) + "`."
	}
	return text
}

// commandDiagnostics says what is wrong with the command that the turn begins with that is not sent yet. It waits for
// no server.
func commandDiagnostics(ctx context.Context, c *chats.Chat, view parsed.View) []Diagnostic {
	w, ok := view.UnsentWord()
	if !ok {
		return nil
	}
	command, known := c.Session.CommandNow(ctx, w.Name)
	ofServer := strings.Contains(w.Name, ":") || w.Arguments == "" // or it is typed still
	switch {
	case !known && ofServer && c.AsksServers(w.Name):
		return nil
	case !known && w.Arguments == "" &&
		slices.ContainsFunc(
			c.Session.CommandsNow(ctx), func(c slash.Command) bool { return strings.HasPrefix(c.Name, w.Name) },
		):
		return nil // it is being typed
	case !known:
		return []Diagnostic{{
			Span: w.Span, Message: fmt.Sprintf("There is no command /%s, so these words are sent as they are.", w.Name),
		}}
	case command.Does != 0, command.From != "":
		return nil
	}
	if _, err := command.Expand(w.Arguments); err != nil {
		return []Diagnostic{{Span: w.Span, Warn: true, Message: parsed.OneLine(err.Error())}}
	}
	return nil
}
