package features

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools/background"
)

// started is a call of a chat that started a command in the background.
type started struct {
	call   transcript.Call
	status background.Status
	known  bool // false: the command was ended with an earlier session
}

// sentence says how the command is.
func (s started) sentence() string {
	if !s.known {
		return "It does not run any more: it was ended when this chat or Assent was closed."
	}
	return s.status.Sentence()
}

// startedIn are the calls of a chat that started commands in the background.
func startedIn(c *chats.Chat, view parsed.View) (list []started) {
	var now []background.Status
	for _, turn := range view.Chat.Turns {
		for call := range parsed.Blocks[transcript.Call](turn) {
			result, answered := view.Result(call.ID)
			newest, _ := view.Call(call.ID)
			if call.Tool != background.Start || newest.Span != call.Span || !answered {
				continue
			}
			if now == nil {
				now = session.BackgroundOf(c.Session).All()
			}
			i := slices.IndexFunc(now, func(s background.Status) bool { return s.ID == call.ID })
			switch {
			case i >= 0:
				list = append(list, started{call, now[i], true})
			case strings.Contains(result.Text, background.RunsAs):
				list = append(list, started{call: call})
			}
		}
	}
	return list
}

// backgroundActions are those of a command that was started by the call at a place.
func backgroundActions(c *chats.Chat, view parsed.View, span transcript.Span) (out []Action) {
	for _, s := range startedIn(c, view) {
		result, _ := view.Result(s.call.ID)
		if !s.known || !parsed.Touches(s.call.Span, span) && !parsed.Touches(result.Span, span) {
			continue
		}
		out = append(out, Action{Command: ext.ShowOutput, ID: s.status.ID})
		if s.status.State != background.Ended {
			out = append(out, Action{Command: ext.StopCommand, ID: s.status.ID})
		}
	}
	return out
}

// backgroundDiagnostics say which commands run in the background, and which do not any more.
func backgroundDiagnostics(c *chats.Chat, view parsed.View) (out []Diagnostic) {
	for _, s := range startedIn(c, view) {
		out = append(out, Diagnostic{
			Span: view.FirstLine(s.call.Span), Message: s.sentence(),
			Hint: !s.known || s.status.State == background.Ended,
		})
	}
	return out
}

// maxHovered is how many bytes of the end of its output the hover of a command shows.
const maxHovered = 2 << 10

// explainBackground says how the command is that a call started; empty: it started none.
func explainBackground(c *chats.Chat, view parsed.View, id string) string {
	for _, s := range startedIn(c, view) {
		if s.call.ID != id {
			continue
		}
		if out, ok := session.BackgroundOf(c.Session).Output(id); ok {
			out = strings.TrimSpace(out[max(0, len(out)-maxHovered):])
			fence := transcript.FenceAround(out)
			return fmt.Sprintf("\nThe end of its output, and how it is:\n\n%s\n%s\n%s\n", fence, out, fence)
		}
		return "\n" + s.sentence() + "\n"
	}
	return ""
}
