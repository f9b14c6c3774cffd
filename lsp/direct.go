package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/ext"
)

// makeChat makes a chat that begins with what a person wrote elsewhere in the editor, for a client that sends it
// itself. It shows nothing.
func (s *Server) makeChat(_ context.Context, begin ext.Beginning) (ext.File, error) {
	text := transcript.UserText(strings.TrimSpace(begin.Text))
	if text == "" {
		return ext.File{}, errors.New("the chat needs a message to begin with")
	}
	root, err := s.folderOrFirst(begin.URI)
	if err != nil {
		return ext.File{}, err
	}
	uri, err := s.chats.Make(root, text)
	return ext.File{URI: uri}, err
}

// continueChat writes what a person wrote elsewhere in the editor into the turn of a chat that waits for their words.
// It sends nothing.
func (s *Server) continueChat(ctx context.Context, next ext.NextMessage) (ext.NoAnswer, error) {
	chat, ok := s.chats.Get(next.URI)
	if !ok {
		return ext.NoAnswer{}, errors.New("this chat is not open in the editor: open it first")
	}
	text := transcript.UserText(strings.TrimSpace(next.Text))
	if text == "" {
		return ext.NoAnswer{}, errors.New("there is no message to write")
	}
	return ext.NoAnswer{}, chat.Continue(ctx, text)
}

// models lists the models that the editor may offer to other extensions: those that can answer and may be sent
// something unasked.
func (s *Server) models(ctx context.Context, _ ext.NoParams) (ext.Models, error) {
	out := ext.Models{Models: []ext.InstalledModel{}}
	installed, err := s.agent.Models(ctx)
	if err != nil {
		return out, err
	}
	o := directOptions(s)
	for _, listed := range installed {
		info, err := s.agent.Backend().Describe(ctx, listed.Name) // a list does not say what a model can do
		if err == nil && s.agent.Permit("", o, info) == nil {
			out.Models = append(
				out.Models,
				ext.InstalledModel{
					Name: info.Name, Family: info.Family, Size: info.Parameters, Context: o.ContextSize,
					Tools: info.Can("tools"), Images: info.Can("vision"),
				},
			)
		}
	}
	return out, nil
}

// askModel asks a model for another extension of the editor: no chat, and no tools but those of who asks, which runs
// them itself. What the model says is sent as it comes, and once more as the answer.
func (s *Server) askModel(ctx context.Context, ask ext.ModelRequest) (ext.ModelAnswer, error) {
	if ask.Model == "" || len(ask.Messages) == 0 {
		return ext.ModelAnswer{}, errors.New("it needs the name of a model, and a message")
	}
	answer := ext.ModelAnswer{Calls: []ext.ModelCall{}}
	var text strings.Builder
	err := s.agent.Direct(ctx, directOptions(s), directRequest(ask), func(chunk model.Chunk) error {
		for _, call := range chunk.Calls {
			answer.Calls = append(answer.Calls, ext.ModelCall{ID: call.ID, Name: call.Name, Arguments: call.Arguments})
		}
		text.WriteString(chunk.Text)
		if ask.ID == "" || chunk.Text == "" {
			return nil
		}
		return s.client.Notify(ctx, ext.ModelTextMethod, ext.ModelText{ID: ask.ID, Text: chunk.Text})
	})
	answer.Text = text.String()
	return answer, err
}

func directRequest(ask ext.ModelRequest) model.Request {
	req := model.Request{Model: ask.Model}
	for _, tool := range ask.Tools {
		req.Tools = append(
			req.Tools, model.Tool{Name: tool.Name, Description: tool.Description, Parameters: raw(tool.Parameters)},
		)
	}
	for _, m := range ask.Messages {
		message := model.Message{
			Role: model.RoleUser, Text: m.Text, Images: m.Images, CallID: m.CallID, ToolName: m.Tool,
		}
		switch {
		case m.CallID != "":
			message.Role = model.RoleTool
		case m.Assistant:
			message.Role = model.RoleAssistant
		}
		for _, call := range m.Calls {
			message.Calls = append(
				message.Calls, model.Call{ID: call.ID, Name: call.Name, Arguments: raw(call.Arguments)},
			)
		}
		req.Messages = append(req.Messages, message)
	}
	return req
}

// raw writes a value that was read from JSON as JSON.
func raw(value any) json.RawMessage {
	data, err := json.Marshal(value)
	if err != nil || value == nil {
		return json.RawMessage("{}")
	}
	return data
}

// directOptions are those of no workspace: what is asked belongs to none.
func directOptions(s *Server) engine.Options {
	return session.RunOptions(s.Settings.Get(), s.Settings)
}
