package lsp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/wire"
)

// invoked is the trigger kind of a user who asked for the menu.
const invoked = 1

// codeAction lists what can be done at a place of a chat, or about a change of a file. The titles say all; the
// arguments carry only an opaque id or the place.
func (s *Server) codeAction(ctx context.Context, params wire.CodeActionParams) ([]protocol.CodeAction, error) {
	out := []protocol.CodeAction{}
	if !wanted(params.Context.Only) {
		return out, nil
	}
	uri := string(params.TextDocument.URI)
	target := ext.Target{URI: uri, Position: new(ext.Position(params.Range.Start))}
	chat, ok := s.chats.Get(uri)
	if !ok {
		if file, snapshot, ok := s.configs.Find(uri); ok {
			out = append(out, s.configs.Actions(ctx, file, snapshot, params.Range, target)...)
		}
		for _, a := range s.reviews.Actions(ctx, uri, params.Range) {
			out = append(out, toAction(a, target))
		}
		out = append(out, s.codeChatActions(ctx, params)...)
		if params.Context.TriggerKind == invoked {
			out = append(out, s.selectActions(uri, params.Range)...)
			out = append(out, toAction(features.Action{Command: ext.NewChat}, target))
		}
		return out, nil
	}
	snapshot, ok := s.store.Get(uri)
	if !ok {
		return out, nil
	}
	for _, a := range features.Actions(ctx, chat, s.spanOf(snapshot, params.Range)) {
		action := toAction(a, target)
		if a.Insert != nil {
			at := s.positionOf(snapshot, a.Insert.At)
			action.Edit = &protocol.WorkspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{
				params.TextDocument.URI: {{Range: protocol.Range{Start: at, End: at}, NewText: a.Insert.Text}},
			}}
		}
		out = append(out, action)
	}
	return out, nil
}

// wanted reports whether the client asks for our kind, or for all.
func wanted(only []protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(k protocol.CodeActionKind) bool {
		return k == "" || k == convert.ActionKind || strings.HasPrefix(string(convert.ActionKind), string(k)+".")
	})
}

func toAction(a features.Action, target ext.Target) protocol.CodeAction {
	if a.Command == "" {
		return protocol.CodeAction{Title: visible.Line(a.Title), Kind: convert.ActionKind}
	}
	return commandAction(titleOf(a), a.Command, argumentOf(a, target))
}

// titleOf is the title of an action that runs a command.
func titleOf(a features.Action) string {
	c, _ := commandNamed(a.Command)
	return cmp.Or(a.Title, c.Title)
}

// commandAction is an action that runs a command.
func commandAction(title, command string, argument any) protocol.CodeAction {
	title = visible.Line(title)
	return protocol.CodeAction{
		Title: title, Kind: convert.ActionKind,
		Command: &protocol.Command{Title: title, Command: command, Arguments: []any{argument}},
	}
}

// argumentOf is the argument of an action's command, of the type that the command takes.
func argumentOf(a features.Action, target ext.Target) any {
	c, _ := commandNamed(a.Command)
	switch c.Args.(type) {
	case ext.Target:
		return target
	case ext.Question:
		return ext.Question{ID: a.ID}
	case ext.Answer:
		return ext.Answer{Question: ext.Question{ID: a.ID}, Text: a.Text}
	case ext.Choice:
		return ext.Choice{Question: ext.Question{ID: a.ID}, Offer: a.Offer}
	case ext.Part:
		return ext.Part{URI: target.URI, ID: a.ID}
	case ext.Grant:
		return ext.Grant{ID: a.ID}
	case ext.Entry:
		return ext.Entry{URI: target.URI, Name: a.ID}
	case ext.Trust:
		return ext.Trust{Entry: ext.Entry{URI: target.URI, Name: a.ID}, Shown: a.Text}
	case ext.Login:
		return ext.Login{Entry: ext.Entry{URI: target.URI, Name: a.ID}, Places: a.Places}
	case ext.File:
		return ext.File{URI: target.URI}
	case ext.Hunk:
		return ext.Hunk{URI: target.URI, ID: a.ID}
	case ext.Tool:
		return ext.Tool{URI: target.URI, ID: a.ID}
	case ext.Folder:
		return ext.Folder{URI: target.URI}
	case ext.Model:
		return ext.Model{URI: target.URI, Stop: a.Stop}
	default:
		panic("lsp: an action without a row in Commands: " + a.Command)
	}
}
