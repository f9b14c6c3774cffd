// Package host shows things in the editor for chats: messages, progress, documents and pages.
package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"path/filepath"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/wire"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/workspace"
)

// Host shows things in the editor on behalf of chats.
//
// The exported fields are set before it is used: each is called by the method of chats.Host that it is named after.
type Host struct {
	client           *wire.Client
	log              *slog.Logger
	previews, tables previews

	OnRefresh      func(uri string)
	OnStateChanged func()
	OnFilesChanged func(l *ledger.Ledger)
	Confined       func(path string) (sentence, by string, ok bool)
}

// New makes a host that puts what it shows as files below a folder.
func New(client *wire.Client, log *slog.Logger, dir string) *Host {
	return &Host{
		client: client, log: log, previews: previews{filepath.Join(dir, "previews"), maxPreviews},
		tables: previews{filepath.Join(dir, "tables"), maxTables},
	}
}

// Refresh implements chats.Host.
func (h *Host) Refresh(uri string) { h.OnRefresh(uri) }

// StateChanged implements chats.Host.
func (h *Host) StateChanged() { h.OnStateChanged() }

// FilesChanged implements chats.Host.
func (h *Host) FilesChanged(l *ledger.Ledger) { h.OnFilesChanged(l) }

// ShowMessage implements chats.Host.
func (h *Host) ShowMessage(level chats.Level, sentence string) {
	if err := h.client.ShowNow(protocol.MessageType(level), visible.Line(sentence)); err != nil {
		h.log.Info("a message was not shown", "error", err)
	}
}

// Progress implements chats.Host.
func (h *Host) Progress(title string, cancel func()) chats.Progress {
	return progress{h.client.StartProgress(title, cancel)}
}

type progress struct{ shown *wire.Progress }

func (p progress) Report(sentence string) { p.shown.Report(visible.Line(sentence), nil) }
func (p progress) End(sentence string)    { p.shown.End(visible.Line(sentence)) }

// Percent implements chats.Host.
func (h *Host) Percent(title, sentence string, cancel func()) chats.Progress {
	return h.PercentUnder(nil)(title, sentence, cancel)
}

// PercentUnder shows how far something long is, under the token of a request or, if it is nil, a new one.
func (h *Host) PercentUnder(token *protocol.ProgressToken) chats.StartPercent {
	return func(title, sentence string, cancel func()) chats.Progress {
		return progress{h.client.StartPercent(token, title, visible.Line(sentence), cancel)}
	}
}

// ReportPercent implements chats.Progress.
func (p progress) ReportPercent(sentence string, percent int) {
	p.shown.Report(visible.Line(sentence), &percent)
}

// Show implements chats.Host.
func (h *Host) Show(ctx context.Context, uri string, line int) {
	h.show(ctx, uri, line, "Go on here")
}

func (h *Host) show(ctx context.Context, uri string, line int, why string) {
	at := protocol.Position{Line: uint32(max(line, 0))}
	if err := h.client.ShowDocument(
		ctx, protocol.DocumentURI(uri), protocol.Range{Start: at, End: at}, why,
	); err != nil {
		h.log.Info("a document was not shown", "error", err)
	}
}

// ShowText implements chats.Host: the text is put into a file of the user's state folder, since every editor can show
// one. A client that cannot be asked to show it may have one line for messages, so these only say where the text is.
func (h *Host) ShowText(ctx context.Context, name, text string) {
	path, err := h.previews.write(DiffName(name), text)
	switch {
	case err != nil:
		h.log.Warn("the preview cannot be written", "error", err)
		h.ShowMessage(chats.Error, "The preview cannot be written into a file: hover on the call shows it, too.")
	case h.client.Capabilities().Window.ShowDocument.Support:
		h.show(ctx, documents.URIOf(path), 0, "What would happen")
	default:
		h.ShowMessage(chats.Info, "Hover on the call shows what would happen, and so does "+path)
	}
}

// DiffName is the name of the file of a preview: editors colour a diff by it.
func DiffName(name string) string { return name + ".diff" }

// ShowPage implements chats.Host.
func (h *Host) ShowPage(ctx context.Context, name, markdown string) error {
	return h.ShowWritten(ctx, name+".md", markdown, "the page", "The page is ready")
}

