package config

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/wire"
)

// databaseActions lists what can be done about the database at a place.
func databaseActions(text string, at int) []features.Action {
	written, ok := configfiles.DatabaseAt(text, at)
	if !ok {
		return nil
	}
	return []features.Action{
		{Title: "Test this connection: " + written.Name, Command: ext.TestDatabase, ID: written.Name},
	}
}

// TestDatabase reaches a database of the user's file, as it is on disk, and shows that it refuses to be written to. It
// goes on after the answer: many editors wait for that for seconds only.
func (s *Files) TestDatabase(_ context.Context, target ext.Entry) error {
	file, snapshot, ok := s.Find(target.URI)
	if !ok || file.Kind != configfiles.UserDatabases || s.Databases == nil {
		return fmt.Errorf("%q is no open file of your databases", wire.DisplayPath(target.URI))
	}
	name := s.nameAt(target, snapshot, configfiles.DatabaseAt)
	if name == "" {
		return errors.New("it is not said which database is meant: use the command on a line of one")
	}
	s.Tasks.Go(func() {
		s.progress("Testing the database "+visible.Line(name), func(ctx context.Context) (chats.Level, string) {
			if err := s.Databases(nil, s.Settings.Get).Test(ctx, name, s.Folders.Paths()...); err != nil {
				return chats.Error, fmt.Sprintf("The test of the database %s failed: %v.", visible.Line(name), err)
			}
			return chats.Info, fmt.Sprintf("The database %s works, and refuses to be written to.", name)
		})
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

// SchemaOf declares the keys of a file; nil: nothing is known of them. Where databases or tools can be named, it lists
// them.
func (s *Files) SchemaOf(file File) *jsonschema.Schema {
	switch {
	case file.IsSettings():
		return configfiles.SettingsSchema(s.databaseNames())
	case file.HasRules():
		return file.RulesSchema(s.known(file))
	}
	return file.Schema()
}
