package config

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/folders"
	"github.com/assent-ls/assent/tools/sql"
)

// ShowServers shows the MCP servers that are declared for the editor's folders, and starts none.
func (s *Files) ShowServers(ctx context.Context, _ ext.Target) error {
	var b strings.Builder
	b.WriteString("# MCP servers\n")
	for _, at := range s.Folders.All() {
		if at.Servers == nil {
			continue
		}
		list, problems := at.Servers.Declared(ctx)
		b.WriteString(heading(at))
		for _, d := range list {
			fmt.Fprintf(&b, "\n**%s**, declared in `%s`: %s\n", d.Name, d.File, s.stateOf(placedServer{d, at}))
		}
		writeProblems(&b, problems, len(list))
	}
	return s.Host.ShowPage(ctx, "servers", visible.Text(b.String()))
}

// ShowDatabases shows the user's databases as they count in the editor's folders, and starts nothing.
func (s *Files) ShowDatabases(ctx context.Context, _ ext.Target) error {
	if s.Databases == nil {
		return errors.New("there are no databases here")
	}
	var b strings.Builder
	b.WriteString("# Databases\n")
	for _, at := range s.Folders.All() {
		now := s.SettingsIn(at.Folder)
		source := s.Databases(at.Workspace, func() settings.Settings { return now })
		b.WriteString(heading(at))
		list, problems := source.Declared()
		for _, d := range list {
			fmt.Fprintf(&b, "\n**%s**, %s\n", d.Name, aboutDatabase(source, d))
		}
		writeProblems(&b, problems, len(list))
		if err := source.Close(); err != nil {
			return err
		}
	}
	return s.Host.ShowPage(ctx, "databases", visible.Text(b.String()))
}

// aboutDatabase says where a database is, and which tables it had when they were read last.
func aboutDatabase(source *sql.Source, d sql.Declaration) string {
	about := d.Place() + d.Writing()
	if unused := source.Unused(d); unused != "" {
		return about + ": " + unused + "."
	}
	tables, ok := source.Known(d.Name)
	if !ok {
		return about +
			": its tables were not read yet. The first search in a chat reads them, or `assent sql schema " + d.Name +
			"`."
	}
	return about + ":\n\n" + parsed.Fenced("", tables)
}

// heading begins the part of a page that is about a folder.
func heading(o folders.Folder) string {
	if o.Workspace == nil {
		return "\n## In no folder\n"
	}
	return "\n## In " + filepath.Base(o.Workspace.Root()) + "\n"
}

// writeProblems shows what is wrong, in the words of files that anybody may have written, or that nothing is declared.
func writeProblems(b *strings.Builder, problems []error, declared int) {
	if declared == 0 && len(problems) == 0 {
		b.WriteString("\nNone is declared.\n")
	}
	for _, problem := range problems {
		b.WriteString("\n" + parsed.Fenced("", problem.Error()) + "\n")
	}
}
