// Package config serves the open documents that configure Assent: settings, rules, prompts, MCP servers and databases.
package config

import (
	"context"
	"slices"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/folders"
	"github.com/assent-ls/assent/lsp/host"
	"github.com/assent-ls/assent/lsp/tasks"
	"github.com/assent-ls/assent/lsp/wire"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sql"
	"github.com/assent-ls/assent/tools/trust"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// Files are the open documents that configure Assent itself, and what their commands do.
type Files struct {
	Options

	mu   sync.Mutex
	open map[string]File // guarded by mu, by documents.Key

	shownLogins map[string][]string // guarded by mu: where the user was told that they would log in, by server
	loggingIn   map[string]bool     // guarded by mu: the servers at which a login goes on
	// guarded by mu: what the user was shown last of MCP servers that need trust, by workspace and place
	shownServers map[string]string
}

// Options are what configs depend on.
type Options struct {
	Settings  *settings.Store
	State     *userstate.State
	Policy    *policy.Policy
	Trust     *trust.Store
	Databases func(ws *workspace.Workspace, now func() settings.Settings) *sql.Source // nil: there are none

	Context context.Context //nolint:containedctx // the life of all runs
	Tasks   *tasks.Group    // what goes on after an answer
	Client  *wire.Client
	Store   *documents.Store
	Folders *folders.Folders
	Buffers *folders.Buffers
	Host    *host.Host

	Config func() (string, error) // the user's configuration folder
	// publishes the diagnostics of a document again
	Refresh     func(uri string)
	ToAction    func(a features.Action, target ext.Target) protocol.CodeAction // makes an action of a command
	Chat        func(uri string) (*chats.Chat, error)                          // that a command means
	Environment func(path string) (session.Environment, error)                 // of a chat
	SettingsIn  func(folder string) settings.Settings                          // in force in a folder
}

// New makes them, with no document open.
func New(o Options) *Files {
	return &Files{
		Options: o, open: map[string]File{}, shownLogins: map[string][]string{}, loggingIn: map[string]bool{},
		shownServers: map[string]string{},
	}
}

// Handler serves a command about such a document.
type Handler[A any] func(s *Files, ctx context.Context, argument A) error

// rangeOf gives a span of a document its positions.
func (s *Files) rangeOf(d documents.Snapshot, span transcript.Span) protocol.Range {
	return convert.RangeIn(d, span, s.Store.Encoding())
}

// File is one of them.
type File struct {
	configfiles.Kind

	uri, path string
	places    configfiles.Places
}

// Open takes note of a document if it configures Assent. Nothing in it counts by being open.
func (s *Files) Open(uri, path string) {
	config, err := s.Config()
	if err != nil {
		return
	}
	folder := s.Folders.Holding(path)
	given := configfiles.Places{
		Config: config, State: s.State.Dir(), Workspace: folder, OtherServers: s.Settings.In(folder).MCPFiles,
	}
	real := given
	real.Config, real.State = folders.BehindLinks(config), folders.BehindLinks(s.State.Dir())
	// the user's file may be a link into a folder of settings
	for _, name := range []string{path, folders.BehindLinks(path)} {
		for _, at := range []configfiles.Places{given, real} {
			if kind := at.KindOf(name); kind != configfiles.None {
				s.mu.Lock()
				s.open[documents.Key(uri)] = File{kind, uri, name, at}
				s.mu.Unlock()
				return
			}
		}
	}
}

// Reopen looks again at what the open files are that configured Assent in the folders of before.
func (s *Files) Reopen() {
	s.mu.Lock()
	before := s.open
	s.open = map[string]File{}
	s.mu.Unlock()
	for _, file := range before {
		if path, err := documents.PathOf(file.uri); err == nil {
			s.Open(file.uri, path)
		}
		s.Refresh(file.uri)
	}
}

func (s *Files) Close(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, documents.Key(uri))
}

// offset is where in a document a command is meant.
func offset(s *Files, snapshot documents.Snapshot, at *ext.Position) int {
	return snapshot.Text.Offset(documents.Position(*at), s.Store.Encoding())
}

// Find finds an open document that configures Assent, as it is now.
func (s *Files) Find(uri string) (File, documents.Snapshot, bool) {
	s.mu.Lock()
	file, ok := s.open[documents.Key(uri)]
	s.mu.Unlock()
	if !ok {
		return file, documents.Snapshot{}, false
	}
	snapshot, ok := s.Store.Get(uri)
	return file, snapshot, ok
}