// ShowWritten writes a text that is shown into a file, and opens it. what names it, should it not be written; the
// sentence why is for a client that cannot open it.
func (h *Host) ShowWritten(ctx context.Context, name, text, what, why string) error {
	return h.showWritten(ctx, h.previews, name, text, what, why)
}

func (h *Host) showWritten(ctx context.Context, in previews, name, text, what, why string) error {
	path, err := in.write(name, text)
	if err != nil {
		return fmt.Errorf("%s cannot be written into a file: %w", what, err)
	}
	return h.ShowFile(ctx, path, why)
}

// ShowFile opens a file. The sentence why is for a client that cannot.
func (h *Host) ShowFile(ctx context.Context, path, why string) error {
	return h.client.ShowDocument(ctx, protocol.DocumentURI(documents.URIOf(path)), protocol.Range{}, why)
}

// PagePath is the file of a page of this name.
func (h *Host) PagePath(name string) string { return filepath.Join(h.previews.dir, name+".md") }

// ShowTable implements chats.Host.
func (h *Host) ShowTable(ctx context.Context, name, csv string) error {
	return h.showWritten(ctx, h.tables, name+".csv", csv, "the rows", "The rows are there")
}

// UpdateText implements chats.Host. An editor that shows the file reads it again by itself, or when its user asks for
// it.
func (h *Host) UpdateText(name, text string) {
	if _, err := h.previews.write(DiffName(name), text); err != nil {
		h.log.Info("a preview was not marked as over", "error", err)
	}
}

// ShowOutput implements chats.Host: a client that does not take assent/output is shown a file.
func (h *Host) ShowOutput(ctx context.Context, o ext.Output) {
	if h.client.Capabilities().Assent().Output {
		if err := h.client.Notify(ctx, ext.OutputMethod, o); err != nil {
			h.log.Info("output was not shown", "error", err)
		}
		return
	}
	path, err := h.previews.write(outputName(o), outputText(o))
	switch {
	case err != nil:
		h.log.Warn("output cannot be written into a file", "error", err)
		h.ShowMessage(chats.Error, "The output cannot be written into a file: hover on the call shows its end, too.")
	case h.client.Capabilities().Window.ShowDocument.Support:
		h.show(ctx, documents.URIOf(path), 0, o.Title)
	default:
		h.ShowMessage(chats.Info, "Hover on the call shows the end of its output, and so does "+path)
	}
}

// UpdateOutput implements chats.Host.
func (h *Host) UpdateOutput(o ext.Output) {
	var err error
	if h.client.Capabilities().Assent().Output {
		err = h.client.NotifyNewest(ext.OutputMethod+" "+outputName(o), ext.OutputMethod, o)
	} else {
		_, err = h.previews.write(outputName(o), outputText(o))
	}
	if err != nil {
		h.log.Info("output was not updated", "error", err)
	}
}

// outputName names the output of a call.
func outputName(o ext.Output) string {
	sum := sha256.Sum256([]byte(o.URI + " " + o.Call))
	return "output-" + hex.EncodeToString(sum[:6]) + ".log"
}

func outputText(o ext.Output) string {
	text := o.Title + "\n\n" + o.Text + "\n"
	if o.Over {
		text += "\n[The call has ended: its result is in the chat.]\n"
	}
	return text
}

// ShowBeside implements chats.Host: it shows a document beside what the user does, if the editor can. Nothing else may
// come of it, since the user may be typing by now.
func (h *Host) ShowBeside(ctx context.Context, path string) {
	if !h.client.Capabilities().Window.ShowDocument.Support {
		return
	}
	params := map[string]any{"uri": documents.URIOf(path), "takeFocus": false}
	if err := h.client.Call(ctx, "window/showDocument", params, nil); err != nil {
		h.log.Info("a document was not shown", "error", err)
	}
}

// WarnOfSession says that the trust in a workspace lasts for this session only, if that is so.
func (h *Host) WarnOfSession(key string) error {
	if workspace.Lasting(key) {
		return nil
	}
	return h.client.ShowNow(protocol.MessageTypeWarning, workspace.SessionOnly(key))
}

// Confinement implements chats.Host.
func (h *Host) Confinement(path string) string {
	sentence, by, ok := h.Confined(path)
	if ok && by == "" {
		return "The sandbox for commands was not tried yet: the first command does that."
	}
	return sentence
}
