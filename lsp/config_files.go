package lsp

import (
	"context"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/settings"
	"github.com/assent-ls/assent/visible"
)

// configFiles are the open documents that configure Assent itself.
type configFiles struct {
	mu   sync.Mutex
	open map[string]configFile // guarded by mu, by documents.Key
}

// configFile is one of them.
type configFile struct {
	configfiles.Kind

	uri, path string
	places    configfiles.Places
}

// openConfig takes note of a document if it configures Assent. Nothing in it counts by being open.
func (s *Server) openConfig(uri, path string) {
	config, err := s.config()
	if err != nil {
		return
	}
	places := configfiles.Places{Config: config, Workspace: s.folders.holding(path)}
	for _, name := range []string{path, behindLinks(path)} { // the user's file may be a link into a folder of settings
		for _, at := range []configfiles.Places{places, {Config: behindLinks(config), Workspace: places.Workspace}} {
			if kind := at.KindOf(name); kind != configfiles.None {
				s.configFiles.mu.Lock()
				s.configFiles.open[documents.Key(uri)] = configFile{kind, uri, name, at}
				s.configFiles.mu.Unlock()
				return
			}
		}
	}
}

func (s *Server) closeConfig(uri string) {
	s.configFiles.mu.Lock()
	defer s.configFiles.mu.Unlock()
	delete(s.configFiles.open, documents.Key(uri))
}

// configFile finds an open document that configures Assent, as it stands now.
func (s *Server) configFile(uri string) (configFile, documents.Snapshot, bool) {
	s.configFiles.mu.Lock()
	file, ok := s.configFiles.open[documents.Key(uri)]
	s.configFiles.mu.Unlock()
	if !ok {
		return file, documents.Snapshot{}, false
	}
	snapshot, ok := s.store.Get(uri)
	return file, snapshot, ok
}

// savedConfig takes what the user saved into their own settings file; what is wrong in it its diagnostics say, and the last good
// value stays.
func (s *Server) savedConfig(file configFile) {
	if file.Kind == configfiles.UserSettings {
		if raw, err := settings.Read(file.path); err == nil {
			s.Settings.Set(settings.UserFile, raw)
		}
	}
	s.markConfigs()
}

// markConfigs publishes the diagnostics of all these documents again: what is right in one may depend on another.
func (s *Server) markConfigs() {
	s.configFiles.mu.Lock()
	defer s.configFiles.mu.Unlock()
	for _, file := range s.configFiles.open {
		s.diagnostics.mark(file.uri)
	}
}

// configDiagnostics says what is wrong in a file and what of it does not count.
func (s *Server) configDiagnostics(file configFile, text string) []configfiles.Diagnostic {
	var out []configfiles.Diagnostic
	if file.NeedsTrust() {
		out = append(out, s.trustDiagnostics(file, text)...)
	}
	switch file.Kind {
	case configfiles.UserSettings:
		return append(out, configfiles.DiagnoseSettings(s.Settings, "", text)...)
	case configfiles.WorkspaceSettings:
		return append(out, configfiles.DiagnoseSettings(s.Settings, file.places.Workspace, text)...)
	}
	return out
}

// rel is the path of the file in its workspace.
func (f configFile) rel() string { return f.places.Rel(f.path) }

// configActions lists what can be done with a file that configures Assent.
func (s *Server) configActions(ctx context.Context, file configFile) []chats.Action {
	if !file.NeedsTrust() {
		return nil
	}
	return s.trustActions(ctx, file)
}

// configHover explains the key at a place of a file that configures Assent.
func (s *Server) configHover(params protocol.HoverParams) *protocol.Hover {
	file, snapshot, ok := s.configFile(string(params.TextDocument.URI))
	if !ok {
		return nil
	}
	at := snapshot.Text.Offset(fromPosition(params.Position), s.store.Encoding())
	text, span, ok := configfiles.Hover(file.Schema(), snapshot.Text.String(), at)
	if !ok {
		return nil
	}
	r := s.rangeOf(snapshot, transcript.Span(span))
	return &protocol.Hover{Contents: protocol.MarkupContent{Kind: protocol.Markdown, Value: visible.Text(text)}, Range: &r}
}
