package config

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/wire"
)

// databaseActions lists what can be done about the database at a place.
func (s *Files) databaseActions(text string, at int, target ext.Target) []protocol.CodeAction {
	written, ok := configfiles.DatabaseAt(text, at)
	if !ok {
		return nil
	}
	return []protocol.CodeAction{s.ToAction(
		features.Action{Title: "Test this connection: " + written.Name, Command: ext.TestDatabase, ID: written.Name},
		target,
	)}
}

// TestDatabase reaches a database of the user's file, as it is on disk, and shows that it refuses to be written to. It
// goes on after the answer: many editors wait for that for seconds only.
func (s *Files) TestDatabase(_ context.Context, target ext.Server) error {
	file, snapshot, ok := s.Find(target.URI)
	if !ok || file.Kind != configfiles.UserDatabases || s.Databases == nil {
		return fmt.Errorf("%q is no open file of your databases", wire.DisplayPath(protocol.DocumentURI(target.URI)))
	}
	name := target.Name
	if name == "" && target.Position != nil {
		found, _ := configfiles.DatabaseAt(snapshot.Text.String(), offset(s, snapshot, target.Position))
		name = found.Name
	}
	if name == "" {
		return errors.New("it is not said which database is meant: use the command on a line of one")
	}
	s.Tasks.Go(func() {
		ctx, cancel := context.WithCancel(s.Context)
		defer cancel()
		progress := s.Host.Progress("Testing the database "+visible.Line(name), cancel)
		level, said := chats.Info, fmt.Sprintf("The database %s works, and refuses to be written to.", name)
		if err := s.Databases(nil, s.Settings.Get).Test(ctx, name, s.Folders.Paths()...); err != nil {
			level, said = chats.Error, fmt.Sprintf("The test of the database %s failed: %v.", visible.Line(name), err)
		}
		if s.Context.Err() == nil {
			s.Host.ShowMessage(level, said)
		}
		progress.End(said)
	})
	return nil
}

// databaseNames are the databases that the user declares.
func (s *Files) databaseNames() (names []string) {
	if s.Databases == nil {
		return nil
	}
	list, _ := s.Databases(nil, s.Settings.Get).Declared()
	for _, d := range list {
		names = append(names, d.Name)
	}
	return names
}

// undeclaredDatabases says which databases that a settings file names are not declared.
func (s *Files) undeclaredDatabases(text string) []configfiles.Diagnostic {
	return configfiles.DiagnoseDatabaseNames(text, s.databaseNames)
}

// SchemaOf declares the keys of a file; nil: nothing is known of them. Where databases or tools can be named, it lists
// them.
func (s *Files) SchemaOf(file File) *jsonschema.Schema {
	if file.Kind == configfiles.UserSettings || file.Kind == configfiles.WorkspaceSettings {
		return configfiles.SettingsSchema(s.databaseNames())
	}
	if file.HasRules() {
		return file.RulesSchema(s.known(file))
	}
	return file.Schema()
}
