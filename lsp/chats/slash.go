package chats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/slash"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/documents"
)

// commandWord is the command that a turn begins with: its name with the slash.
type commandWord struct {
	name, arguments string
	span            transcript.Span // of the name
	words           transcript.Span // of all words of the block
}

// commandOf finds the command that a turn begins with.
func (v view) commandOf(turn transcript.Turn) (w commandWord, ok bool) {
	if turn.Role != transcript.You || turn.Empty() {
		return w, false
	}
	text, ok := turn.Blocks[0].(transcript.Text)
	if !ok {
		return w, false
	}
	w.words = text.Span
	written := v.slice(text.Span.Start, text.Span.End)
	if w.name, w.arguments, ok = slash.Parse(written); !ok {
		return w, false
	}
	at := text.Span.Start + strings.IndexByte(written, '/')
	w.span = transcript.Span{Start: at, End: at + 1 + len(w.name)}
	return w, true
}

// unsentCommand is the command that the turn begins with that is not sent yet.
func (c *Chat) unsentCommand(ctx context.Context, view view) (w commandWord, command slash.Command, known bool) {
	w, ok := view.unsentWord()
	if ok {
		command, known = c.session.Command(ctx, w.name)
	}
	return w, command, known
}

func (v view) unsentWord() (w commandWord, ok bool) {
	if last := len(v.chat.Turns) - 1; last >= 0 {
		return v.commandOf(v.chat.Turns[last])
	}
	return w, false
}

// act does what the command says that the turn to be sent begins with; done is false where there is something to send.
func (c *Chat) act(ctx context.Context) (done bool, err error) {
	if !c.idle() {
		return false, nil // the session says why
	}
	view := c.view()
	w, command, known := c.unsentCommand(ctx, view)
	if !known || command.Does == 0 {
		return false, nil
	}
	if command.Arguments == "" && strings.TrimSpace(w.arguments) != "" {
		return true, fmt.Errorf("/%s takes no words behind it", w.name)
	}
	return true, c.do(ctx, view, w, command)
}

// do does one of the commands that are not sent, and takes its words out of the chat.
func (c *Chat) do(ctx context.Context, view view, w commandWord, command slash.Command) error {
	switch command.Does {
	case slash.New:
		env, err := c.environment()
		if err == nil && env.Workspace == nil {
			err = errors.New("this chat is in no workspace folder, where a new one could be made")
		}
		if err != nil {
			return err
		}
		if err := c.chats.NewChat(ctx, env.Workspace.Root(), transcript.UserText(w.arguments)); err != nil {
			return err
		}
	case slash.Model:
		if name := strings.TrimSpace(w.arguments); name == "" || strings.ContainsAny(name, " \t\r\n") {
			return errors.New("write one model's name behind /model: `assent models` lists those that are installed")
		}
		if err := c.setFront(ctx, "model", strings.TrimSpace(w.arguments)); err != nil {
			return err
		}
	case slash.Prompt:
		if preset := strings.TrimSpace(w.arguments); preset != "" {
			if err := c.setFront(ctx, "prompt", preset); err != nil {
				return err
			}
		} else if err := c.ShowSystemPrompt(ctx); err != nil {
			return err
		}
	case slash.Tools:
		if err := c.showPage(ctx, "tools", c.toolsPage()); err != nil {
			return err
		}
	case slash.Retry:
		asked, ok := view.askedBefore(w)
		if !ok {
			return errors.New("there is no question above to ask again")
		}
		if err := c.takeOut(ctx); err != nil {
			return err
		}
		return c.Retry(ctx, asked)
	case slash.Undo:
		if err := c.UndoTurn(ctx, ""); err != nil {
			return err
		}
	}
	return c.takeOut(ctx)
}

// askedBefore is where the last question stands above a command.
func (v view) askedBefore(w commandWord) (offset int, ok bool) {
	for _, turn := range v.chat.Turns {
		if turn.Role == transcript.You && !turn.Empty() && turn.Span.End <= w.span.Start {
			offset, ok = turn.Span.Start, true
		}
	}
	return offset, ok
}

// takeOut takes the words of the command out of the chat, which may have changed meanwhile.
func (c *Chat) takeOut(ctx context.Context) error {
	view := c.view()
	w, _, known := c.unsentCommand(ctx, view)
	if !known {
		return nil
	}
	return c.write(ctx, view, documents.Span(w.words), view.slice(w.words.Start, w.words.End), "")
}

