package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/code"
	"github.com/assent-ls/assent/cmd/assent/diagnosis"
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/tools/egress"
)

// allModels is what --probe means without a name.
const allModels = "*"

func newDoctor() *cobra.Command {
	var probed, bundle string
	var listed, fix, asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is there and what is missing",
		Long: "Say what is there and what is missing: the sandbox for commands, the model servers with known " +
			"vulnerabilities, models, memory,\n" +
			"context, rules, editors, the state folder and its disk. Each line that begins with note or MISSING says " +
			"what to do.\n" +
			"With --probe, ask one model, or all that are installed, some 20 short questions to find out how it " +
			"calls tools best, and keep\n" +
			"that as its profile.",
		Annotations: map[string]string{usage.Arguments: string(usage.Model)}, // behind --probe

		Args: func(cmd *cobra.Command, args []string) error {
			if probed == allModels { // --probe MODEL
				return cobra.MaximumNArgs(1)(cmd, args)
			}
			return cobra.NoArgs(cmd, args)
		},
		RunE: wired(func(cmd *cobra.Command, p *parts, args []string) error {
			contacted := egress.New(p.state)
			if listed {
				places, since, broken, err := contacted.Places()
				if err != nil {
					return err
				}
				p.tellBroken("egress.jsonl", broken)
				if asJSON {
					return listing.Print(cmd.OutOrStdout(), places...)
				}
				return diagnosis.Contacts(cmd.OutOrStdout(), places, since)
			}
			if fix {
				return p.fix(cmd, asJSON)
			}
			now := p.settings.Get()
			server, err := p.backend(now)
			if err != nil {
				return err
			}
			switch {
			case probed == allModels && len(args) == 0:
				return p.probeAll(cmd, server, asJSON)
			case probed == allModels:
				probed = args[0]
			}
			if probed != "" {
				return p.probe(cmd, server, probed, asJSON)
			}
			r := &diagnosis.Report{Out: cmd.OutOrStdout(), JSON: asJSON}
			r.Folder(p.state.Dir())
			examineSandbox(cmd.Context(), r, now)
			code.Examine(cmd.Context(), r, now.Python, pythonWord)
			p.examineDatabases(cmd.Context(), r)
			r.Models(cmd.Context(), server, now, version(), profiles)
			r.Machine(p.config, p.network)
			if bundle != "" {
				r.Names = append(r.Names, p.serverNames(cmd.Context())...)
				places, _, _, err := contacted.Places()
				if _, there := os.Lstat(bundle); there == nil {
					return usage.Error(bundle + " is there already: name a file that is not")
				}
				if err == nil {
					err = r.Bundle(bundle, p.config, version(), places)
				}
				if err == nil {
					r.OK("a report for others is in %s: read it before you send it", bundle)
				}
				return err
			}
			if r.Missing > 0 {
				return &exitError{status: 1}
			}
			return nil
		}),
	}
	cmd.Flags().StringVar(
		&probed, "probe", "",
		"Find out how the model `MODEL` calls tools best, or all that are installed; takes a minute or more for each.",
	)
	cmd.Flags().Lookup("probe").NoOptDefVal = allModels
	cmd.Flags().BoolVar(&listed, "egress", false, "List every address that was contacted, by whom, why and how often.")
	cmd.Flags().BoolVar(
		&fix, "fix", false,
		"Mend what can be mended without harm, once you say yes: permissions of the state folder, names left at "+
			"locks, misspelt keys of your settings file.",
	)
	cmd.Flags().StringVar(
		&bundle, "bundle", "",
		"Write what is said into `FILE`, for others: without contents, secrets, paths, names of people and machines.",
	)
	listing.AddFlag(cmd, &asJSON, "doctor")
	cmd.MarkFlagsMutuallyExclusive("probe", "egress", "fix", "bundle")
	return cmd
}

// serverNames are the names of the MCP servers that the user declared.
func (p *parts) serverNames(ctx context.Context) (names []string) {
	source := p.servers(nil, p.settings.Get)
	defer source.Close() //nolint:errcheck // nothing was started
	list, _ := source.Declared(ctx)
	for _, d := range list {
		names = append(names, d.Name)
	}
	return names
}
