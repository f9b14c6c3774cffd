package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/cmd/assent/diagnosis"
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/sql"
	"github.com/assent-ls/assent/tools/workspace"
)

// databases are the user's databases as they count in a workspace.
func (p *parts) databases(ws *workspace.Workspace, now func() settings.Settings) *sql.Source {
	folder := ""
	if ws != nil {
		folder = ws.Root()
	}
	return sql.New(sql.Options{
		File:    filepath.Join(p.config, sql.File),
		Toolbox: func() string { return now().Toolbox }, Folder: folder, State: p.state,
		Only: func() ([]string, bool) {
			only := now().Databases
			if only == nil {
				return nil, false
			}
			return only.All(), true
		},
		Shell: p.shell(), Version: version(),
	})
}

func newSQL() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sql",
		Short: "Look at your databases as models can, and query one by hand",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, command := range []*cobra.Command{newSQLSources(), newSQLSchema(), newSQLQuery()} {
		usage.AddFolder(command.Flags(), new(string))
		cmd.AddCommand(command)
	}
	return cmd
}

// examineDatabases says whether the Toolbox is there for the databases that are declared.
func (p *parts) examineDatabases(ctx context.Context, r *diagnosis.Report) {
	source := p.databases(nil, p.settings.Get)
	defer source.Close() //nolint:errcheck // it has no error
	list, problems := source.Declared()
	for _, problem := range problems {
		r.Miss("%s", problem.Error())
	}
	for _, database := range list {
		r.Names = append(r.Names, database.Name)
	}
	if len(list) == 0 {
		r.Note("databases: none declared (docs/sql.md says how)")
		return
	}
	here, err := usage.Folder("")
	if err != nil {
		r.Miss("databases: %d declared, but the current folder is not known: %v", len(list), err)
		return
	}
	var toolbox string
	program, err := sql.FindToolbox(p.settings.Get().Toolbox, here)
	if err == nil {
		toolbox, err = sql.ToolboxVersion(ctx, p.network, program)
	}
	if err != nil {
		r.Miss("databases: %d declared, but %v", len(list), err)
		return
	}
	r.OK("databases: %d declared; the MCP Toolbox %s, %s", len(list), toolbox, program)
}

// withDatabases does something with the declared databases.
func withDatabases(cmd *cobra.Command, do func(*parts, *sql.Source) error) error {
	return inFolder(cmd, func(p *parts, ws *workspace.Workspace, now func() settings.Settings) error {
		source := p.databases(ws, now)
		defer source.Close() //nolint:errcheck // it has no error
		return do(p, source)
	})
}

func newSQLSources() *cobra.Command {
	var test, asJSON bool
	cmd := &cobra.Command{
		Use:   "sources [SOURCE]",
		Short: "List the declared databases, and with --test reach them and show that they refuse to be written to",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withDatabases(cmd, func(p *parts, s *sql.Source) error {
				list, problems := s.Declared()
				for _, problem := range problems {
					p.tell(problem.Error())
				}
				if len(args) > 0 {
					if err := declares(list, args[0]); err != nil {
						return err
					}
					list = slices.DeleteFunc(list, func(d sql.Declaration) bool { return d.Name != args[0] })
				}
				if len(list) == 0 && len(problems) == 0 {
					p.tell(nothing + "no database is declared; docs/sql.md says how")
				}
				failed := len(problems) > 0
				for _, d := range list {
					state, unused, broken := "declared", s.Unused(d), false
					switch {
					case unused != "":
						state = unused
					case test:
						state = "works, and refuses to be written to"
						if err := s.Test(cmd.Context(), d.Name); err != nil {
							state, failed, broken = err.Error(), true, true
						}
					}
					place := d.Place() + d.Writing()
					if asJSON {
						line := listing.Database{Name: d.Name, Place: place, State: state, Failed: broken}
						if err := listing.Print(cmd.OutOrStdout(), line); err != nil {
							return err
						}
						continue
					}
					say(cmd.OutOrStdout(), "%s (%s): %s", d.Name, place, state)
				}
				if failed {
					return &exitError{status: 1}
				}
				return nil
			})
		},
	}
	listing.AddFlag(cmd, &asJSON, "sql sources")
	cmd.Flags().BoolVar(&test, "test", false, "Reach each database, and show that it refuses to be written to.")
	return cmd
}

// declares refuses the name of a database that is none of those that are declared.
func declares(list []sql.Declaration, name string) error {
	var names []string
	for _, d := range list {
		names = append(names, d.Name)
	}
	if slices.Contains(names, name) {
		return nil
	}
	return usage.None("source", name, names, "assent sql sources")
}

func newSQLSchema() *cobra.Command {
	var refresh bool
	cmd := &cobra.Command{
		Use:   "schema SOURCE [WORDS]",
		Short: "Describe the tables of a database, those that have some words first",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withDatabases(cmd, func(_ *parts, s *sql.Source) error {
				if list, problems := s.Declared(); len(problems) == 0 {
					if err := declares(list, args[0]); err != nil {
						return err
					}
				}
				text, err := s.Schema(cmd.Context(), args[0], strings.Join(args[1:], " "), refresh)
				if err != nil {
					return err
				}
				for line := range strings.Lines(text) {
					fmt.Fprintln(cmd.OutOrStdout(), visible.Line(strings.TrimSuffix(line, "\n")))
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&refresh, "refresh", false, "Read the tables from the database, also if they are known.")
	return cmd
}

func newSQLQuery() *cobra.Command {
	var limit int
	var csv, explain bool
	cmd := &cobra.Command{
		Use:   "query SOURCE QUERY",
		Short: "Put a query to a database by hand, and print the rows",
		Long: "Put a query to a database by hand, and print the rows. " +
			"It is asked about on a terminal, as a model's query is; without one\n" +
			"nothing runs, and the status is 3.",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := args[1]
			if explain {
				var err error
				if query, err = explaining(cmd, args[0], query); err != nil {
					return err
				}
			}
			arguments, err := json.Marshal(map[string]any{"source": args[0], "query": query, "limit": limit})
			if err != nil {
				return err
			}
			return withToolsInFolder(cmd, func(env session.Environment, d *tools.Dispatcher) error {
				s, found := d.Registry().BuiltIn(sql.Select)
				if !found {
					return errors.New("no database can be used here; `assent sql sources` says why")
				}
				return runByHand(cmd, env, d, tools.Call{Name: s.Name, Arguments: arguments, Whole: csv})
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 0, "How many rows are shown; 0: 50, or with --csv 10,000, which is the most.")
	cmd.Flags().BoolVar(&csv, "csv", false, "Print all rows as CSV.")
	cmd.Flags().BoolVar(&explain, "explain", false, "Print how the database would run the query, and do not run it.")
	return cmd
}

// explaining is the statement that asks a database how it would run a query.
func explaining(cmd *cobra.Command, name, query string) (explain string, err error) {
	err = withDatabases(cmd, func(_ *parts, s *sql.Source) error {
		explain, err = s.Explaining(name, query)
		return err
	})
	return explain, err
}