// Saved takes what the user saved into their own settings file; what is wrong in it its diagnostics say, and the
// last good value stays.
func (s *Files) Saved(file File) {
	if file.Kind == configfiles.UserSettings {
		if raw, err := settings.Read(file.path); err == nil {
			s.Settings.Set(settings.UserFile, raw)
		}
	}
}

// MarkAll publishes the diagnostics of all these documents again: what is right in one may depend on another.
func (s *Files) MarkAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, file := range s.open {
		s.Refresh(file.uri)
	}
}

// Diagnostics says what is wrong in a file and what of it does not count.
func (s *Files) Diagnostics(file File, text string) []configfiles.Diagnostic {
	var out []configfiles.Diagnostic
	if file.NeedsTrust() {
		out = append(out, s.trustDiagnostics(file, text)...)
	}
	switch {
	case file.IsSettings():
		folder := ""
		if file.Kind == configfiles.WorkspaceSettings {
			folder = file.places.Workspace
		}
		return slices.Concat(
			out, configfiles.DiagnoseSettings(s.Settings, folder, text),
			configfiles.DiagnoseDatabaseNames(text, s.databaseNames),
		)
	case file.Kind == configfiles.GivenPermissions:
		return append(out, s.grantDiagnostics(text)...)
	case file.IsPrompt(), file.IsRules():
		return append(out, s.promptDiagnostics(file, text)...)
	case file.HasRules():
		return append(out, file.DiagnosePermissions(text, s.known(file))...)
	case file.Kind == configfiles.UserDatabases:
		return append(out, configfiles.DiagnoseDatabases(text)...)
	case file.Kind == configfiles.UserModelServers:
		return append(out, configfiles.DiagnoseModelServers(text)...)
	case file.HasServers():
		return append(out, s.serverDiagnostics(file, text)...)
	}
	return out
}

// rel is the path of the file in its workspace.
func (f File) rel() string { return f.places.Rel(f.path) }

// Actions lists what can be done at a place of a file that configures Assent. The first row is harmless.
func (s *Files) Actions(
	ctx context.Context, file File, snapshot documents.Snapshot, place protocol.Range, target ext.Target,
) []protocol.CodeAction {
	var out []protocol.CodeAction
	add := func(all ...features.Action) {
		for _, a := range all {
			out = append(out, s.ToAction(a, target))
		}
	}
	if file.NeedsTrust() {
		add(s.trustActions(ctx, file)...)
	}
	text, at := snapshot.Text.String(), convert.SpanIn(snapshot, place, s.Store.Encoding()).Start
	switch {
	case file.Kind == configfiles.GivenPermissions:
		add(s.grantActions(text, at)...)
	case file.IsPrompt(), file.IsRules():
		add(s.promptFileActions(file)...)
	case file.Kind == configfiles.UserDatabases:
		add(databaseActions(text, at)...)
	case file.HasServers():
		add(s.serverActions(ctx, file, text, at)...)
	case file.IsSettings():
		add(features.Action{Command: ext.ShowSettings}, features.Action{Command: ext.ShowTools})
	case file.Kind == configfiles.ToolsPage:
		add(s.toolActions(ctx, text, at)...)
	case file.HasRules():
		for _, change := range configfiles.RuleChanges(text, at) {
			out = append(out, changeAction(s, change, snapshot, protocol.DocumentURI(target.URI)))
		}
		add(features.Action{Command: ext.ShowPermissions})
	}
	return out
}

// changeAction is an action that an editor does by itself.
func changeAction(
	s *Files, change configfiles.Change, d documents.Snapshot, uri protocol.DocumentURI,
) protocol.CodeAction {
	var edits []protocol.TextEdit
	for _, e := range change.Edits {
		edits = append(edits, protocol.TextEdit{Range: s.rangeOf(d, transcript.Span(e.Span)), NewText: e.Text})
	}
	return protocol.CodeAction{
		Title: visible.Line(change.Title), Kind: convert.ActionKind,
		Edit: &protocol.WorkspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{uri: edits}},
	}
}

// Hover explains what is at a place of a file that configures Assent: its rule and its key.
func (s *Files) Hover(params protocol.HoverParams) *protocol.Hover {
	file, snapshot, ok := s.Find(string(params.TextDocument.URI))
	if !ok {
		return nil
	}
	text, at := snapshot.Text.String(), snapshot.Text.Offset(documents.Position(params.Position), s.Store.Encoding())
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
	return &protocol.Hover{
		Contents: protocol.MarkupContent{Kind: protocol.Markdown, Value: visible.Text(said)}, Range: &r,
	}
}
