package lsp

import (
	"context"
	"slices"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
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
	folder := s.folders.holding(path)
	given := configfiles.Places{Config: config, State: s.State.Dir(), Workspace: folder, OtherServers: s.Settings.In(folder).MCPFiles}
	real := given
	real.Config, real.State = behindLinks(config), behindLinks(s.State.Dir())
	for _, name := range []string{path, behindLinks(path)} { // the user's file may be a link into a folder of settings
		for _, at := range []configfiles.Places{given, real} {
			if kind := at.KindOf(name); kind != configfiles.None {
				s.configFiles.mu.Lock()
				s.configFiles.open[documents.Key(uri)] = configFile{kind, uri, name, at}
				s.configFiles.mu.Unlock()
				return
			}
		}
	}
}

// reopenConfigs looks again at what the open files are that configured Assent in the folders of before.
func (s *Server) reopenConfigs() {
	s.configFiles.mu.Lock()
	before := s.configFiles.open
	s.configFiles.open = map[string]configFile{}
	s.configFiles.mu.Unlock()
	for _, file := range before {
		if path, err := documents.PathOf(file.uri); err == nil {
			s.openConfig(file.uri, path)
		}
		s.diagnostics.mark(file.uri)
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

// savedConfig takes what the user saved into their own settings file; what is wrong in it its diagnostics say, and the
// last good value stays.
func (s *Server) savedConfig(file configFile) {
	if file.Kind == configfiles.UserSettings {
		if raw, err := settings.Read(file.path); err == nil {
			s.Settings.Set(settings.UserFile, raw)
		}
	}
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
	switch {
	case file.Kind == configfiles.UserSettings:
		return slices.Concat(out, configfiles.DiagnoseSettings(s.Settings, "", text), s.undeclaredDatabases(text))
	case file.Kind == configfiles.WorkspaceSettings:
		return slices.Concat(out, configfiles.DiagnoseSettings(s.Settings, file.places.Workspace, text), s.undeclaredDatabases(text))
	case file.Kind == configfiles.GivenPermissions:
		return append(out, s.grantDiagnostics(text)...)
	case file.IsPrompt(), file.IsRules():
		return append(out, s.promptDiagnostics(file, text)...)
	case file.HasRules():
		return append(out, file.DiagnosePermissions(text, s.known(file))...)
	case file.Kind == configfiles.UserDatabases:
		return append(out, configfiles.DiagnoseDatabases(text)...)
	case file.HasServers():
		return append(out, s.serverDiagnostics(file, text)...)
	}
	return out
}

// rel is the path of the file in its workspace.
func (f configFile) rel() string { return f.places.Rel(f.path) }

// configActions lists what can be done at a place of a file that configures Assent. The first row is harmless.
func (s *Server) configActions(ctx context.Context, file configFile, snapshot documents.Snapshot, place protocol.Range, target ext.Target) []protocol.CodeAction {
	var out []protocol.CodeAction
	if file.NeedsTrust() {
		for _, a := range s.trustActions(ctx, file) {
			out = append(out, toAction(a, target))
		}
	}
	text, at := snapshot.Text.String(), s.spanOf(snapshot, place).Start
	if file.Kind == configfiles.GivenPermissions {
		return append(out, s.grantActions(text, at, target)...)
	}
	if file.IsPrompt() || file.IsRules() {
		return append(out, s.promptFileActions(file, target)...)
	}
	if file.Kind == configfiles.UserDatabases {
		return append(out, databaseActions(text, at, target)...)
	}
	if file.HasServers() {
		return append(out, s.serverActions(ctx, file, text, at, target)...)
	}
	if !file.HasRules() {
		return out
	}
	for _, change := range configfiles.RuleChanges(text, at) {
		action := protocol.CodeAction{Title: visible.Line(change.Title), Kind: actionKind}
		var edits []protocol.TextEdit
		for _, e := range change.Edits {
			edits = append(edits, protocol.TextEdit{Range: s.rangeOf(snapshot, transcript.Span(e.Span)), NewText: e.Text})
		}
		action.Edit = &protocol.WorkspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{protocol.DocumentURI(target.URI): edits}}
		out = append(out, action)
	}
	return append(out, toAction(chats.Action{Title: "Show what you always allow", Command: ext.ShowPermissions}, target))
}

// configHover explains what stands at a place of a file that configures Assent: its rule and its key.
func (s *Server) configHover(params protocol.HoverParams) *protocol.Hover {
	file, snapshot, ok := s.configFile(string(params.TextDocument.URI))
	if !ok {
		return nil
	}
	text, at := snapshot.Text.String(), snapshot.Text.Offset(fromPosition(params.Position), s.store.Encoding())
	said, span := s.ruleHover(file, text, at)
	switch {
	case file.IsPrompt(), file.IsRules():
		said, span = s.promptHover(file, text, at)
	case file.HasServers():
		said, span = s.serverHover(file, text, at)
	}
	if key, where, ok := configfiles.Hover(file.Schema(), text, at); ok && (said == "" || !file.HasServers()) {
		if said != "" {
			key = said + "\n\n---\n\n" + key
		}
		said, span = key, where
	}
	if said == "" {
		return nil
	}
	r := s.rangeOf(snapshot, transcript.Span(span))
	return &protocol.Hover{Contents: protocol.MarkupContent{Kind: protocol.Markdown, Value: visible.Text(said)}, Range: &r}
}
