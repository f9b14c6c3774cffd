package chats

import (
	"context"
	"path/filepath"
	"strings"
	"sync"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/tools"
)

// closedNotice is put above a preview whose question is no longer open.
const closedNotice = "This question is over: the call was answered, changed or given up. " +
	"Nothing below will run by it.\n\n"

// Preview shows what would happen if the question were answered with yes. It changes nothing. Each question has a
// document of its own, so that one that is still open never shows another call.
func (cs *Chats) Preview(ctx context.Context, id string) error {
	chat, q, ok := cs.question(id)
	if !ok {
		return ErrGone
	}
	name, text := previewName(q), previewText(chat.path, q)
	if chat.hand.asked(id) { // it has no end that could be marked
		cs.Host.ShowText(ctx, name, text)
		return nil
	}
	call := q.CallID
	if chat.hand.runs() != nil {
		call = "" // its output is not shown
	}
	chat.shown.keep(id, preview{call: call, name: name, text: text})
	cs.Host.ShowText(ctx, name, text)
	chat.shown.markClosed() // it may have been answered meanwhile
	return nil
}

// Look is Preview for a client that shows it itself.
func (cs *Chats) Look(id string) (title, text string, files []tools.FileEdit, err error) {
	chat, q, ok := cs.question(id)
	if !ok {
		return "", "", nil, ErrGone
	}
	for _, call := range q.Calls() {
		files = append(files, call.Files...)
	}
	return parsed.Does(q.AskedCall), previewText(chat.path, q), files, nil
}

// shownCalls are what people see of the calls of a chat besides the document: previews of what is asked, and the output
// of what runs.
type shownCalls struct {
	chat *Chat

	mu       sync.Mutex
	previews map[string]preview // guarded by mu, by question ID: shown, and not yet marked as over
	// guarded by mu, by call ID: calls that run, and answered ones whose question was shown
	live map[string]liveCall
}

// keep remembers the preview of a question.
func (h *shownCalls) keep(question string, p preview) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.previews[question] = p
}

// forget forgets the calls of the run before.
func (h *shownCalls) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.live = map[string]liveCall{}
}

// preview is a document that shows what a question asks.
type preview struct{ call, name, text string }

// markClosedPreviews marks the previews of questions that are no longer open. If the call runs, its output is shown
// there.
func (h *shownCalls) markClosed() {
	open := map[string]bool{}
	for _, q := range Questions(h.chat) {
		open[q.ID] = true
	}
	h.mu.Lock()
	var gone []preview
	for id, p := range h.previews {
		if !open[id] {
			gone = append(gone, p)
			delete(h.previews, id)
			if p.call != "" {
				l := h.live[p.call]
				l.preview = p
				h.live[p.call] = l
			}
		}
	}
	h.mu.Unlock()
	for _, p := range gone {
		h.chat.Chats.Host.UpdateText(p.name, closedNotice+p.text)
	}
}

// previewName is the title of a preview: the call, what it acts on, and a mark of the question, whose id itself stays
// secret.
func previewName(q event.Question) string {
	const maxName = 40
	base := []rune(filepath.Base(parsed.OneLine(q.Target)))
	if q.Target == "" {
		base = nil
	}
	what := q.CallID + "-" + q.Verb
	if q.Model != "" {
		what, base = "model", []rune(q.Model)
	}
	return documents.PageName(plainName(what+"-"+string(base[:min(len(base), maxName)]))+"-", q.ID)
}

// plainName makes a text harmless in the name of a file.
func plainName(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, text)
}

// previewText is a question in full: nothing that would run is left out.
func previewText(chat string, q event.Question) string {
	switch {
	case q.Pull:
		return "pull " + q.Target + "\n\n" + q.Preview
	case q.Model != "":
		return strings.Join(append([]string{"send " + visible.Line(chat) + " to " + q.Target, ""}, q.Reasons()...), "\n") + "\n" + q.Preview
	}
	var b strings.Builder
	for i, call := range q.Calls() {
		if i > 0 {
			b.WriteString("\n\n")
		}
		writeCall(&b, chat, call)
	}
	return b.String()
}

func writeCall(b *strings.Builder, chat string, call event.AskedCall) {
	b.WriteString(call.Does() + "\n")
	if call.CallID == "" {
		b.WriteString("for your message in " + visible.Line(chat) + "\n")
	} else {
		b.WriteString("call " + visible.Line(call.CallID) + " in " + visible.Line(chat) + "\n")
	}
	for _, why := range call.Reasons() {
		b.WriteString(why + "\n")
	}
	b.WriteString("\n")
	if call.Preview != "" {
		b.WriteString(call.Preview)
		return
	}
	if body, err := transcript.FormatArguments(call.Arguments); err == nil {
		b.WriteString(body)
	}
}