// setFront gives a key of the chat's front matter a value.
func (c *Chat) setFront(ctx context.Context, key, value string) error {
	view := c.view()
	front := view.chat.Front.Span
	at, text := view.chat.SetFront(view.slice(front.Start, front.End), key, value)
	return c.write(ctx, view, documents.Span(at), view.slice(at.Start, at.End), text)
}

// toolsPage lists the tools of the chat.
func (c *Chat) toolsPage() string {
	var b strings.Builder
	b.WriteString("# Tools\n\nThe tools of this chat, as they were listed last. `tools:` in its front matter chooses some of them.\n")
	for _, s := range c.session.Tools() {
		from := ""
		if s.Origin != "" {
			from = " (" + visible.Line(string(s.Origin)) + ")"
		}
		fmt.Fprintf(&b, "\n- **%s**%s: %s", visible.Line(s.Name), from, oneLine(s.Description))
	}
	return b.String() + "\n"
}

// completeCommand lists the commands that the user's words can begin with.
func (c *Chat) completeCommand(ctx context.Context, words string, start, offset int) (list []Completion, ok bool) {
	typed := strings.TrimLeft(words, " \t\r\n")
	if name, isModel := strings.CutPrefix(typed, "/model "); isModel && !strings.ContainsAny(name, " \t\r\n") {
		return c.completeModels(ctx, "", transcript.Span{Start: offset - len(name), End: offset}), true
	}
	if name, isPreset := strings.CutPrefix(typed, "/prompt "); isPreset && !strings.ContainsAny(name, " \t\r\n") {
		for _, p := range c.presets() {
			list = append(list, Completion{Text: p.Name, Doc: p.Description, Replace: transcript.Span{Start: offset - len(name), End: offset}})
		}
		return list, true
	}
	if !strings.HasPrefix(typed, "/") || strings.ContainsAny(typed, " \t\r\n") {
		return nil, false
	}
	at := start + len(words) - len(typed)
	for _, command := range c.session.Commands(ctx) {
		if strings.HasPrefix("/"+command.Name, typed) {
			list = append(list, Completion{
				Text: "/" + command.Name, Doc: explainCommand(command), Kind: CommandCompletion, Replace: transcript.Span{Start: at, End: offset},
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
	text := title + ": " + oneLine(c.Doc)
	if c.Problem != "" {
		return text + "\n\nIt cannot be used: " + oneLine(c.Problem)
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
func (c *Chat) commandDiagnostics(ctx context.Context, view view) []Diagnostic {
	w, ok := view.unsentWord()
	if !ok {
		return nil
	}
	command, known := c.session.CommandNow(ctx, w.name)
	ofServer := strings.Contains(w.name, ":") || w.arguments == "" // or it is typed still
	switch {
	case !known && ofServer && c.asksServers(w.name):
		return nil
	case !known && w.arguments == "" && slices.ContainsFunc(c.session.CommandsNow(ctx), func(c slash.Command) bool { return strings.HasPrefix(c.Name, w.name) }):
		return nil // it is being typed
	case !known:
		return []Diagnostic{{Span: w.span, Message: fmt.Sprintf("There is no command /%s, so these words are sent as they are.", w.name)}}
	case command.Does != 0, command.From != "":
		return nil
	}
	if _, err := command.Expand(w.arguments); err != nil {
		return []Diagnostic{{Span: w.span, Warn: true, Message: oneLine(err.Error())}}
	}
	return nil
}

// askedCommand is a command that servers were asked for.
type askedCommand struct {
	name     string
	busy     bool // they are asked now
	answered bool // they were
}

// asksServers asks the servers that run whether they have a command, in the background: the diagnostics follow their
// answer. It reports whether none came yet.
func (c *Chat) asksServers(name string) bool {
	c.mu.Lock()
	if c.asked.name != name {
		c.asked = askedCommand{name: name}
	}
	begins, waits := !c.asked.busy, !c.asked.answered
	c.asked.busy = true
	c.mu.Unlock()
	if begins {
		c.chats.background(func() {
			_, known := slash.Find(c.session.Commands(c.chats.ctx), name)
			c.mu.Lock()
			news := c.asked.name == name && (known || !c.asked.answered)
			if c.asked.name == name {
				c.asked.busy, c.asked.answered = false, true
			}
			c.mu.Unlock()
			if news {
				c.chats.Host.Refresh(c.uri)
			}
		})
	}
	return waits
}
