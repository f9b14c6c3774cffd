package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/workspace"
)

// addServerCommands adds the commands about the MCP servers whose tools models can call.
func addServerCommands(cmd *cobra.Command) {
	for _, command := range []*cobra.Command{
		newMCPList(), newMCPTools(), newMCPCall(), newMCPTrust(), newMCPLogin(), newMCPLogout(), newMCPLog(),
	} {
		usage.AddFolder(command.Flags(), new(string))
		cmd.AddCommand(command)
	}
}

// serversOf are the MCP servers of a workspace, for one command.
type serversOf struct {
	*mcp.Source

	ws  *workspace.Workspace
	p   *parts
	out io.Writer
}

// withServers does something with the declared servers. It starts none of them.
func withServers(cmd *cobra.Command, do func(context.Context, serversOf) error) error {
	return inFolder(cmd, func(p *parts, ws *workspace.Workspace, now func() settings.Settings) error {
		source := p.servers(ws, now)
		defer source.Close() //nolint:errcheck // nothing was started
		return do(cmd.Context(), serversOf{source, ws, p, cmd.OutOrStdout()})
	})
}

// inFolder does something with the workspace that the flag --folder names, and its settings as they are now.
func inFolder(cmd *cobra.Command, do func(*parts, *workspace.Workspace, func() settings.Settings) error) error {
	p, err := wire(cmd)
	if err != nil {
		return err
	}
	return p.inFolder(cmd, do)
}

// inFolder is the function of that name, for a program that is wired already.
func (p *parts) inFolder(
	cmd *cobra.Command, do func(*parts, *workspace.Workspace, func() settings.Settings) error,
) error {
	root, err := folderFlag(cmd)
	if err != nil {
		return err
	}
	ws, err := workspace.Open(root, workspace.NoBuffers{})
	if err != nil {
		return err
	}
	defer ws.Close() //nolint:errcheck // only looked at
	now := p.settingsIn(root)
	return do(p, ws, func() settings.Settings { return now })
}

func folderFlag(cmd *cobra.Command) (string, error) {
	folder := "" // a command without the flag is about the current folder
	if flag := cmd.Flag("folder"); flag != nil {
		folder = flag.Value.String()
	}
	return usage.Folder(folder)
}

func (s serversOf) say(format string, args ...any) {
	say(s.out, format, args...)
}

// say prints one line, in which nothing can begin another one.
func say(out io.Writer, format string, args ...any) {
	fmt.Fprintln(out, visible.Line(fmt.Sprintf(format, args...)))
}

func newMCPList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the declared MCP servers, and which of them count",
		Args:  cobra.NoArgs,

		Annotations: whenNothing("no MCP server is declared; docs/mcp.md says how"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withServers(cmd, func(ctx context.Context, s serversOf) error {
				list, problems := s.Declared(ctx)
				for _, d := range list {
					line := listing.Server{
						Name: d.Name, Counts: !d.Disabled && d.Why == "", State: stateOf(d), File: d.File,
						Reached: told(d.Declaration),
					}
					if who, err := s.LoggedIn(d); err != nil {
						s.p.tell(err.Error())
					} else if who.Issuer != "" {
						line.LoggedIn, line.Since = who.Issuer, &who.Since
					}
					if err := s.show(line, asJSON); err != nil {
						return err
					}
				}
				for _, problem := range problems {
					s.p.tell(problem.Error())
				}
				return nil
			})
		},
	}
	listing.AddFlag(cmd, &asJSON, "mcp list")
	return cmd
}

// show prints a declared server.
func (s serversOf) show(line listing.Server, asJSON bool) error {
	if asJSON {
		return listing.Print(s.out, line)
	}
	s.say("%s: %s (%s)", line.Name, line.State, terminal.Path(line.File))
	s.say("    %s", line.Reached)
	if line.Since != nil {
		s.say("    logged in at %s since %s", line.LoggedIn, line.Since.Local().Format("2006-01-02 15:04"))
	}
	return nil
}

func noServer(name string, list []mcp.Declared) error {
	var names []string
	for _, d := range list {
		names = append(names, d.Name)
	}
	return usage.None("server", name, names, "assent mcp list")
}

// stateOf says whether a server counts.
func stateOf(d mcp.Declared) string {
	switch {
	case d.Disabled:
		return "disabled"
	case d.Why != "":
		return d.Why
	case d.Ours:
		return "your own"
	}
	return "trusted"
}

// told is how a server is reached, as it is declared. Of variables and headers it has the names alone: their values may
// be secrets.
func told(d mcp.Declaration) string {
	if d.URL != "" {
		return d.URL + named(" with the headers ", d.Headers)
	}
	return strings.Join(append([]string{d.Command}, d.Args...), " ") + named(" with the variables ", d.Env)
}

func named(what string, values map[string]string) string {
	if len(values) == 0 {
		return ""
	}
	return what + strings.Join(slices.Sorted(maps.Keys(values)), ", ")
}

