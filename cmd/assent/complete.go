package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/sql"
	"github.com/assent-ls/assent/tools/web"
	"github.com/assent-ls/assent/tools/workspace"
)

// askTime is how long a shell waits for the names of models.
const askTime = time.Second

// addCompletions has the shell complete values. Nothing is started for them, and the model server alone is asked.
func addCompletions(root *cobra.Command) {
	choices := map[string][]string{
		colorFlag: {string(terminal.Auto), string(terminal.Always), string(terminal.Never)},
		"chunk":   {"whole", "rune", "byte"},
	}
	for _, f := range settings.Fields() {
		if names := f.Names(); len(names) > 0 && f.Flag != "" {
			choices[f.Flag] = names
		}
	}
	// what cannot be found out is not completed
	type lister = func(ctx context.Context, p *parts, ws *workspace.Workspace) []string
	known := func(list lister) func(*cobra.Command) []string {
		return func(cmd *cobra.Command) (names []string) {
			p, err := wire(cmd)
			if err != nil {
				return nil
			}
			p.network = network.New(p.network.Offline(), nil) // a completion writes nothing, no log either
			_ = p.inFolder(cmd, func(p *parts, ws *workspace.Workspace, _ func() settings.Settings) error {
				names = list(cmd.Context(), p, ws)
				return nil
			})
			return names
		}
	}
	usage.Complete(root, usage.Values{
		usage.Format: func(*cobra.Command) []string { return formats.Names() },
		usage.Setting: func(*cobra.Command) (names []string) {
			for _, f := range settings.Fields() {
				names = append(names, f.Name)
			}
			return names
		},
		usage.Command: func(*cobra.Command) []string {
			names := []string{settingsTopic + "\tAll settings"}
			for _, sub := range root.Commands() {
				if sub.IsAvailableCommand() && sub.Name() != settingsTopic {
					names = append(names, sub.Name()+"\t"+sub.Short)
				}
			}
			return names
		},
		usage.Tool: func(*cobra.Command) []string {
			return append(builtin.Reserved(), web.Fetch, web.Search, sql.SchemaSearch, sql.Select)
		},
		usage.Chat: known(func(ctx context.Context, _ *parts, ws *workspace.Workspace) (names []string) {
			chats, _ := session.Chats(ctx, ws, ws.Root())
			for _, c := range chats {
				names = append(names, terminal.Path(c.Path)+"\t"+c.Title)
			}
			return names
		}),
		usage.Model: known(func(ctx context.Context, p *parts, _ *workspace.Workspace) (names []string) {
			ctx, cancel := context.WithTimeout(ctx, askTime)
			defer cancel()
			server, err := p.backend(p.settings.Get())
			if err != nil {
				return nil
			}
			installed, _ := server.Models(ctx)
			for _, m := range installed {
				names = append(names, m.Name+"\t"+m.Parameters+" "+m.Quantization)
			}
			return names
		}),
		usage.Preset: known(func(_ context.Context, p *parts, _ *workspace.Workspace) (names []string) {
			for _, preset := range prompts.Presets(p.config) {
				names = append(names, preset.Name+"\t"+preset.Description)
			}
			return names
		}),
		usage.Server: known(func(ctx context.Context, p *parts, ws *workspace.Workspace) (names []string) {
			servers := p.servers(ws, p.settings.Get)
			defer servers.Close() //nolint:errcheck // nothing was started
			list, _ := servers.Declared(ctx)
			for _, d := range list {
				names = append(names, d.Name+"\t"+stateOf(d))
			}
			return names
		}),
		usage.Database: known(func(_ context.Context, p *parts, ws *workspace.Workspace) (names []string) {
			source := p.databases(ws, p.settings.Get)
			defer source.Close() //nolint:errcheck // nothing was started
			list, _ := source.Declared()
			for _, d := range list {
				names = append(names, d.Name+"\t"+d.Place())
			}
			return names
		}),
		usage.Grant: known(func(_ context.Context, p *parts, _ *workspace.Workspace) (names []string) {
			for _, g := range p.policy.Grants() {
				names = append(names, g.ID+"\t"+string(g.List)+" "+g.Rule.Explain())
			}
			return names
		}),
	}, choices)
}
