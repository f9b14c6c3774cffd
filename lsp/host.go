package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/wire"
	"github.com/assent-ls/assent/tools/ledger"
)

// host shows things in the editor on behalf of chats.
type host struct{ server *Server }

// Refresh implements chats.Host.
func (h *host) Refresh(uri string) {
	h.server.diagnostics.mark(uri)
	h.server.state.urge()
}

// StateChanged implements chats.Host.
func (h *host) StateChanged() { h.server.state.mark() }

// FilesChanged implements chats.Host.
func (h *host) FilesChanged(l *ledger.Ledger) { h.server.refreshReviews(l) }

// ShowMessage implements chats.Host.
func (h *host) ShowMessage(level chats.Level, sentence string) {
	kind := map[chats.Level]protocol.MessageType{
		chats.Info: protocol.MessageTypeInfo, chats.Warning: protocol.MessageTypeWarning, chats.Error: protocol.MessageTypeError,
	}[level]
	if err := h.server.client.ShowNow(kind, visible.Line(sentence)); err != nil {
		h.server.Log.Info("a message was not shown", "error", err)
	}
}

// Progress implements chats.Host.
func (h *host) Progress(title string, cancel func()) chats.Progress {
	return progress{h.server.client.StartProgress(title, cancel)}
}

type progress struct{ shown *wire.Progress }

func (p progress) Report(sentence string) { p.shown.Report(visible.Line(sentence), nil) }
func (p progress) End(sentence string)    { p.shown.End(visible.Line(sentence)) }

// Percent implements chats.Host.
func (h *host) Percent(title, sentence string, cancel func()) chats.PercentProgress {
	return h.percent(nil)(title, sentence, cancel)
}

// percent shows how far something long is, under the token of a request or, if it is nil, a new one.
func (h *host) percent(token *protocol.ProgressToken) chats.StartPercent {
	return func(title, sentence string, cancel func()) chats.PercentProgress {
		return progress{h.server.client.StartPercent(token, title, visible.Line(sentence), cancel)}
	}
}

// ReportPercent implements chats.PercentProgress.
func (p progress) ReportPercent(sentence string, percent int) {
	p.shown.Report(visible.Line(sentence), &percent)
}

// Show implements chats.Host.
func (h *host) Show(ctx context.Context, uri string, line int) {
	h.show(ctx, uri, line, "Go on here")
}

func (h *host) show(ctx context.Context, uri string, line int, why string) {
	at := protocol.Position{Line: uint32(max(line, 0))}
	if err := h.server.client.ShowDocument(ctx, protocol.DocumentURI(uri), protocol.Range{Start: at, End: at}, why); err != nil {
		h.server.Log.Info("a document was not shown", "error", err)
	}
}

// ShowText implements chats.Host: the text is put into a file of the user's state folder, since every editor can show
// one. A client that cannot be asked to show it may have one line for messages, so these only say where the text is.
func (h *host) ShowText(ctx context.Context, name, text string) {
	s := h.server
	path, err := s.previews.write(diffName(name), text)
	switch {
	case err != nil:
		s.Log.Warn("the preview cannot be written", "error", err)
		h.ShowMessage(chats.Error, "The preview cannot be written into a file: hover on the call shows it, too.")
	case s.client.Capabilities().Window.ShowDocument.Support:
		h.show(ctx, documents.URIOf(path), 0, "What would happen")
	default:
		h.ShowMessage(chats.Info, "Hover on the call shows what would happen, and so does "+path)
	}
}

// diffName is the name of the file of a preview: editors colour a diff by it.
func diffName(name string) string { return name + ".diff" }

// ShowPage implements chats.Host.
func (h *host) ShowPage(ctx context.Context, name, markdown string) error {
	path, err := h.server.previews.write(name+".md", markdown)
	if err != nil {
		return fmt.Errorf("the page cannot be written into a file: %w", err)
	}
	return h.server.client.ShowDocument(ctx, protocol.DocumentURI(documents.URIOf(path)), protocol.Range{}, "The page is ready")
}

// ShowTable implements chats.Host.
func (h *host) ShowTable(ctx context.Context, name, csv string) error {
	path, err := h.server.tables.write(name+".csv", csv)
	if err != nil {
		return fmt.Errorf("the rows cannot be written into a file: %w", err)
	}
	return h.server.client.ShowDocument(ctx, protocol.DocumentURI(documents.URIOf(path)), protocol.Range{}, "The rows are there")
}

// UpdateText implements chats.Host. An editor that shows the file reads it again by itself, or when its user asks for
// it.
func (h *host) UpdateText(name, text string) {
	if _, err := h.server.previews.write(diffName(name), text); err != nil {
		h.server.Log.Info("a preview was not marked as over", "error", err)
	}
}

// ShowBeside implements chats.Host: it shows a document beside what the user does, if the editor can. Nothing else may
// come of it, since the user may be typing by now.
func (h *host) ShowBeside(ctx context.Context, path string) {
	if !h.server.client.Capabilities().Window.ShowDocument.Support {
		return
	}
	params := map[string]any{"uri": documents.URIOf(path), "takeFocus": false}
	if err := h.server.client.Call(ctx, "window/showDocument", params, nil); err != nil {
		h.server.Log.Info("a document was not shown", "error", err)
	}
}
