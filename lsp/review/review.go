// Package review shows the changes of files that wait for a decision, as hints, actions and hovers.
package review

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/folders"
	"github.com/assent-ls/assent/lsp/host"
	"github.com/assent-ls/assent/lsp/wire"
	"github.com/assent-ls/assent/tools/ledger"
)

// maxHinted is how many files that are not open get hints: an editor lists them all.
const maxHinted = 100

var errNoFolderOfFile = errors.New("this file is in no folder that the editor has open, so no change of it is known")

// Reviews are the changes of files that wait for a decision, as an editor shows them.
type Reviews struct {
	Options

	mu      sync.Mutex
	hinted  map[string]bool // guarded by mu, by URI: files for which hints are shown
	changed map[string]bool // guarded by mu, by URI: files whose changes were sent
}

// Options are what reviews depend on.
type Options struct {
	Log     *slog.Logger
	Context context.Context //nolint:containedctx // the life of all runs
	Client  *wire.Client
	Folders *folders.Folders
	Buffers *folders.Buffers
	Chats   *chats.Chats
	Host    *host.Host
	Refresh func(uri string)                      // publishes the diagnostics of a document again
	Chat    func(uri string) (*chats.Chat, error) // that a command means
}

// New makes them, with nothing shown.
func New(o Options) *Reviews {
	return &Reviews{Options: o, hinted: map[string]bool{}, changed: map[string]bool{}}
}

// Handler serves a command about changes.
type Handler[A any] func(s *Reviews, ctx context.Context, argument A) error

// ledgerOf finds the ledger that has the changes of a file, and the file's path in it, links followed.
func (s *Reviews) ledgerOf(uri string) (l *ledger.Ledger, abs string, err error) {
	path, err := documents.PathOf(uri)
	if err != nil {
		return nil, "", errNoFolderOfFile
	}
	root := s.Folders.Holding(path)
	if root == "" {
		return nil, "", errNoFolderOfFile
	}
	at, err := s.Folders.Of(path)
	if err != nil {
		return nil, "", err
	}
	return at.Ledger, folders.BehindLinks(path), nil
}

// hunksOf lists the changes of a file that wait for a decision, and the ledger that has them.
func (s *Reviews) hunksOf(ctx context.Context, uri string) (*ledger.Ledger, []ledger.Hunk, error) {
	l, abs, err := s.ledgerOf(uri)
	if err != nil {
		return nil, nil, err
	}
	hunks, err := l.Hunks(ctx, abs)
	return l, hunks, err
}

// Actions lists what can be decided about the changes on some lines of a file, the most harmless first.
func (s *Reviews) Actions(ctx context.Context, uri string, r protocol.Range) []features.Action {
	_, hunks, err := s.hunksOf(ctx, uri)
	if err != nil {
		if !errors.Is(err, errNoFolderOfFile) {
			s.Log.Info("the changes of a file are not known", "error", err)
		}
		return nil
	}
	i := slices.IndexFunc(hunks, func(h ledger.Hunk) bool { return onLines(h, int(r.Start.Line), int(r.End.Line)) })
	if i < 0 {
		return nil
	}
	h := hunks[i]
	out := []features.Action{
		{Command: ext.ReviewTurn},
		{Command: ext.KeepHunk, ID: h.ID},
	}
	if !h.Edited {
		out = append(out,
			features.Action{Command: ext.RejectHunk, ID: h.ID},
			features.Action{Command: ext.RejectWithReason, ID: h.ID})
	}
	return append(out,
		features.Action{Title: fmt.Sprintf("Keep all: %d in this file", len(hunks)), Command: ext.KeepAll},
		features.Action{Title: fmt.Sprintf("Reject all: %d in this file", len(hunks)), Command: ext.RejectAll})
}

// onLines reports whether a hunk is on some lines. Lines that were taken away are between two others.
func onLines(h ledger.Hunk, first, last int) bool {
	if h.Lines == 0 {
		return first <= h.Line && h.Line-1 <= last
	}
	return first < h.Line+h.Lines && h.Line <= last
}

