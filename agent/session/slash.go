package session

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/agent/slash"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/diskfile"
)

const (
	workspaceCommands = ".assent/commands"
	maxCommands       = 100 // of one folder
)

// Commands lists what a message can begin with here: what is built in, the user's own, and those of a workspace that
// the user trusts. What comes first counts; a command that cannot be used has a problem.
func (s *Session) Commands(ctx context.Context) []slash.Command {
	return commandsOf(s, ctx, ctx)
}

// CommandsNow is Commands for a caller that must not wait: no server is asked for its prompts, those count that it
// listed before.
func (s *Session) CommandsNow(ctx context.Context) []slash.Command {
	return commandsOf(s, ctx, ended(ctx))
}

// ended is a context that has ended: who asks a server by it gets what is known.
func ended(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx
}

// commandsOf are all of them. Servers are asked for theirs within a context of its own.
func commandsOf(s *Session, ctx, asking context.Context) []slash.Command {
	env, err := s.environment()
	if err != nil {
		return slash.Builtin()
	}
	return addCommands(env.ownCommands(ctx), env.prompts(asking))
}

// addCommands adds those whose names are not taken yet.
func addCommands(all, more []slash.Command) []slash.Command {
	for _, c := range more {
		if _, taken := slash.Find(all, c.Name); !taken {
			all = append(all, c)
		}
	}
	return all
}

// ownCommands are those that no server has.
func (e Environment) ownCommands(ctx context.Context) []slash.Command {
	var does, asks []slash.Command
	for _, c := range slash.Builtin() {
		if c.Does != 0 || c.Summarizes {
			does = append(does, c)
		} else {
			asks = append(asks, c)
		}
	}
	all := addCommands(does, e.userCommands()) // nobody's file changes what the first ones do
	if e.Workspace == nil {
		return addCommands(all, asks)
	}
	own := e.workspaceCommands(ctx)
	if e.trusted() {
		return addCommands(addCommands(all, own), asks)
	}
	for i := range own {
		own[i].Template, own[i].Doc = "", "A command of this workspace."
		own[i].Problem = "it is one of this workspace, which you do not trust yet: Trust this folder, " +
			"or `assent trust`, lets it count."
	}
	return addCommands(addCommands(all, asks), own)
}

// userCommands are the files in the folder "commands" of the user's configuration.
func (e Environment) userCommands() []slash.Command {
	config, err := configFolder(e.Config)
	if err != nil {
		return nil
	}
	folder := filepath.Join(config, "commands")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var all []slash.Command
	for _, entry := range entries {
		name, ok := commandName(entry.Name())
		if !ok || len(all) == maxCommands {
			continue
		}
		file := filepath.Join(folder, entry.Name())
		data, err := diskfile.ReadSmall(file, slash.MaxFile)
		c := slash.FromFile(name, file, data)
		if err != nil && !errors.Is(err, diskfile.ErrTooLarge) { // that it says itself
			c.Problem = visible.Line(err.Error())
		}
		all = append(all, c)
	}
	return all
}

// workspaceCommands are the files in the folder .assent/commands of the workspace.
func (e Environment) workspaceCommands(ctx context.Context) []slash.Command {
	folder, err := e.Workspace.Resolve(workspaceCommands)
	if err != nil || !folder.Dir || folder.Rel != workspaceCommands {
		return nil
	}
	entries, err := e.Workspace.List(ctx, folder)
	if err != nil {
		return nil
	}
	var all []slash.Command
	for _, entry := range entries {
		name, ok := commandName(entry.Name)
		if !ok || entry.Dir || len(all) == maxCommands {
			continue
		}
		rel := path.Join(workspaceCommands, entry.Name)
		data, found, err := e.Workspace.ReadSaved(ctx, rel)
		c := slash.FromFile(name, filepath.Join(e.Workspace.Root(), filepath.FromSlash(rel)), data)
		if err == nil && !found {
			err = fs.ErrNotExist
		}
		if err != nil {
			c.Problem = "its file cannot be read: " + visible.Line(err.Error())
		}
		all = append(all, c)
	}
	return all
}

func commandName(file string) (name string, ok bool) {
	name, ok = strings.CutSuffix(file, ".md")
	return name, ok && slash.IsName(name)
}

// words are the user's own words at the beginning of the turn that is to be sent; ok is false if there is none.
func words(s Snapshot) (text string, span transcript.Span, ok bool) {
	chat := s.Chat()
	last := len(chat.Turns) - 1
	if last < 0 || chat.Turns[last].Role != transcript.You || chat.Turns[last].Empty() {
		return "", transcript.Span{}, false
	}
	first, ok := chat.Turns[last].Blocks[0].(transcript.Text)
	return first.Markdown, first.Span, ok
}

// expand puts what a command makes of a message into its place, so that the document shows what is sent.
func (s *Session) expand(ctx context.Context, env *Environment) error {
	snapshot, err := s.document.Read()
	if err != nil {
		return err
	}
	e, err := env.expanded(ctx, snapshot, false)
	if err == nil && e.text != "" {
		err = checkHead(snapshot.Chat()) // before anything is written
	}
	if err != nil || e.text == "" {
		return err
	}
	env.Options.Summarize = e.command.Summarizes
	return snapshot.Replace(ctx, e.at, e.text)
}

// expansion is what a command makes of the message that is to be sent.
type expansion struct {
	command slash.Command
	text    string // empty: the message begins with no command
	at      transcript.Span
}

// expanded finds what the message becomes by its command. With look, no server is asked for it.
func (e Environment) expanded(ctx context.Context, snapshot Snapshot, look bool) (expansion, error) {
	message, at, ok := words(snapshot)
	name, arguments, isCommand := slash.Parse(message)
	if !ok || !isCommand {
		return expansion{}, nil
	}
	c, known := e.command(ctx, ctx, name)
	switch {
	case !known:
		return expansion{}, nil // it is only text
	case c.Does != 0:
		return expansion{}, invalid("/%s is something that an editor does: there is nothing to send", name)
	}
	text, err := e.becomes(ctx, c, arguments, look)
	if err != nil {
		return expansion{}, invalid("%s", strings.TrimSuffix(err.Error(), "."))
	}
	return expansion{c, text, at}, nil
}
