package chats

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/agent/inspect"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/prompts"
)

// ShowRequest shows the request that Send would make now.
func (c *Chat) ShowRequest(ctx context.Context) error {
	r, err := c.Session.Inspect(ctx, session.RenderLoaded)
	if err != nil {
		return err
	}
	page, err := r.Page()
	if err != nil {
		return err
	}
	return c.showPage(ctx, "request", page)
}

// ShowSystemPrompt shows the system prompt that Send would use now, with its layers. No model server is asked.
func (c *Chat) ShowSystemPrompt(ctx context.Context) error {
	prompt, tokens, err := c.Session.Prompt(ctx)
	if err != nil {
		return err
	}
	return c.showPage(ctx, "system-prompt", inspect.PromptPage(prompt, tokens))
}

// showPage shows a page about the chat. Another page gets another name, since an editor may show the old one until it
// is told to read it again.
func (c *Chat) showPage(ctx context.Context, about, page string) error {
	return c.Chats.Host.ShowPage(ctx, nameOf(c, about, page), page)
}

// nameOf is the name of a document about the chat; with another text it has another one.
func nameOf(c *Chat, about, text string) string {
	const maxName = 100 // a chat's file says how its calls are called
	name := plainName(strings.TrimSuffix(filepath.Base(c.path), ".chat.md") + "-" + about)
	return documents.PageName(name[:min(len(name), maxName)]+"-", c.path+"\x00"+text)
}

// Presets lists what the line `prompt` of the front matter may name.
func (c *Chat) Presets() []prompts.Preset {
	env, err := c.environment()
	if err != nil {
		return nil
	}
	return prompts.Presets(env.Config)
}
