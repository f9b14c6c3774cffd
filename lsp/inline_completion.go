package lsp

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/wire"
)

const (
	inlinePause  = 150 * time.Millisecond // without a change, before a model is asked
	inlineBefore = 6_000                  // bytes of the text in front of the cursor
	inlineAfter  = 2_000                  // and behind it
	inlineLines  = 12                     // of what is completed
)

// inlineCompletion has the model that the user chose for it write what is at the cursor of a file. It gives way to
// chats, and is for no file that a model may not read.
func (s *Server) inlineCompletion(
	ctx context.Context, params wire.InlineCompletionParams,
) (*wire.InlineCompletionList, error) {
	uri := string(params.TextDocument.URI)
	now := s.Settings.Get()
	snapshot, open := s.store.Get(uri)
	if now.CompleteModel == "" || !open || transcript.IsChat(uri) {
		return nil, nil
	}
	if _, _, err := codeFile(s, uri); err != nil {
		return nil, nil //nolint:nilerr // nobody asked for it by a word
	}
	if params.Context.TriggerKind != invoked && !s.rests(ctx, snapshot) {
		return nil, nil
	}
	at := s.offsetOf(snapshot, params.Position)
	text, err := s.agent.Insert(
		ctx, now.CompleteModel, around(snapshot.Text, at-inlineBefore, at),
		around(snapshot.Text, at, at+inlineAfter)+"\n", session.RunOptions(now, s.Settings),
	)
	if err != nil {
		if sentence := err.Error(); s.firstTime(sentence) { // it would come with each key
			s.host.ShowMessage(chats.Warning, sentence)
		}
		return nil, nil
	}
	if text = completed(text); text == "" {
		return nil, nil
	}
	place := s.positionOf(snapshot, at)
	return &wire.InlineCompletionList{
		Items: []wire.InlineCompletionItem{{InsertText: text, Range: protocol.Range{Start: place, End: place}}},
	}, nil
}

// rests reports whether a document is not changed for a while.
func (s *Server) rests(ctx context.Context, before documents.Snapshot) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(inlinePause):
	}
	now, open := s.store.Get(before.URI)
	return open && now.Version == before.Version
}

// around is a part of a text, in whole characters, with LF line ends.
func around(text documents.Text, start, end int) string {
	part := text.Slice(max(0, start), min(text.Len(), end))
	for part != "" && !utf8.RuneStart(part[0]) {
		part = part[1:]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(part, ""), "\r\n", "\n")
}

// completed is what is shown of what a model wrote: some whole lines. What has characters that nobody sees is not
// shown.
func completed(text string) string {
	lines := strings.SplitAfterN(text, "\n", inlineLines+1)
	text = strings.TrimRight(strings.Join(lines[:min(len(lines), inlineLines)], ""), " \t\r\n")
	if strings.TrimSpace(text) == "" || visible.Text(text) != text {
		return ""
	}
	return text
}
