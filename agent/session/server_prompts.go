package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/slash"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
)

// prompts are the prompts of the servers that run, as commands.
func (e Environment) prompts(ctx context.Context) (all []slash.Command) {
	if e.Servers == nil {
		return nil
	}
	for _, server := range e.Servers.Running() {
		all = append(all, e.promptsOf(ctx, server)...)
	}
	return all
}

func (e Environment) promptsOf(ctx context.Context, server string) (all []slash.Command) {
	for _, p := range e.Servers.Prompts(ctx, server) {
		var arguments []string
		for _, a := range p.Arguments {
			name := strings.ToUpper(a.Name)
			if !a.Needed {
				name = "[" + name + "]"
			}
			arguments = append(arguments, name)
		}
		all = append(all, slash.Command{
			Name: server + ":" + p.Name, Arguments: strings.Join(arguments, " "), From: server,
			Doc: fmt.Sprintf(
				"Puts a prompt of the server %s into the message when it is sent. The server says: %s", server,
				visible.CodeSpan(p.About),
			),
		})
	}
	return all
}

// Command finds the command of a name. Only the server that it names is asked, and one that does not run yet is taken
// to have it: it is asked when the message is sent.
func (s *Session) Command(ctx context.Context, name string) (slash.Command, bool) {
	return s.command(ctx, ctx, name)
}

// CommandNow is Command for a caller that must not wait: no server is asked, what it listed before counts.
func (s *Session) CommandNow(ctx context.Context, name string) (slash.Command, bool) {
	return s.command(ctx, ended(ctx), name)
}

func (s *Session) command(ctx, asking context.Context, name string) (slash.Command, bool) {
	env, err := s.environment()
	if err != nil {
		return slash.Find(slash.Builtin(), name)
	}
	return env.command(ctx, asking, name)
}

func (e Environment) command(ctx, asking context.Context, name string) (slash.Command, bool) {
	server, _, ofServer := strings.Cut(name, ":")
	if c, known := slash.Find(e.ownCommands(ctx), name); known || !ofServer || e.Servers == nil {
		return c, known
	}
	if slices.Contains(e.Servers.Running(), server) {
		return slash.Find(e.promptsOf(asking, server), name)
	}
	if !slices.Contains(e.Servers.Names(ctx), server) {
		return slash.Command{}, false
	}
	doc := fmt.Sprintf("A prompt of the server %s, which does not run: it is started when the message is sent.", server)
	return slash.Command{Name: name, Arguments: "[WORDS]", Doc: doc, From: server}, true
}

// becomes is the message that a command makes of its arguments, as it is in a chat. With look, no server is asked
// for it.
func (e Environment) becomes(ctx context.Context, c slash.Command, arguments string, look bool) (string, error) {
	if c.From == "" {
		text, err := c.Expand(arguments)
		return transcript.UserText(text), err
	}
	_, prompt, _ := strings.Cut(c.Name, ":")
	text, rest := "[What the server says is put here when the message is sent.]", arguments
	if !look {
		if err := e.mayRead(ctx, "", c.From, prompt); err != nil {
			return "", err
		}
		_, _ = e.Tools.Now(ctx) // starts the servers, as this message does; the run says what is wrong with others
		var err error
		if text, rest, err = e.Servers.Prompt(ctx, c.From, prompt, arguments); err != nil {
			return "", err
		}
	}
	said := fmt.Sprintf("Do as %s says:", c.Name)
	// In a block of its own it is none of the person's words: nothing in it is a mention, or names a file to be
	// attached.
	return transcript.UserText(said+"\n\n"+rest, transcript.Context{Name: "prompt " + c.Name, Text: text}), nil
}
