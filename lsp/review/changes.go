package review

import (
	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/wire"
	"github.com/assent-ls/assent/tools/ledger"
)

// sendChanges sends the changes of a file that wait for a decision to a client that takes them. Where there were none
// and are none nothing is sent.
func (s *Reviews) sendChanges(uri string, version int32, hunks []ledger.Hunk) {
	if !s.Client.Capabilities().Assent().Changes {
		return
	}
	if before := s.note(s.changed, uri, len(hunks) > 0); !before && len(hunks) == 0 {
		return
	}
	out := ext.Changes{URI: uri, Hunks: []ext.FileChange{}}
	if version != wire.NotOpen {
		out.Version = &version
	}
	for _, h := range hunks {
		c := ext.FileChange{ID: h.ID, Old: h.Old, New: h.New, Edited: h.Edited, Made: h.Made, Deleted: h.Deleted}
		if !h.Deleted {
			c.Range = convert.ToExtRange(linesOf(h))
		}
		out.Hunks = append(out.Hunks, c)
	}
	if err := s.Client.NotifyNewest(ext.ChangesMethod+" "+uri, ext.ChangesMethod, out); err != nil {
		s.Log.Info("the changes of a file were not sent", "error", err)
	}
}

// ForgetGone reports that nothing waits any more in files of folders that the editor closed, as far as it can be
// decided.
func (s *Reviews) ForgetGone() {
	s.mu.Lock()
	var gone []string
	for uri := range s.changed {
		if path, err := documents.PathOf(uri); err == nil && s.Folders.Holding(path) == "" {
			gone = append(gone, uri)
		}
	}
	s.mu.Unlock()
	for _, uri := range gone {
		s.sendChanges(uri, wire.NotOpen, nil)
	}
}

// SendWaiting sends what waits for a decision in all folders, as the editor does not ask for it.
func (s *Reviews) SendWaiting() {
	if !s.Client.Capabilities().Assent().Changes {
		return
	}
	for _, folder := range s.Folders.All() {
		s.RefreshAll(folder.Ledger)
	}
}
