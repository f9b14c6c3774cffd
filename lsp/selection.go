package lsp

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/wire"
)

// selectActions offers to take the chosen lines of a document for a chat.
func (s *Server) selectActions(uri string, r protocol.Range) []protocol.CodeAction {
	if path, err := documents.PathOf(uri); err != nil || r.Start == r.End || s.folders.Holding(path) == "" {
		return nil
	}
	return []protocol.CodeAction{commandAction(
		"Take these lines as @selection", ext.Select, ext.Code{URI: uri, Range: new(convert.ToExtRange(r))},
	)}
}

// takeSelection remembers the chosen lines of an open document for the mention @selection, as they are now.
func takeSelection(s *Server, _ context.Context, lines ext.Code) error {
	path, err := documents.PathOf(lines.URI)
	snapshot, open := s.store.Get(lines.URI)
	switch {
	case lines.URI == "" || lines.Range == nil:
		return errors.New("choose some lines of a document first, then take them from its menu of code actions")
	case err != nil || s.folders.Holding(path) == "":
		return fmt.Errorf("%s is in no folder that the editor has open", wire.DisplayPath(lines.URI))
	case !open:
		return fmt.Errorf("%s is not open in the editor", wire.DisplayPath(lines.URI))
	}
	first, last := min(lines.Range.Start.Line, lines.Range.End.Line), max(lines.Range.Start.Line, lines.Range.End.Line)
	if lines.Range.End.Character == 0 && last > first { // the end is before the first character of the line below
		last--
	}
	encoding := s.store.Encoding()
	text := snapshot.Text.Slice(
		snapshot.Text.Offset(documents.Position{Line: first}, encoding),
		snapshot.Text.Offset(documents.Position{Line: last + 1}, encoding),
	)
	s.mu.Lock()
	s.selection = &attach.Selection{Path: path, First: int(first) + 1, Last: int(last) + 1, Text: text}
	s.mu.Unlock()
	return s.client.ShowNow(
		protocol.MessageTypeInfo,
		visible.Line(fmt.Sprintf(
			"@selection means lines %d to %d of %s now.", first+1, last+1, wire.DisplayPath(lines.URI),
		)),
	)
}

// lastSelection is what @selection means; nil: nothing was taken yet.
func (s *Server) lastSelection() *attach.Selection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.selection
}
