package config

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/prompts"
)

// promptOf finds whose prompt a command means: that of a chat, of the folder that holds a document, or else of the
// first folder.
func (s *Files) promptOf(uri string) (session.Environment, prompts.Options, error) {
	if chat, err := s.Chat(uri); err == nil && s.speaksOf(chat, uri) {
		env, document, err := chat.ForPrompt()
		return env, env.PromptOptionsNow(document), err
	}
	path, ok := s.Folders.First()
	if uri != "" {
		own, err := documents.PathOf(uri)
		if err != nil {
			return session.Environment{}, prompts.Options{}, err
		}
		path, ok = own, true
	}
	if !ok {
		return session.Environment{}, prompts.Options{}, errors.New(
			"the editor has no folder open: open one, or a chat, first",
		)
	}
	env, err := s.Environment(path)
	return env, env.PromptOptionsNow(&transcript.Chat{}), err
}

// speaksOf says whether a command that came from a document may mean a chat: the chat itself, or a document in its
// folder or in none.
func (s *Files) speaksOf(chat *chats.Chat, uri string) bool {
	path, err := documents.PathOf(uri)
	if uri == "" || transcript.IsChat(uri) || err != nil {
		return true
	}
	of, err := documents.PathOf(chat.URI())
	folder := s.Folders.Holding(path)
	return err == nil && (folder == "" || folder == s.Folders.FolderOf(of))
}

// EditPrompt serves a command that opens the prompt of a scope.
func EditPrompt(scope prompts.Scope) Handler[ext.Target] {
	return func(s *Files, ctx context.Context, target ext.Target) error {
		env, o, err := s.promptOf(target.URI)
		if err != nil {
			return err
		}
		file, err := prompts.FileFor(scope, o)
		if err != nil {
			return err
		}
		if _, err := prompts.Make(ctx, file, env.Workspace); err != nil {
			return fmt.Errorf("the prompt cannot be made: %w", err)
		}
		if file.Rel != "" && !o.Trusted {
			const sentence = "This folder is not trusted, so its prompt does not count yet: " +
				"use Trust this folder when you know what is in it."
			if err := s.Client.ShowNow(protocol.MessageTypeWarning, sentence); err != nil {
				return err
			}
		}
		return s.Host.ShowFile(ctx, file.Path, "The prompt")
	}
}

// ResetPrompt removes the prompt that is open or, from a chat, all that count in it, and says where what they held is
// kept.
func (s *Files) ResetPrompt(ctx context.Context, target ext.Target) error {
	env, o, err := s.promptOf(target.URI)
	if err != nil {
		return err
	}
	files := prompts.Counting(o)
	if open, _, ok := s.Find(target.URI); ok && open.IsPrompt() {
		files = []prompts.File{open.prompt()}
	}
	kept, err := env.ResetPrompts(ctx, files)
	s.MarkAll()
	if err != nil {
		return err
	}
	sentence := "There was nothing to reset."
	if len(kept) > 0 {
		sentence = "Reset. What the prompt held is kept in " + strings.Join(kept, " and ") + "."
	}
	if still := prompts.StillCounts(ctx, o); still != "" {
		sentence += " " + still
	}
	return s.tell(sentence)
}
