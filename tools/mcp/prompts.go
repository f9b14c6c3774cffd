package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/internal/visible"
)

// maxPromptText is how much text of a prompt is taken, in bytes.
const maxPromptText = 16 << 10

// Prompt is a text of a server that a person can put into a message.
type Prompt struct {
	Name      string
	About     string // what the server says about it, on one line
	Arguments []PromptArgument
}

// PromptArgument is what a prompt wants to know.
type PromptArgument struct {
	Name   string
	Needed bool
}

// promptName is what can be written behind a slash.
var promptName = lazyregexp.New(`^[\w.-]{1,128}$`)

// Prompts lists the prompts of a server that runs. It starts none, and waits for a short time.
func (s *Source) Prompts(ctx context.Context, server string) []Prompt {
	c := s.running(server)
	if c == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, listedLimit)
	defer cancel()
	return c.prompts.get(ctx, c.listPrompts)
}

func (c *connection) listPrompts(ctx context.Context) (all []Prompt, err error) {
	if c.capabilities().Prompts == nil {
		return nil, nil
	}
	err = pages(func(cursor string) (next string, more bool, err error) {
		page, err := c.session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return "", false, err
		}
		for _, p := range page.Prompts {
			if p == nil || !promptName().MatchString(p.Name) || len(all) == maxListed {
				continue
			}
			prompt := Prompt{Name: p.Name, About: c.short(strings.TrimSpace(p.Title + " " + p.Description))}
			for _, a := range p.Arguments {
				if a != nil && len(prompt.Arguments) < maxFields {
					prompt.Arguments = append(prompt.Arguments, PromptArgument{a.Name, a.Required})
				}
			}
			odd := func(a PromptArgument) bool { return c.short(a.Name) != a.Name }
			// it could not be shown and asked for by the same names
			if c.hide(p.Name) == p.Name && !slices.ContainsFunc(prompt.Arguments, odd) {
				all = append(all, prompt)
			}
		}
		return page.NextCursor, len(all) < maxListed, nil
	})
	return all, err
}

// Prompt is the text that a server makes of a prompt and the words that a person wrote behind it, and which of those it
// took none of. The server is started if it does not run. The error is a sentence without its end.
func (s *Source) Prompt(ctx context.Context, server, name, words string) (text, rest string, err error) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	c, err := s.live(ctx, server)
	if err != nil {
		return "", "", err
	}
	c.prompts.retry()
	list := c.prompts.get(ctx, c.listPrompts)
	at := slices.IndexFunc(list, func(p Prompt) bool { return p.Name == name })
	if at < 0 {
		return "", "", fmt.Errorf("the server %s has no prompt %q", server, name)
	}
	arguments, rest, err := list[at].fill(words)
	if err != nil {
		return "", "", fmt.Errorf("/%s:%s %w", server, name, err)
	}
	result, err := c.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: arguments})
	if err != nil {
		err = c.listFailed(ctx, err)
	} else if len(result.InputRequests) > 0 {
		err = errWants
	}
	if err != nil {
		return "", "", fmt.Errorf("the server %s does not give its prompt %s: %w", server, name, err)
	}
	if text = c.promptText(result.Messages); text == "" {
		return "", "", fmt.Errorf("the prompt %s of the server %s is empty", name, server)
	}
	return text, rest, nil
}

// promptText is what the messages of a prompt say, bounded.
func (c *connection) promptText(messages []*sdk.PromptMessage) string {
	var all []string
	for _, m := range messages {
		if m == nil || m.Content == nil {
			continue
		}
		said := ""
		switch part := m.Content.(type) {
		case *sdk.TextContent:
			said = part.Text
		case *sdk.EmbeddedResource:
			if part.Resource != nil && part.Resource.Blob == nil {
				said = part.Resource.Text
			}
		}
		if said == "" {
			said = "[A part that is no text is left out.]"
		}
		all = append(all, visible.Text(strings.ToValidUTF8(c.hide(said), "\ufffd")))
	}
	text := strings.TrimSpace(strings.Join(all, "\n\n"))
	if over := len(text) - maxPromptText; over > 0 {
		text = strings.ToValidUTF8(text[:maxPromptText], "") + fmt.Sprintf("\n[%d bytes more are left out here.]", over)
	}
	return text
}

// fill gives each argument a word, in their order; what is in quotation marks is one, and the last argument takes
// all that is left. rest are words for which there is no argument.
func (p Prompt) fill(words string) (arguments map[string]string, rest string, err error) {
	arguments, rest = map[string]string{}, strings.TrimSpace(words)
	for i, a := range p.Arguments {
		if rest == "" {
			if a.Needed {
				return nil, "", fmt.Errorf(
					"needs words behind it, and %q is missing", visible.Line(visible.Shorten(a.Name, 80)),
				)
			}
			continue
		}
		word, more := cutWord(rest)
		if more != "" && i == len(p.Arguments)-1 {
			word, more = rest, ""
		}
		arguments[a.Name], rest = word, more
	}
	return arguments, rest, nil
}

// cutWord cuts the first word off; what is in quotation marks is one.
func cutWord(text string) (word, rest string) {
	if inner, quoted := strings.CutPrefix(text, `"`); quoted {
		if word, rest, closed := strings.Cut(inner, `"`); closed {
			return word, strings.TrimSpace(rest)
		}
	}
	at := strings.IndexAny(text, " \t\r\n")
	if at < 0 {
		return text, ""
	}
	return text[:at], strings.TrimSpace(text[at:])
}
