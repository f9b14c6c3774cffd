package config

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/folders"
	"github.com/assent-ls/assent/lsp/wire"
	"github.com/assent-ls/assent/tools/mcp"
)

// placedServer is an MCP server as it is declared on disk, in a workspace where it may run.
type placedServer struct {
	mcp.Declared

	at folders.Folder
}

// serversOf lists the servers that a file declares on disk, in the workspace of the file; those of the user in each of
// the editor's folders.
func (s *Files) serversOf(ctx context.Context, file File) []placedServer {
	open := s.Folders.All()
	if file.Kind == configfiles.WorkspaceServers {
		at, err := s.Folders.Of(file.path)
		if err != nil {
			return nil
		}
		open = []folders.Folder{at}
	}
	var out []placedServer
	for _, at := range open {
		if at.Servers == nil {
			continue
		}
		list, _ := at.Servers.Declared(ctx) // the diagnostics of each file say what is wrong in it
		for _, d := range list {
			out = append(out, placedServer{d, at})
		}
	}
	return out
}

// declaredIn says whether a server is in this file, not in another one under the same name.
func (s *Files) declaredIn(d mcp.Declared, file File) bool {
	if file.Kind == configfiles.WorkspaceServers {
		return !d.Ours && d.File == file.rel()
	}
	config, err := s.Config()
	return err == nil && d.Ours && d.File == filepath.Join(config, "mcp.json")
}

// serversNamed are those of a file with this name: one in each workspace where it counts.
func (s *Files) serversNamed(ctx context.Context, file File, name string) []placedServer {
	return slices.DeleteFunc(s.serversOf(ctx, file), func(p placedServer) bool {
		return p.Name != name || !s.declaredIn(p.Declared, file)
	})
}

// OnServer serves a command on a server of an open file: nothing else is meant by it.
func OnServer(
	do func(s *Files, ctx context.Context, all []placedServer) error,
) Handler[ext.Entry] {
	return func(s *Files, ctx context.Context, target ext.Entry) error {
		file, snapshot, ok := s.Find(target.URI)
		if !ok || !file.HasServers() {
			return fmt.Errorf("%q is no open file that declares MCP servers", wire.DisplayPath(target.URI))
		}
		name := s.nameAt(target, snapshot, configfiles.ServerAt)
		if name == "" {
			return errors.New("it is not said which server is meant: use the command on a line of one")
		}
		all := s.serversNamed(ctx, file, name)
		if len(all) == 0 {
			return fmt.Errorf(
				"%s declares no server %q on disk that can be used: save it, and see what is wrong in it", file.name(),
				visible.Line(name),
			)
		}
		err := do(s, ctx, all)
		s.MarkAll()
		return err
	}
}

// nameAt is the name of what a command means: the one that it says, else that of the entry at its place.
func (s *Files) nameAt(
	target ext.Entry, d documents.Snapshot, find func(text string, at int) (configfiles.Entry, bool),
) string {
	if target.Name != "" || target.Position == nil {
		return target.Name
	}
	found, _ := find(d.Text.String(), offset(s, d, target.Position))
	return found.Name
}

// name is how people call the file.
func (f File) name() string {
	if rel := f.rel(); rel != "" {
		return rel
	}
	return f.path
}

func (s *Files) tell(sentence string) error {
	return s.Client.ShowNow(protocol.MessageTypeInfo, visible.Line(sentence))
}

func StartServer(s *Files, _ context.Context, all []placedServer) error {
	return s.startServers(all, (*mcp.Source).Start)
}

func RestartServer(s *Files, _ context.Context, all []placedServer) error {
	return s.startServers(all, (*mcp.Source).Restart)
}

// startServers starts a server in each of its workspaces. It goes on after the answer: many editors wait for that for
// seconds only.
func (s *Files) startServers(all []placedServer, start func(*mcp.Source, context.Context, string) error) error {
	for _, server := range all {
		switch {
		case server.Why != "":
			return errors.New(server.Why)
		case server.Disabled:
			return fmt.Errorf("the server %s is disabled where it is declared", server.Name)
		}
	}
	for _, server := range all {
		s.Tasks.Go(func() {
			s.progress("Starting the server "+server.Name, func(ctx context.Context) (chats.Level, string) {
				err := start(server.at.Servers, ctx, server.Name)
				if ctx.Err() != nil { // only now: a start that comes after it would count
					server.at.Servers.Stop(server.Name)
				}
				now, where := server.at.Servers.State(server.Declared), server.where(all)
				switch {
				case now.Phase == mcp.Stopped:
					return chats.Info, fmt.Sprintf(
						"The server %s%s was stopped before it had started.", server.Name, where,
					)
				case err != nil:
					return chats.Error, fmt.Sprintf("Nothing was started%s: %v.", where, err)
				}
				return chats.Info, fmt.Sprintf(
					"The server %s%s runs, with %d tools.", server.Name, where, len(now.Tools),
				)
			})
		})
	}
	return nil
}

// progress shows that some work takes long, which the user can cancel, and in the end what it says.
func (s *Files) progress(title string, work func(ctx context.Context) (chats.Level, string)) {
	ctx, cancel := context.WithCancel(s.Context)
	defer cancel()
	shown := s.Host.Progress(title, cancel)
	level, said := work(ctx)
	s.say(level, said)
	shown.End(said)
}

// say shows how something ended that went on after its answer, unless the server ends.
func (s *Files) say(level chats.Level, said string) {
	if s.Context.Err() == nil {
		s.Host.ShowMessage(level, said)
	}
}

// where names the workspace of a server that is in several.
func (p placedServer) where(all []placedServer) string {
	switch {
	case len(all) < 2:
		return ""
	case p.at.Workspace == nil:
		return " in no folder"
	}
	return " in " + filepath.Base(p.at.Workspace.Root())
}

func StopServer(s *Files, _ context.Context, all []placedServer) error {
	for _, server := range all {
		server.at.Servers.Stop(server.Name)
	}
	return s.tell("The server " + all[0].Name +
		" is stopped: no message starts it until you start it, or Assent itself starts again.")
}

func ShowServerLog(s *Files, ctx context.Context, all []placedServer) error {
	var logs []string
	for _, server := range all {
		text, err := server.at.Servers.Log(server.Name)
		switch {
		case err != nil:
			return err
		case text != "" && len(all) > 1:
			text = "The server " + server.Name + server.where(all) + ":\n" + text
		}
		logs = append(logs, text)
	}
	text := strings.Join(logs, "")
	if text == "" {
		return fmt.Errorf("the server %s has not run in this workspace", all[0].Name)
	}
	return s.Host.ShowWritten(
		ctx, "server-"+all[0].Name+".log", visible.Text(text), "the log", "The log of the server",
	)
}
