package engine

import (
	"context"
	"fmt"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/prompts"
)

// Direct asks a model for another program, beside all chats: without a prompt or tools of ours, and nothing of a chat.
// The tools of the request are those of who asks: what the model calls is handed back, never run. A model that runs
// elsewhere gets nothing, unless the user named it themselves. Each piece of the answer goes to each. Of the request
// only model, messages and tools are taken.
func (e *Engine) Direct(ctx context.Context, o Options, asked model.Request, each func(model.Chunk) error) error {
	info, err := e.backend.Describe(ctx, asked.Model)
	if err != nil {
		return err
	}
	if err := e.Permit("", o, info); err != nil {
		return err
	}
	if len(asked.Tools) > 0 && !info.Can("tools") {
		return fmt.Errorf("%s cannot call tools: send none, or choose another model", visible.Line(info.Name))
	}
	req, err := e.directRequest(o, info, asked)
	if err != nil {
		return err
	}
	give, err := e.Turn(ctx, info.Name)
	if err != nil {
		return err
	}
	defer give()
	var circles Endless
	return e.backend.Chat(ctx, req, func(chunk model.Chunk) error {
		if circles.Next(chunk.Text, chunk.Text) {
			return ErrEndless // chats wait for it, and only who asked could end it
		}
		if MovedTo(info, chunk) != "" {
			return ErrMoved
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return each(chunk)
	})
}

// directRequest is what Direct sends. Who asks did not write for this model: control marks in the text are only text.
func (e *Engine) directRequest(o Options, info model.Info, asked model.Request) (model.Request, error) {
	profiles := e.Profiles.Load()
	profile, _ := profiles.For(info)
	format, err := e.ChooseFormat(o, profile, model.ThinkOff)
	if err != nil {
		return model.Request{}, err
	}
	marks := compose.NewMarks(profiles, profile, info, format)
	if info.Can("vision") {
		marks = marks.WithImages()
	}
	req := model.Request{
		Model: info.Name, Server: info.Server, ContextSize: e.ContextSize(o, info), KeepAlive: o.KeepAlive,
		Tools: asked.Tools, Beside: true,
	}
	if info.Can("thinking") {
		req.Think = model.ThinkOff // nobody would see the thoughts
	}
	for _, m := range asked.Messages {
		m.Text = marks.Escape(m.Text)
		if m.Images, err = directImages(info, m.Images); err != nil {
			return req, err
		}
		req.Messages = append(req.Messages, m)
	}
	n := e.Meter.Estimate(req).Tokens
	if n >= req.ContextSize {
		return req, fmt.Errorf(
			"it takes about %d tokens, and the context of %s has %d: send less", n, visible.Line(info.Name),
			req.ContextSize,
		)
	}
	req.MaxTokens = req.ContextSize - n // the server shifts the context of a longer one without end
	return req, nil
}

// directImages are the images of a message as a model gets them. What it cannot see is refused: who asks can say it in
// words.
func directImages(info model.Info, given [][]byte) ([][]byte, error) {
	var sent [][]byte
	for _, data := range given {
		image, err := content.NewImage(data)
		if err == nil && !info.Can(image.Needs()) {
			return nil, fmt.Errorf(
				"%s %s: send none, or choose another model", visible.Line(info.Name), prompts.Lacks(image.Sound()),
			)
		}
		if err == nil {
			image, err = image.Fitted()
		}
		if err != nil {
			return nil, fmt.Errorf("an image %w", err)
		}
		sent = append(sent, image.Sent())
	}
	return sent, nil
}
