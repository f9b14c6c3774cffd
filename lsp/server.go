// Package lsp serves one editor, with one file per method of the Language Server Protocol. It converts between the
// protocol's types and those of the packages below; logic lives there.
package lsp

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/meaning"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/config"
	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/finding"
	"github.com/assent-ls/assent/lsp/folders"
	"github.com/assent-ls/assent/lsp/host"
	"github.com/assent-ls/assent/lsp/review"
	"github.com/assent-ls/assent/lsp/tasks"
	"github.com/assent-ls/assent/lsp/wire"
)

// Options are what a server works with; cmd fills them.
type Options struct {
	session.Parts
	Version string
	// Agent makes the agent for the settings in force once the editor has given its own.
	Agent func(settings.Settings) (*agent.Agent, error)
	Log   *slog.Logger
	Begin string // what New chat begins a chat with; empty: nothing
}

// Server is one connection with one editor and all that it knows.
type Server struct {
	Options
	client *wire.Client
	agent  *agent.Agent
	ranks  *meaning.Ranking // what calls search through; nil: the user chose no model for it
	ctx    context.Context  //nolint:containedctx // the life of all runs
	cancel context.CancelFunc

	store       *documents.Store
	buffers     *folders.Buffers
	folders     *folders.Folders
	chats       *chats.Chats
	host        *host.Host
	configs     *config.Files
	reviews     *review.Reviews
	finder      *finding.Finder
	diagnostics *diagnostics
	state       stateFeed
	lenses      *refresher
	hints       *refresher // inlay hints
	tasks       tasks.Group

	mu     sync.Mutex
	warned map[string]bool // guarded by mu: sentences that are shown once
	shown  map[string]bool // guarded by mu: the outputs of commands that are shown and still grow

	started settings.Settings // guarded by mu: what counts of settings that need a restart
	restart string            // guarded by mu: the sentence about a restart that was shown last

	selection *attach.Selection // guarded by mu: the lines that were taken last; replaced, never changed
}

// settingsIn reads the settings of a folder of the editor, which may only tighten those of the user; empty: of none.
func (s *Server) settingsIn(folder string) settings.Settings {
	if folder == "" {
		return s.Settings.Get()
	}
	raw, err := settings.Read(settings.WorkspacePath(folder))
	if err != nil {
		s.complain([]settings.Problem{{Source: settings.Workspace, Reason: err.Error()}})
	} else {
		s.complain(s.Settings.SetWorkspace(folder, raw))
	}
	return s.Settings.In(folder)
}

// opened finds an open chat with its document as it is now.
func (s *Server) opened(uri protocol.DocumentURI) (*chats.Chat, documents.Snapshot, bool) {
	chat, ok := s.chats.Get(string(uri))
	if !ok {
		return nil, documents.Snapshot{}, false
	}
	snapshot, ok := s.store.Get(string(uri))
	return chat, snapshot, ok
}

// rangeOf gives a span of a document its positions.
func (s *Server) rangeOf(d documents.Snapshot, span transcript.Span) protocol.Range {
	return convert.RangeIn(d, span, s.store.Encoding())
}

// spanOf gives a range of a document its offsets.
func (s *Server) spanOf(d documents.Snapshot, r protocol.Range) transcript.Span {
	return convert.SpanIn(d, r, s.store.Encoding())
}

// offsetOf gives a position in a document its offset.
func (s *Server) offsetOf(d documents.Snapshot, at protocol.Position) int {
	return d.Text.Offset(documents.Position(at), s.store.Encoding())
}

// positionOf gives an offset of a document its position.
func (s *Server) positionOf(d documents.Snapshot, offset int) protocol.Position {
	return protocol.Position(d.Text.Position(offset, s.store.Encoding()))
}

// complain shows the user what of the settings was not used, once for each start.
func (s *Server) complain(problems []settings.Problem) {
	for _, p := range problems {
		s.Log.Warn("a setting was not used", "problem", p.String())
		if !s.firstTime(p.String()) {
			continue
		}
		if err := s.client.ShowMessage(s.ctx, protocol.MessageTypeWarning, p.String()); err != nil {
			s.Log.Info("a message was not shown", "error", err)
		}
	}
}

// firstTime reports whether this sentence was not warned of before, and notes that it is now.
func (s *Server) firstTime(sentence string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	again := s.warned[sentence]
	s.warned[sentence] = true
	return !again
}

// begun takes the settings in force as those that the server started with.
func (s *Server) begun() {
	now := s.Settings.Get()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = now
}

// sayRestart tells the user which settings that changed count only after a restart, once for each set of them.
func (s *Server) sayRestart() {
	now, sentence := s.Settings.Get(), ""
	s.mu.Lock()
	names := settings.NeedRestart(s.started, now)
	if names != nil {
		sentence = "Restart the server of Assent: what you changed counts only then: " + strings.Join(names, ", ") + "."
	}
	again := sentence == s.restart
	s.restart = sentence
	s.mu.Unlock()
	switch {
	case again || sentence == "":
	case s.client.Capabilities().Assent().Restart:
		wanted := ext.RestartWanted{Settings: names, Sentence: sentence}
		if err := s.client.Notify(s.ctx, ext.RestartMethod, wanted); err != nil {
			s.Log.Info("no restart was offered", "error", err)
		}
	default:
		s.host.ShowMessage(chats.Info, sentence)
	}
}

// takesEdits is an error for an editor that cannot write what the server wants to.
func (s *Server) takesEdits() error {
	if s.client.Capabilities().Workspace.ApplyEdit {
		return nil
	}
	return errors.New("this editor does not say that it takes edits of a server, so a reply has no place: " +
		"if it does all the same, set assumeEdits; " +
		"`assent send FILE` needs no editor")
}
