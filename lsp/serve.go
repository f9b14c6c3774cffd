package lsp

import (
	"context"
	"io"
	"path/filepath"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/history"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/config"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/finding"
	"github.com/assent-ls/assent/lsp/folders"
	"github.com/assent-ls/assent/lsp/host"
	"github.com/assent-ls/assent/lsp/review"
	"github.com/assent-ls/assent/lsp/wire"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/editor"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

// Serve serves one editor over a byte stream, which it then owns, until the editor leaves or ctx is done, and returns
// the exit status that the protocol asks for.
func Serve(ctx context.Context, stream io.ReadWriteCloser, o Options) int {
	conn := wire.NewConn(stream, o.Log)
	return conn.Serve(ctx, func(
		_ context.Context, params wire.InitializeParams,
	) (wire.InitializeResult, wire.Handlers, error) {
		s, err := newServer(ctx, conn.Client(), o, params)
		if err != nil {
			return wire.InitializeResult{}, wire.Handlers{}, err
		}
		return introduction(s), s.handlers(), nil
	})
}

// newServer makes a server for an editor that has introduced itself. ctx ends all runs.
func newServer(ctx context.Context, client *wire.Client, o Options, params wire.InitializeParams) (*Server, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &Server{
		Options: o, client: client, ctx: ctx, cancel: cancel, warned: map[string]bool{}, shown: map[string]bool{},
		lenses: newRefresher("workspace/codeLens/refresh"), hints: newRefresher("workspace/inlayHint/refresh"),
	}
	s.host = newHost(s)
	s.complain(s.Settings.Set(settings.Options, settings.Section(params.InitializationOptions)))
	now := s.Settings.Get()
	if now.AssumeEdits {
		client.AssumeEdits()
	}
	a, err := s.Agent(now)
	if err != nil {
		cancel()
		return nil, err
	}
	s.agent = a
	s.ranks = session.Meaning(now, s.Settings, a, s.State, func(sentence string) {
		s.Log.Warn("nothing is ranked by meaning", "why", sentence)
		s.host.ShowMessage(chats.Warning, sentence)
	})
	config, err := s.ConfigFolder()
	if err != nil {
		cancel()
		return nil, err
	}
	s.diagnostics, s.state = newDiagnostics(s.publishNow), newStateFeed()
	encoding := wire.ChooseEncoding(params.Capabilities.General.PositionEncodings)
	if client.CountsBytes() {
		encoding = documents.UTF8
	}
	s.store = documents.NewStore(encoding, !client.EndsLinesAtCR())
	s.buffers = folders.NewBuffers(s.store, client, s.removed, s.notTaken)
	if s.History == nil {
		s.History = history.New(s.State, s.Policy)
	}
	if s.ranks != nil {
		s.History.ByMeaning(s.ranks)
	}
	s.folders = folders.New(
		s.buffers, params.Folders(), s.tools,
		func(ws *workspace.Workspace) *ledger.Ledger { return ledger.Open(s.State, ws) },
	)
	s.chats = chats.New(ctx, chats.Options{
		Host: s.host, Store: s.store, Writer: s.buffers.Writer, State: s.State,
		Journals: filepath.Join(s.State.Dir(), "journals"),
		Profiles: filepath.Join(config, "profiles"), Log: s.Log, Environment: s.environment(a),
		Mode:   func() policy.Mode { return policy.Mode(s.Settings.Get().Mode) },
		Pinned: func(path string) (on, can bool) { return s.finder.Pinned(path) },
	})
	s.configs, s.reviews, s.finder = newConfigs(s), newReviews(s), newFinder(s)
	s.begun()
	s.State.SetOwner(clientName(params.ClientInfo))
	s.State.OnProblem(s.stateProblem)
	s.tasks.Go(func() { s.diagnostics.run(ctx) })
	s.tasks.Go(func() { feedState(ctx, s) })
	for _, shown := range []*refresher{s.lenses, s.hints} {
		s.tasks.Go(func() { shown.feed(ctx, client, s.Log) })
	}
	return s, nil
}

// newHost makes what shows things in the editor.
func newHost(s *Server) *host.Host {
	h := host.New(s.client, s.Log, s.State.Dir())
	h.OnRefresh = func(uri string) {
		s.diagnostics.mark(uri)
		s.state.urge()
	}
	h.OnStateChanged = func() { s.state.mark() }
	h.OnFilesChanged = func(l *ledger.Ledger) { s.reviews.RefreshAll(l) }
	h.Confined = s.confined
	return h
}

func newConfigs(s *Server) *config.Files {
	return config.New(config.Options{
		Settings: s.Settings, State: s.State, Policy: s.Policy, Trust: s.Trust, Databases: s.Databases,
		Context: s.ctx, Tasks: &s.tasks, Client: s.client, Store: s.store, Folders: s.folders, Buffers: s.buffers,
		Host: s.host, Config: s.ConfigFolder, Refresh: s.diagnostics.mark, ToAction: toAction, Chat: s.chat,
		Environment: s.chats.Environment, SettingsIn: s.settingsIn,
	})
}

func newReviews(s *Server) *review.Reviews {
	return review.New(review.Options{
		Log: s.Log, Context: s.ctx, Client: s.client, Folders: s.folders, Buffers: s.buffers, Chats: s.chats,
		Host: s.host, Refresh: s.diagnostics.mark, Chat: s.chat,
	})
}

func newFinder(s *Server) *finding.Finder {
	return finding.New(finding.Options{
		History: s.History, Context: s.ctx, Tasks: &s.tasks, Folders: s.folders, Log: s.Log, Show: s.host.ShowPage,
		File: func(uri string) (root, rel string, err error) { return codeFile(s, uri) },
		IsOpen: func(uri string) bool {
			_, open := s.chats.Get(uri)
			return open
		},
	})
}

// removed says to a chat that a person took out something that was written.
func (s *Server) removed(uri string) {
	if chat, ok := s.chats.Get(uri); ok {
		chat.Removed()
	}
}

// notTaken says to a chat that the editor does not take what is written.
func (s *Server) notTaken(uri string, reason error) {
	s.Log.Warn("the editor does not take what is written", "error", reason)
	if chat, ok := s.chats.Get(uri); ok {
		chat.Trouble(reason)
	}
}

// stateProblem shows what is wrong in the user's state folder.
func (s *Server) stateProblem(sentence string) {
	s.Log.Warn("the state folder has a problem", "problem", sentence)
	s.host.ShowMessage(chats.Warning, sentence)
}

// handlers lists every method that this server answers.
func (s *Server) handlers() wire.Handlers {
	return wire.Handlers{
		Shutdown: s.shutdown,
		Rows: []wire.Row{
			wire.Notification("initialized", s.initialized),
			wire.Notification("textDocument/didOpen", s.didOpen),
			wire.Notification("textDocument/didChange", s.didChange),
			wire.Notification("textDocument/didSave", s.didSave),
			wire.Notification("textDocument/didClose", s.didClose),
			wire.Notification("workspace/didChangeConfiguration", s.didChangeConfiguration),
			wire.Notification("workspace/didChangeWorkspaceFolders", s.didChangeWorkspaceFolders),
			wire.Request("textDocument/codeAction", s.codeAction),
			wire.Request("codeAction/resolve", s.codeActionResolve),
			wire.Request("textDocument/codeLens", s.codeLens),
			wire.Request("textDocument/completion", s.completion),
			wire.Request("textDocument/documentLink", s.documentLink),
			wire.Request("documentLink/resolve", s.documentLinkResolve),
			wire.Request("textDocument/documentSymbol", s.documentSymbol),
			wire.Request("textDocument/foldingRange", s.foldingRange),
			wire.Request("textDocument/hover", s.hover),
			wire.Request("textDocument/inlayHint", s.inlayHint),
			wire.Request("textDocument/inlineCompletion", s.inlineCompletion),
			wire.Request("textDocument/prepareRename", s.prepareRename),
			wire.Request("textDocument/rename", s.rename),
			wire.Request("textDocument/semanticTokens/full", s.semanticTokens),
			wire.Request("workspace/symbol", s.workspaceSymbol),
			wire.Request("workspace/executeCommand", s.executeCommand),
			wire.Request(ext.MakeChatMethod, s.makeChat),
			wire.Request(ext.ContinueMethod, s.continueChat),
			wire.Request(ext.ModelsMethod, s.models),
			wire.Request(ext.AskModelMethod, s.askModel),
			wire.Request(ext.PreviewMethod, s.preview),
			wire.Request(ext.FindChatsMethod, s.finder.Find),
		},
	}
}

// environment finds what the chats of a workspace share, by a chat's path.
func (s *Server) environment(a *agent.Agent) func(path string) (session.Environment, error) {
	return func(path string) (session.Environment, error) {
		at, err := s.folders.Of(path)
		now := s.settingsIn(s.folders.FolderOf(path))
		var problems func(context.Context) (string, error)
		if at.Workspace != nil {
			problems = editor.New(knowledge{s}, at.Workspace).Problems()
		}
		env := s.Environment(at.Workspace, now, at.Tooling, at.Ledger)
		env.Agent, env.Words, env.Selection, env.Diagnostics = a, at.Words, s.lastSelection, problems
		return env, err
	}
}

// tools makes the tools of a workspace, with those of the editor.
func (s *Server) tools(folder string, ws *workspace.Workspace) session.Tooling {
	var more []tools.Source
	if ws != nil {
		more = append(more, editor.New(knowledge{s}, ws))
	}
	t := s.Tooling(ws, func() settings.Settings { return s.Settings.In(folder) }, s.ranks, more...)
	if t.Background != nil {
		t.Background.OnChange(s.commandChanged)
	}
	return t
}

// shutdown ends all runs: what they did not do is not done later.
func (s *Server) shutdown(ctx context.Context) {
	s.chats.Stop(ctx)
	s.cancel()
	s.buffers.End()
	s.chats.Wait()
	s.tasks.Wait()
	if err := s.History.Close(); err != nil {
		s.Log.Info("the index of chats was not closed", "error", err)
	}
	s.folders.Close()
}
