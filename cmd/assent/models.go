package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/cmd/assent/diagnosis"
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/terminal"
)

func newModels() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the installed models, and how Assent talks to each",
		Long:  "List the installed models, how Assent would talk to each, and why",
		Args:  cobra.NoArgs,

		Annotations: whenNothing("no model is installed; run `ollama pull qwen2.5-coder:7b`"),
		RunE: wired(func(cmd *cobra.Command, p *parts, _ []string) error {
			server, err := p.backend(p.settings.Get())
			if err != nil {
				return err
			}
			known, err := profiles()
			if err != nil {
				return err
			}
			installed, err := server.Models(cmd.Context())
			for _, m := range server.Discover(cmd.Context()) {
				if m.Found != nil { // nobody declared or approved its server: the others are listed already
					installed = append(installed, m)
				}
			}
			if len(installed) == 0 {
				return err
			}
			var lines []listing.Model
			for _, m := range installed {
				info, err := server.Describe(cmd.Context(), m.Name)
				if err != nil {
					return err
				}
				profile, why := known.For(info)
				if info.Found != nil {
					why = "not approved yet: a chat that names it asks; at " + info.Found.Address +
						diagnosis.Listens(info.Found)
				} else if info.Server != "" {
					why += "; " + info.Server
				}
				lines = append(lines, listing.Model{
					Name: info.Name, Parameters: info.Parameters, Quantization: info.Quantization,
					Calls: profile.Formats, Thinking: profile.Thinking, Because: why + diagnosis.Where(info),
					Server: info.Server, Approved: info.Found == nil, Host: info.Elsewhere(),
				})
			}
			if asJSON {
				return listing.Print(cmd.OutOrStdout(), lines...)
			}
			rows := [][]string{{"MODEL", "SIZE", "CALLS", "THINKING", "BECAUSE"}}
			for _, m := range lines {
				size := m.Parameters + " " + m.Quantization
				rows = append(rows, []string{m.Name, size, strings.Join(m.Calls, ", "), m.Thinking, m.Because})
			}
			return terminal.PlainTable(cmd.OutOrStdout(), rows)
		}),
	}
	listing.AddFlag(cmd, &asJSON, "models")
	return cmd
}

// formatOf finds the tool-call format of a model by its name alone; no server is asked.
func formatOf(name string) (string, error) {
	known, err := profiles()
	if err != nil {
		return "", err
	}
	profile, _ := known.For(model.Info{Name: name})
	for _, format := range profile.Formats {
		// the server decodes native calls; decode is for text that a model printed
		if format != "guided" && format != "native" {
			return format, nil
		}
	}
	return profile.Formats[0], nil
}
