package lsp

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/settings"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/workspace"
)

// Options are what a server works with; cmd fills them.
type Options struct {
	Version  string
	Settings *settings.Store // what flags, environment and the user's file say
	// Agent makes the agent for the settings in force once the editor has told its own.
	Agent  func(settings.Settings) (*agent.Agent, error)
	State  *workspace.State
	Policy *policy.Policy
	Shell  shell.Shell // runs commands
	Config string      // the user's configuration folder; empty: the default
	Log    *slog.Logger
}

// Server is one connection with one editor and all that it knows. Its parts are made when the editor has introduced
// itself, since they depend on what it can do.
type Server struct {
	Options
	client *Client
	ctx    context.Context //nolint:containedctx // the life of all runs
	cancel context.CancelFunc

	store       *documents.Store
	buffers     *buffers
	folders     *folders
	chats       *chats.Chats
	previews    previews
	diagnostics *diagnostics
	tasks       sync.WaitGroup

	mu       sync.Mutex
	warnedOf map[string]bool // guarded by mu: sentences about settings that were shown already
}

// NewServer binds a server to a connection. Serve it with conn.Serve(ctx, server.Handlers()); ctx ends all runs.
func NewServer(ctx context.Context, conn *Conn, o Options) *Server {
	ctx, cancel := context.WithCancel(ctx)
	s := &Server{Options: o, client: conn.Client(), ctx: ctx, cancel: cancel}
	s.diagnostics = newDiagnostics(s.publishNow)
	return s
}

// build makes the parts for an editor that counts in this encoding.
func (s *Server) build(encoding documents.Encoding, clientName string) error {
	a, err := s.Agent(s.Settings.Get())
	if err != nil {
		return err
	}
	s.store = documents.NewStore(encoding, clientName != "Visual Studio Code" && clientName != "code-server")
	profiles, err := s.profiles()
	if err != nil {
		return err
	}
	s.buffers = newBuffers(s.store, s.client)
	s.folders = newFolders(s.buffers)
	s.previews = previews{filepath.Join(s.State.Dir(), "previews")}
	s.chats = chats.New(s.ctx, chats.Options{
		Host: &host{server: s}, Agent: a, Store: s.store, Writer: s.buffers.writer, State: s.State,
		Journals: filepath.Join(s.State.Dir(), "journals"), Profiles: profiles, Log: s.Log, Environment: s.environment, Settings: s.runOptions,
	})
	s.State.OnProblem(func(sentence string) {
		s.Log.Warn("the state folder has a problem", "problem", sentence)
		(&host{server: s}).Tell(chats.Warning, sentence)
	})
	s.tasks.Go(func() { s.diagnostics.run(s.ctx) })
	s.buffers.onRemoved = func(uri, _ string) {
		if chat, ok := s.chats.Get(uri); ok {
			chat.Removed()
		}
	}
	s.buffers.onTrouble = func(uri string, reason error) {
		s.Log.Warn("the editor does not take what is written", "error", reason)
		if chat, ok := s.chats.Get(uri); ok {
			chat.Trouble(reason)
		}
	}
	return nil
}

// profiles is the folder of the user's own model profiles.
func (s *Server) profiles() (string, error) {
	config := s.Config
	if config == "" {
		path, err := settings.UserPath()
		if err != nil {
			return "", err
		}
		config = filepath.Dir(path)
	}
	return filepath.Join(config, "profiles"), nil
}

// Handlers lists every method that this server answers.
func (s *Server) Handlers() Handlers {
	return Handlers{
		Initialize: s.initialize,
		Shutdown:   s.shutdown,
		Rows: []Row{
			Notification("initialized", s.initialized),
			Notification("textDocument/didOpen", s.didOpen),
			Notification("textDocument/didChange", s.didChange),
			Notification("textDocument/didSave", s.didSave),
			Notification("textDocument/didClose", s.didClose),
			Notification("workspace/didChangeConfiguration", s.didChangeConfiguration),
			Notification("workspace/didChangeWorkspaceFolders", s.didChangeWorkspaceFolders),
			Request("textDocument/codeAction", s.codeAction),
			Request("codeAction/resolve", s.codeActionResolve),
			Request("textDocument/documentSymbol", s.documentSymbol),
			Request("textDocument/foldingRange", s.foldingRange),
			Request("textDocument/hover", s.hover),
			Request("workspace/executeCommand", s.executeCommand),
		},
	}
}

// environment finds what the chats of a workspace share, by a chat's path.
func (s *Server) environment(path string) (session.Environment, error) {
	ws, err := s.folders.of(path)
	return session.Environment{
		Workspace: ws, State: s.State, Policy: s.Policy, Config: s.Config,
		Tools: tools.Options{CommandTimeout: time.Duration(s.settingsFor(path).CommandTimeout), Shell: s.Shell},
	}, err
}

// settingsFor are the settings in force for a chat: those of its workspace may only tighten.
func (s *Server) settingsFor(path string) settings.Settings {
	folder := s.folders.folderOf(path)
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

func (s *Server) runOptions(path string) agent.Options {
	return session.RunOptions(s.settingsFor(path), s.Settings)
}

// shutdown ends all runs: what they did not do is not done later.
func (s *Server) shutdown(ctx context.Context) {
	if s.chats == nil {
		s.cancel()
		return
	}
	s.chats.Stop(ctx)
	s.cancel()
	s.buffers.end()
	s.chats.Wait()
	s.tasks.Wait()
	s.folders.close()
}

// warned reports whether a sentence was shown before, and notes it.
func (s *Server) warned(sentence string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.warnedOf == nil {
		s.warnedOf = map[string]bool{}
	}
	before := s.warnedOf[sentence]
	s.warnedOf[sentence] = true
	return before
}

// opened finds an open chat with its document as it stands now.
func (s *Server) opened(uri protocol.DocumentURI) (*chats.Chat, documents.Snapshot, bool) {
	chat, ok := s.chats.Get(string(uri))
	if !ok {
		return nil, documents.Snapshot{}, false
	}
	snapshot, ok := s.store.Get(string(uri))
	return chat, snapshot, ok
}
