package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools/editor"
)

// othersProblems reads the diagnostics of other servers that an editor sends with the request for a menu. What is odd
// in them is left out.
func othersProblems(raw json.RawMessage) (list []ext.Problem) {
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	for _, one := range all {
		var p ext.Problem
		if json.Unmarshal(one, &p) == nil && p.Source != convert.OwnSource && strings.TrimSpace(p.Message) != "" {
			list = append(list, p)
		}
	}
	return list
}

// problemsTime is how long a menu waits for what the editor knows.
const problemsTime = 500 * time.Millisecond

// problemsOn asks an editor that can tell for what other servers say about some lines.
func problemsOn(ctx context.Context, s *Server, uri string, r protocol.Range) (list []ext.Problem) {
	if !slices.Contains(s.client.Capabilities().Assent().Editor, editor.Diagnostics) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, problemsTime)
	defer cancel()
	answer, err := ask[ext.Diagnostics](ctx, knowledge{s}, ext.DiagnosticsMethod, ext.OfFile{URI: uri})
	if err != nil {
		s.Log.Info("what other servers say is not known", "error", err)
	}
	for _, d := range answer.Diagnostics {
		onLines := d.Range.Start.Line <= r.End.Line && r.Start.Line <= d.Range.End.Line
		if onLines && documents.Key(d.URI) == documents.Key(uri) && d.Source != convert.OwnSource &&
			strings.TrimSpace(d.Message) != "" {
			list = append(list, ext.Problem{Range: d.Range, Message: d.Message, Source: d.Source})
		}
	}
	return list
}

// problemsIn gives problems their lines, in the order of these.
func problemsIn(s *Server, d documents.Snapshot, all []ext.Problem) (list []chats.Problem) {
	for _, p := range all[:min(len(all), chats.MaxProblems)] {
		at := s.spanOf(d, convert.FromExtRange(p.Range)).Start
		list = append(
			list,
			chats.Problem{Line: strings.Count(d.Text.Slice(0, at), "\n") + 1, Message: p.Message, Source: p.Source},
		)
	}
	slices.SortStableFunc(list, func(a, b chats.Problem) int { return cmp.Compare(a.Line, b.Line) })
	return list
}
