package lsp

import (
	"context"

	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/wire"
	"github.com/assent-ls/assent/tools/ledger"
)

// sendChanges sends the changes of a file that wait for a decision to a client that takes them. Where there were none
// and are none nothing is sent.
func (s *Server) sendChanges(uri string, version int32, hunks []ledger.Hunk) {
	if !s.client.Capabilities().Assent().Changes {
		return
	}
	s.mu.Lock()
	before := s.changed[uri]
	if delete(s.changed, uri); len(hunks) > 0 {
		s.changed[uri] = true
	}
	s.mu.Unlock()
	if !before && len(hunks) == 0 {
		return
	}
	out := ext.Changes{URI: uri, Hunks: []ext.FileChange{}}
	if version != wire.NotOpen {
		out.Version = &version
	}
	for _, h := range hunks {
		c := ext.FileChange{ID: h.ID, Old: h.Old, New: h.New, Edited: h.Edited, Made: h.Made, Deleted: h.Deleted}
		if !h.Deleted {
			c.Range = ext.Range{Start: ext.Position{Line: uint32(h.Line)}, End: ext.Position{Line: uint32(h.Line + h.Lines)}}
		}
		out.Hunks = append(out.Hunks, c)
	}
	if err := s.client.Notify(s.ctx, ext.ChangesMethod+" "+uri, ext.ChangesMethod, out); err != nil {
		s.Log.Info("the changes of a file were not sent", "error", err)
	}
}

// forgetChanges says of files in folders that the editor closed that nothing of them waits any more, as far as it can
// be decided.
func (s *Server) forgetChanges() {
	s.mu.Lock()
	var gone []string
	for uri := range s.changed {
		if path, err := documents.PathOf(uri); err == nil && s.folders.holding(path) == "" {
			gone = append(gone, uri)
		}
	}
	s.mu.Unlock()
	for _, uri := range gone {
		s.sendChanges(uri, wire.NotOpen, nil)
	}
}

// sendWaitingChanges sends what waits for a decision in all folders, as the editor does not ask for it.
func (s *Server) sendWaitingChanges() {
	if !s.client.Capabilities().Assent().Changes {
		return
	}
	for _, folder := range s.folders.all() {
		s.refreshReviews(folder.ledger)
	}
}

// preview shows what a pending call would do, for a client that shows it itself.
func (s *Server) preview(_ context.Context, q ext.Question) (ext.Preview, error) {
	title, text, files, err := s.chats.Look(q.ID)
	if err != nil {
		return ext.Preview{}, err
	}
	out := ext.Preview{Title: title, Text: text, Files: []ext.FilePreview{}}
	for _, f := range files {
		out.Files = append(out.Files, ext.FilePreview{URI: documents.URIOf(f.Path), Path: f.Rel, Before: f.Before, After: f.After})
	}
	return out, nil
}
