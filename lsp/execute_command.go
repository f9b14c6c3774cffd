package lsp

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/wire"
	"github.com/assent-ls/assent/tools/runcommand"
)

// place finds the chat that a command means, and the place in it: without a position the end.
func (s *Server) place(target ext.Target) (*chats.Chat, int, error) {
	chat, err := s.chat(target.URI)
	if err != nil {
		return nil, 0, err
	}
	snapshot, ok := s.store.Get(chat.URI())
	if !ok {
		return nil, 0, errors.New("this chat is not open in the editor")
	}
	if target.Position == nil {
		return chat, snapshot.Text.Len(), nil
	}
	return chat, s.offsetOf(snapshot, protocol.Position(*target.Position)), nil
}

func (s *Server) chat(uri string) (*chats.Chat, error) {
	if uri == "" {
		return s.chats.Only()
	}
	if chat, ok := s.chats.Get(uri); ok {
		return chat, nil
	}
	if only, err := s.chats.Only(); err == nil && !transcript.IsChat(uri) {
		return only, nil // the command came from another document, and one chat only can be meant
	}
	return nil, fmt.Errorf("%s is not an open chat: open a *.chat.md file or start a New chat", wire.DisplayPath(uri))
}

// showPending shows the call that waits, in whichever chat.
func showPending(s *Server, ctx context.Context, _ ext.Target) error { return s.chats.Pending(ctx) }

// newChat begins a chat in the folder of the document that the command came from, or in the first one.
func newChat(s *Server, ctx context.Context, folder ext.Folder) error {
	root, err := s.folderOrFirst(folder.URI)
	if err != nil {
		return err
	}
	return s.chats.NewChat(ctx, root, transcript.UserText(s.Begin))
}

// folderOrFirst is the folder of a document, or the first one.
func (s *Server) folderOrFirst(uri string) (string, error) {
	root, err := s.folder(uri)
	if errors.Is(err, errNoFolder) {
		return s.folder("")
	}
	return root, err
}

// runTool runs a call that a menu named, or else writes one into a chat for the person to complete: into a new chat if
// none is open.
func runTool(s *Server, ctx context.Context, t ext.Tool) error {
	if t.ID != "" {
		return s.chats.RunByHand(t.ID, event.Answer{})
	}
	if err := s.takesEdits(); err != nil {
		return err
	}
	chat, err := s.chat(t.URI)
	if err == nil {
		return chat.WriteCall(ctx, t.Tool, t.Arguments)
	}
	root, noFolder := s.folderOrFirst(t.URI)
	if noFolder != nil {
		return err
	}
	text, err := parsed.CallText(t.Tool, t.Arguments)
	if err != nil {
		return err
	}
	return s.chats.NewChat(ctx, root, text)
}

// keepBuilt writes the call that keeps what tried commands of a chat built.
func keepBuilt(s *Server, ctx context.Context, t ext.Target) error {
	if _, err := s.chat(t.URI); err != nil {
		return err
	}
	return runTool(s, ctx, ext.Tool{URI: t.URI, Tool: runcommand.KeepBuiltName})
}

// trustFolder uses the prompts of a folder from now on. Only a command of the user reaches it, never a model.
func trustFolder(s *Server, _ context.Context, folder ext.Folder) error {
	root, err := s.folder(folder.URI)
	if err != nil {
		return err
	}
	at, err := s.folders.Of(root)
	if err != nil {
		return err
	}
	ws := at.Workspace
	if err := s.State.Trust(ws.Key()); err != nil {
		return err
	}
	s.configs.MarkAll()
	return s.host.WarnOfSession(ws.Key())
}

var errNoFolder = errors.New("in no folder that this editor has open")

// folder is the open folder that a command means: the innermost that holds the URI, which may be a document's; without
// one the first.
func (s *Server) folder(uri string) (string, error) {
	if uri != "" {
		path, err := documents.PathOf(uri)
		root := s.folders.Holding(path)
		if err != nil || root == "" {
			return "", fmt.Errorf("%q is %w", uri, errNoFolder)
		}
		return root, nil
	}
	root, ok := s.folders.First()
	if !ok {
		return "", errors.New("the editor has no folder open: open one first")
	}
	return root, nil
}
