package lsp

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools/workspace"
)

// executeCommand runs one row of the command table. Long work goes on after the answer: a run shows itself by progress
// and in the document.
func (s *Server) executeCommand(ctx context.Context, params protocol.ExecuteCommandParams) (any, error) {
	args := params.Arguments
	switch params.Command {
	case ext.Send:
		return nil, s.onShown(args, func(c *chats.Chat, _ int) error { return c.Send(ctx) })
	case ext.Stop:
		return nil, s.onChat(args, func(c *chats.Chat, _ int) error { return c.Stop(ctx) })
	case ext.Resume:
		return nil, s.onShown(args, func(c *chats.Chat, _ int) error { return c.Resume(ctx) })
	case ext.Retry:
		return nil, s.onShown(args, func(c *chats.Chat, at int) error { return c.Retry(ctx, at) })
	case ext.Branch:
		return nil, s.onChat(args, func(c *chats.Chat, at int) error { return c.Branch(ctx, at) })
	case ext.RestoreReply:
		return nil, s.onShown(args, func(c *chats.Chat, _ int) error { return c.Restore(ctx) })
	case ext.ShowPending:
		return nil, s.chats.Pending(ctx)
	case ext.ShowPreview:
		return nil, s.onQuestion(ctx, args, func(id string) error { return s.chats.Preview(ctx, id) })
	case ext.Approve:
		return nil, s.answer(ctx, args, agent.Once)
	case ext.AllowInChat:
		return nil, s.answer(ctx, args, agent.InThisChat)
	case ext.AlwaysAllow:
		return nil, s.answer(ctx, args, agent.Always)
	case ext.Deny:
		return nil, s.answer(ctx, args, agent.Deny)
	case ext.DenyWithReason:
		return nil, s.onQuestion(ctx, args, func(id string) error { return s.chats.DenyWithReason(ctx, id) })
	case ext.UndoEdit:
		return nil, s.undoEdit(ctx, args)
	case ext.NewChat:
		return nil, s.newChat(ctx, args)
	case ext.TrustFolder:
		return nil, s.trustFolder(args)
	case ext.Probe:
		return nil, s.probe(ctx, args, params.WorkDoneToken)
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there is no command %q", params.Command)
}

// onChat finds the chat and the place that a command means.
func (s *Server) onChat(args []any, do func(c *chats.Chat, offset int) error) error {
	target, err := ext.Decode[ext.Target](args)
	if err != nil {
		return err
	}
	chat, err := s.chat(target.URI)
	if err != nil {
		return err
	}
	snapshot, ok := s.store.Get(chat.URI())
	if !ok {
		return fmt.Errorf("this chat is not open in the editor")
	}
	offset := snapshot.Text.Len()
	if target.Position != nil {
		at := protocol.Position{Line: target.Position.Line, Character: target.Position.Character}
		offset = snapshot.Text.Offset(fromPosition(at), s.store.Encoding())
	}
	return do(chat, offset)
}

// onShown is onChat for what writes into the document, which the editor must take.
func (s *Server) onShown(args []any, do func(c *chats.Chat, offset int) error) error {
	if !s.client.Capabilities().Workspace.ApplyEdit {
		return errors.New("this editor does not say that it takes edits of a server, so a reply has no place: if it does all the same, set assumeEdits; " +
			"`assent send FILE` needs no editor")
	}
	return s.onChat(args, do)
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
	return nil, fmt.Errorf("%s is not an open chat: open a *.chat.md file or start a New chat", displayPath(protocol.DocumentURI(uri)))
}

// onQuestion takes the opaque id of a question. A command without one answers nothing: it shows the pending call.
func (s *Server) onQuestion(ctx context.Context, args []any, do func(id string) error) error {
	answer, err := ext.Decode[ext.Answer](args)
	if err != nil {
		return err
	}
	if answer.ID == "" {
		return s.chats.Pending(ctx)
	}
	return do(answer.ID)
}

func (s *Server) answer(ctx context.Context, args []any, kind agent.AnswerKind) error {
	return s.onQuestion(ctx, args, func(id string) error { return s.chats.Answer(ctx, id, kind) })
}

func (s *Server) undoEdit(ctx context.Context, args []any) error {
	call, err := ext.Decode[ext.Call](args)
	if err != nil {
		return err
	}
	chat, err := s.chat(call.URI)
	if err != nil {
		return err
	}
	return chat.Undo(ctx, call.ID)
}

// newChat begins a chat in the folder of the document that the command came from, or in the first one.
func (s *Server) newChat(ctx context.Context, args []any) error {
	root, err := s.folder(args)
	if errors.Is(err, errNoFolder) {
		root, err = s.folder(nil)
	}
	if err != nil {
		return err
	}
	return s.chats.NewChat(ctx, root)
}

// trustFolder uses the prompts of a folder from now on. Only a command of the user reaches it, never a model.
func (s *Server) trustFolder(args []any) error {
	root, err := s.folder(args)
	if err != nil {
		return err
	}
	ws, err := s.folders.of(root)
	if err != nil {
		return err
	}
	if err := s.State.Trust(ws.Key()); err != nil {
		return err
	}
	if !workspace.Lasting(ws.Key()) {
		return s.client.tell(protocol.MessageTypeWarning, workspace.SessionOnly(ws.Key()))
	}
	return nil
}

var errNoFolder = errors.New("in no folder that this editor has open")

// folder is the open folder that a command means: the innermost that holds the URI, which may be a document's.
func (s *Server) folder(args []any) (string, error) {
	f, err := ext.Decode[ext.Folder](args)
	if err != nil {
		return "", err
	}
	if f.URI != "" {
		path, err := documents.PathOf(f.URI)
		root := s.folders.holding(path)
		if err != nil || root == "" {
			return "", fmt.Errorf("%q is %w", f.URI, errNoFolder)
		}
		return root, nil
	}
	root, ok := s.folders.first()
	if !ok {
		return "", fmt.Errorf("the editor has no folder open: open one first")
	}
	return root, nil
}
