package lsp

import (
	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/documents"
)

// publishNow sends the diagnostics of a document as they are now.
func (s *Server) publishNow(uri string) {
	chat, isChat := s.chats.Get(uri)
	file, _, isConfig := s.configs.Find(uri)
	if !isChat && !isConfig {
		s.reviews.Publish(uri)
		return
	}
	snapshot, ok := s.store.Get(uri)
	if !ok {
		return
	}
	var out []protocol.Diagnostic
	if isConfig {
		for _, d := range s.configs.Diagnostics(file, snapshot.Text.String()) {
			severity := protocol.DiagnosticSeverity(d.Severity)
			out = append(out, diagnosticOf(s, snapshot, transcript.Span(d.Span), severity, d.Message))
		}
		hints, _, _ := s.reviews.Diagnostics(uri)
		out = append(out, hints...)
	} else {
		out = s.chatDiagnostics(chat, snapshot)
		s.refreshLenses(chat)
		s.refreshHint(chat)
	}
	if err := s.client.PublishDiagnostics(protocol.DocumentURI(uri), snapshot.Version, out); err != nil {
		s.Log.Info("diagnostics were not sent", "error", err)
	}
}

func (s *Server) chatDiagnostics(chat *chats.Chat, snapshot documents.Snapshot) []protocol.Diagnostic {
	var out []protocol.Diagnostic
	for _, d := range features.Diagnostics(s.ctx, chat) {
		severity := protocol.DiagnosticSeverityInformation
		switch {
		case d.Warn:
			severity = protocol.DiagnosticSeverityWarning
		case d.Hint:
			severity = protocol.DiagnosticSeverityHint
		}
		out = append(out, diagnosticOf(s, snapshot, d.Span, severity, d.Message))
	}
	return out
}

func diagnosticOf(
	s *Server, d documents.Snapshot, at transcript.Span, severity protocol.DiagnosticSeverity, message string,
) protocol.Diagnostic {
	return protocol.Diagnostic{
		Range: s.rangeOf(d, at), Severity: severity, Source: convert.OwnSource, Message: visible.Text(message),
	}
}
