package lsp

import (
	"context"
	"errors"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools/background"
)

// stopCommand ends a command in the background of a chat.
func stopCommand(chat *chats.Chat, _ context.Context, id string) error {
	switch {
	case id == "":
		return errors.New("it is not said which command is meant: use the code action on the call that started it")
	case !session.BackgroundOf(chat.Session).Stop(id):
		return errors.New("this command does not run any more")
	}
	return nil
}

// showOutput shows what a running call or a command in the background of a chat prints, until it ends.
func showOutput(s *Server, ctx context.Context, call ext.Part) error {
	chat, err := s.chat(call.URI)
	if err != nil {
		return err
	}
	commands := session.BackgroundOf(chat.Session)
	text, ok := commands.Output(call.ID)
	if !ok {
		return chat.Output().Show(ctx, call.ID)
	}
	out := ext.Output{
		URI: chat.URI(), Call: call.ID, Title: "Output of " + background.Start + " " + call.ID, Text: text, Show: true,
	}
	s.host.ShowOutput(ctx, out)
	out.Show = false
	key := out.URI + " " + out.Call
	s.mu.Lock()
	again := s.shown[key]
	s.shown[key] = true
	s.mu.Unlock()
	if again {
		out.Text, _ = commands.Output(call.ID) // it may have printed or ended meanwhile
		s.host.UpdateOutput(out)
		return nil
	}
	s.tasks.Go(func() {
		commands.Follow(s.ctx, call.ID, func(text string) {
			out.Text = text
			s.host.UpdateOutput(out)
		})
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.shown, key)
	})
	return nil
}

// runningIn counts the commands that run in the background of a chat.
func runningIn(s *Server, chat string) (n int) {
	at, err := s.folders.Of(chat)
	if err != nil {
		return 0
	}
	for _, c := range at.Background.Commands(chat) {
		if c.State != background.Ended {
			n++
		}
	}
	return n
}

// commandChanged shows that a command in the background of a chat runs in another way than before.
func (s *Server) commandChanged(path string) {
	for _, chat := range s.chats.All() {
		if chat.Path() == path {
			s.diagnostics.mark(chat.URI())
			s.state.mark()
		}
	}
}

// restartCommands starts the commands in the background of a file's folder again, since the file was saved: they work
// on copies, which do not have what it holds now.
func restartCommands(s *Server, uri string) {
	path, err := documents.PathOf(uri)
	if err != nil || transcript.IsChat(uri) {
		return
	}
	if at, ok := s.folders.Opened(path); ok {
		at.Background.Changed()
	}
}