// Hover shows what a turn changed at a line of a file: nobody decides on what they cannot see.
func (s *Reviews) Hover(ctx context.Context, params protocol.HoverParams) *protocol.Hover {
	_, hunks, err := s.hunksOf(ctx, string(params.TextDocument.URI))
	line := int(params.Position.Line)
	i := slices.IndexFunc(hunks, func(h ledger.Hunk) bool { return onLines(h, line, line) })
	if err != nil || i < 0 {
		return nil
	}
	diff := visible.Text(marked("-", hunks[i].Old) + marked("+", hunks[i].New))
	fence := transcript.FenceAround(diff)
	text := hint(hunks[i]) + "\n\n" + fence + "diff\n" + diff + fence
	return &protocol.Hover{Contents: protocol.MarkupContent{Kind: protocol.Markdown, Value: text}}
}

// marked puts a mark before each line of a text; it is bounded.
func marked(mark, text string) string {
	const most = 60 // lines
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > most {
			fmt.Fprintf(&b, "%s[%d more lines]\n", mark, strings.Count(text, "\n")-most)
			break
		}
		b.WriteString(mark + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}

// Hunk serves a command on a change of a file: the one with its ID, else the one at its place.
func Hunk(
	do func(s *Reviews, ctx context.Context, l *ledger.Ledger, h ledger.Hunk, why string) error,
) Handler[ext.Hunk] {
	return func(s *Reviews, ctx context.Context, at ext.Hunk) error {
		l, hunks, err := s.hunksOf(ctx, at.URI)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(hunks, func(h ledger.Hunk) bool {
			if at.ID != "" || at.Position == nil {
				return h.ID == at.ID
			}
			return onLines(h, int(at.Position.Line), int(at.Position.Line))
		})
		if i < 0 && at.ID == "" {
			return errors.New("no change waits for a decision here: put the cursor on a line that was changed")
		}
		if i < 0 {
			return ledger.ErrNoHunk
		}
		defer s.Refresh(at.URI)
		return do(s, ctx, l, hunks[i], at.Why)
	}
}

func (s *Reviews) KeepHunk(ctx context.Context, l *ledger.Ledger, h ledger.Hunk, _ string) error {
	return l.Keep(ctx, h.Path, h.ID)
}

func (s *Reviews) RejectHunk(ctx context.Context, l *ledger.Ledger, h ledger.Hunk, _ string) error {
	_, err := l.Reject(ctx, h.Path, h.ID, "")
	return err
}

// RejectWithReason rejects a hunk. Without a reason the user writes it into the chat, as the beginning of the next
// message.
func (s *Reviews) RejectWithReason(ctx context.Context, l *ledger.Ledger, h ledger.Hunk, why string) error {
	chat, err := l.Reject(ctx, h.Path, h.ID, why)
	if err != nil || why != "" {
		return err
	}
	s.Chats.SayWhy(
		ctx, chat,
		fmt.Sprintf("I rejected your change of `%s` at line %d, because ", s.Folders.Relative(h.Path), h.Line+1),
	)
	return nil
}

// AllHunks serves a command on all changes of a file.
func AllHunks(do func(s *Reviews, ctx context.Context, l *ledger.Ledger, abs, why string) error) Handler[ext.Hunk] {
	return func(s *Reviews, ctx context.Context, at ext.Hunk) error {
		l, abs, err := s.ledgerOf(at.URI)
		if err != nil {
			return err
		}
		defer s.Refresh(at.URI)
		return do(s, ctx, l, abs, at.Why)
	}
}

func (*Reviews) KeepAll(ctx context.Context, l *ledger.Ledger, abs, _ string) error {
	return l.KeepAll(ctx, abs)
}

func (s *Reviews) RejectAll(ctx context.Context, l *ledger.Ledger, abs, why string) error {
	edited, err := l.RejectAll(ctx, abs, why)
	if err == nil && edited > 0 {
		s.Host.ShowMessage(chats.Info,
			fmt.Sprintf(
				"%d changes stay, since somebody changed their lines: keep them, or change these lines yourself.",
				edited,
			))
	}
	return err
}

// ReviewTurn shows what a turn changed: that of a chat, or the newest one that changed the file.
func (s *Reviews) ReviewTurn(ctx context.Context, turn ext.Part) error {
	if _, isChat := s.Chats.Get(turn.URI); isChat || turn.URI == "" || turn.ID != "" {
		chat, err := s.Chat(turn.URI)
		if err != nil {
			return err
		}
		return chat.ReviewTurn(ctx, turn.ID)
	}
	l, abs, err := s.ledgerOf(turn.URI)
	if err != nil {
		return err
	}
	of, err := l.TurnOf(abs)
	if err != nil {
		return err
	}
	return s.Chats.ShowTurn(ctx, l, of)
}

// Publish sends hints for the changes of a file that wait for a decision. Where there were none and are none
// nothing is sent.
func (s *Reviews) Publish(uri string) {
	out, uri, version := s.Diagnostics(uri)
	if s.note(s.hinted, uri, len(out) > 0) || len(out) > 0 {
		if err := s.Client.PublishDiagnostics(protocol.DocumentURI(uri), version, out); err != nil {
			s.Log.Info("diagnostics were not sent", "error", err)
		}
	}
}

// Diagnostics are the diagnostics for the changes of a file that wait for a decision, which a client that takes more is
// sent, too. It also returns the name under which an editor knows the file, and its version there.
func (s *Reviews) Diagnostics(of string) (out []protocol.Diagnostic, uri string, version int32) {
	l, abs, err := s.ledgerOf(of)
	if err != nil {
		return nil, of, wire.NotOpen
	}
	hunks, err := l.Hunks(s.Context, abs)
	if err != nil {
		s.Log.Info("the changes of a file are not known", "error", err)
	}
	uri, version = documents.URIOf(abs), wire.NotOpen
	if snapshot, open := s.Buffers.Find(abs); open {
		uri, version = snapshot.URI, snapshot.Version
	}
	if err == nil {
		s.sendChanges(uri, version, hunks)
	}
	for _, h := range hunks {
		if h.Deleted { // a file that is not there has no lines: the document of its turn lists it
			continue
		}
		out = append(out, protocol.Diagnostic{
			Range: linesOf(h), Severity: protocol.DiagnosticSeverityHint, Source: convert.OwnSource, Message: hint(h),
		})
	}
	return out, uri, version
}

// linesOf are the lines of a hunk.
func linesOf(h ledger.Hunk) protocol.Range {
	return protocol.Range{
		Start: protocol.Position{Line: uint32(h.Line)}, End: protocol.Position{Line: uint32(h.Line + h.Lines)},
	}
}

// note notes in a set whether something is shown for a file, and returns whether something was before.
func (s *Reviews) note(set map[string]bool, uri string, shown bool) (before bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = set[uri]
	if delete(set, uri); shown {
		set[uri] = true
	}
	return before
}

// hint words a change that waits for a decision.
func hint(h ledger.Hunk) string {
	switch {
	case h.Made && h.Edited:
		return "Made in a chat, and changed since by somebody else: Keep hunk, or delete the file yourself."
	case h.Made:
		return "Made in a chat: Keep hunk or Reject hunk."
	case h.Edited:
		return "Changed in a chat, and since by somebody else: Keep hunk, or change the lines yourself."
	case h.New == "":
		return "Lines were taken out here in a chat: Keep hunk or Reject hunk."
	}
	return "Changed in a chat: Keep hunk or Reject hunk."
}

// HasHints reports whether hints are shown for a file.
func (s *Reviews) HasHints(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hinted[uri]
}

// RefreshAll looks again at the files that have hints, and at those that wait for a decision in a folder.
func (s *Reviews) RefreshAll(l *ledger.Ledger) {
	s.mu.Lock()
	shown := slices.Collect(maps.Keys(s.hinted))
	s.mu.Unlock()
	for _, uri := range shown {
		s.Refresh(uri)
	}
	if l == nil {
		return
	}
	waiting, err := l.Waiting()
	if err != nil {
		s.Log.Info("the changes of a folder are not known", "error", err)
	}
	closed := 0
	for _, w := range waiting {
		if _, open := s.Buffers.Find(w.Path); !open {
			if closed++; closed > maxHinted {
				continue
			}
		}
		s.Refresh(documents.URIOf(w.Path))
	}
}