func newMCPTools() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tools [SERVER]",
		Short: "Start the MCP servers, and list their tools",
		Args:  cobra.MaximumNArgs(1),

		Annotations: whenNothing("no MCP server that counts has a tool; `assent mcp list` says which count"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withToolsInFolder(cmd, func(_ session.Environment, d *tools.Dispatcher) error {
				found := false
				for _, s := range d.Registry().Specs() {
					server := mcp.ServerOf(s.Origin)
					if server == "" || len(args) > 0 && server != args[0] {
						continue
					}
					found = true
					first, _, _ := strings.Cut(s.Description, "\n")
					says := visible.ForeignText(first).Line(200)
					if !asJSON {
						say(cmd.OutOrStdout(), "%s of %s: %s", s.Name, s.Origin, says)
						continue
					}
					tool := listing.ServerTool{Name: s.Name, Server: server, Says: says}
					if err := listing.Print(cmd.OutOrStdout(), tool); err != nil {
						return err
					}
				}
				if len(args) > 0 && !found {
					return fmt.Errorf(
						"there are no tools of a server %q; `assent mcp list` says which servers count", args[0],
					)
				}
				return nil
			})
		},
	}
	listing.AddFlag(cmd, &asJSON, "mcp tools")
	return cmd
}

// withToolsInFolder is withTools for the folder that the flag --folder names.
func withToolsInFolder(cmd *cobra.Command, do func(session.Environment, *tools.Dispatcher) error) error {
	root, err := folderFlag(cmd)
	if err != nil {
		return err
	}
	return withTools(cmd, &runFlags{folder: root}, do)
}

func newMCPCall() *cobra.Command {
	return &cobra.Command{
		Use:   "call SERVER TOOL [ARGUMENTS]",
		Short: "Call a tool of an MCP server by hand, with its arguments as a JSON object",
		Long: "Call a tool of an MCP server by hand, with its arguments as a JSON object; " +
			"\"-\" reads them from standard input.\n" +
			"It is asked about on a terminal, as a model's call is; without one nothing runs, and the status is 3.",
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments, err := argumentsOf(cmd.InOrStdin(), args[2:])
			if err != nil {
				return err
			}
			return withToolsInFolder(cmd, func(env session.Environment, d *tools.Dispatcher) error {
				var names []string
				for _, s := range d.Registry().Specs() {
					if mcp.ServerOf(s.Origin) != args[0] {
						continue
					}
					if s.Own() == args[1] || s.Name == args[1] {
						return runByHand(cmd, env, d, tools.Call{Name: s.Name, Arguments: arguments})
					}
					names = append(names, s.Own())
				}
				what := fmt.Sprintf("server %q with a tool", args[0])
				return usage.None(what, args[1], names, "assent mcp tools")
			})
		},
	}
}

func newMCPTrust() *cobra.Command {
	var yes, revoke bool
	cmd := &cobra.Command{
		Use:   "trust SERVER",
		Short: "Show what an MCP server of the workspace would start or reach, and trust it or take that back",
		Long: "Show what an MCP server of the workspace would start or reach. " +
			"It counts once you trust all of it: its command and what that is on this\n" +
			"machine, its arguments and the files of the workspace that one of them names by its path, " +
			"alone or behind = (not folders),\n" +
			"its variables, its folder, its address and its headers. Any change takes the trust away.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(cmd, func(ctx context.Context, s serversOf) error {
				if revoke {
					return s.revoke(args[0])
				}
				return s.trust(ctx, args[0], yes)
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "Trust the server as it stands.")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "Take back the trust in the server.")
	cmd.MarkFlagsMutuallyExclusive("yes", "revoke")
	return cmd
}

// trust shows what a person would trust, and with yes trusts just that.
func (s serversOf) trust(ctx context.Context, name string, yes bool) error {
	list, problems := s.Declared(ctx)
	at := slices.IndexFunc(list, func(d mcp.Declared) bool { return d.Name == name })
	if at < 0 {
		return noServer(name, list)
	}
	d := list[at]
	if d.Ours {
		s.say("%s is your own, declared in %s: it needs no trust.", name, d.File)
		return nil
	}
	consent, err := s.Consent(d)
	switch {
	case err != nil:
		return err
	case d.Why == "":
		s.say("trusted: %s of %s", name, d.File)
		s.lines(string(consent))
		return nil
	case yes && !workspace.Lasting(s.ws.Key()):
		return errors.New(workspace.SessionOnly(s.ws.Key()))
	}
	s.say("not trusted: %s of %s. This is new:", name, d.File)
	s.lines(s.p.trust.New(s.ws.Key(), d.Place(), consent))
	for _, problem := range problems {
		s.p.tell(problem.Error())
	}
	if !yes {
		s.say("`assent mcp trust --yes %s` trusts it as it stands here.", name)
		return nil
	}
	if err := s.Trust(ctx, name, consent); err != nil {
		return err
	}
	s.say("trusted: %s", name)
	return nil
}

func (s serversOf) revoke(name string) error {
	if err := s.Revoke(name); err != nil {
		return err
	}
	s.say("not trusted any more: %s", name)
	return nil
}

func (s serversOf) lines(text string) {
	for line := range strings.Lines(text) {
		s.say("    %s", strings.TrimSuffix(line, "\n"))
	}
}

func newMCPLog() *cobra.Command {
	return &cobra.Command{
		Use:   "log SERVER",
		Short: "Show the end of what an MCP server said when it ran last",
		Args:  cobra.ExactArgs(1),

		Annotations: whenEmpty("it said nothing when it ran last"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(cmd, func(ctx context.Context, s serversOf) error {
				list, _ := s.Declared(ctx)
				if !slices.ContainsFunc(list, func(d mcp.Declared) bool { return d.Name == args[0] }) {
					return noServer(args[0], list)
				}
				text, err := s.Log(args[0])
				if err == nil && text == "" {
					text = "It has not run in this workspace.\n"
				}
				fmt.Fprint(s.out, text)
				return err
			})
		},
	}
}
