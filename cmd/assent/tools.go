package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/byhand"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/cmd/assent/asking"
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/toolsview"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/overview"
	"github.com/assent-ls/assent/tools/usagelog"
	"github.com/assent-ls/assent/tools/web"
)

func newTools() *cobra.Command {
	var flags runFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Show the tools, switch them on and off, and call one by hand",
		Long: "Show the tools of a workspace, those that are off included: what each does, how it asks for approval, " +
			"and how its calls ended, as\nfar as `assent log` goes back.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withAllTools(cmd, &flags, func(p *parts, _ session.Environment, list []toolsview.Tool) error {
				if asJSON {
					return listing.Print(cmd.OutOrStdout(), toolsview.Lines(list)...)
				}
				toolsview.List(cmd.OutOrStdout(), list)
				return nil
			})
		},
	}
	listing.AddFlag(cmd, &asJSON, "tools")
	usage.AddFolder(cmd.PersistentFlags(), &flags.folder)
	cmd.AddCommand(
		newToolsList(&flags), newToolsShow(&flags), newToolsRun(&flags), newToolsSwitch(&flags, true),
		newToolsSwitch(&flags, false),
	)
	return cmd
}

// withAllTools does something with all tools of the workspace, those that are off included.
func withAllTools(
	cmd *cobra.Command, flags *runFlags, do func(*parts, session.Environment, []toolsview.Tool) error,
) error {
	return withParts(cmd, flags, func(p *parts, env session.Environment, d *tools.Dispatcher) error {
		entries, broken, err := usagelog.New(p.state).Entries()
		if err != nil {
			return err
		}
		p.tellBroken("the log", broken)
		var list []toolsview.Tool
		for _, t := range overview.Of(d, env.Options.Mode(), entries) {
			list = append(list, toolsview.Tool{Tool: t, Switch: p.settings.Tool(env.Options.Folder, t.Setting)})
		}
		return do(p, env, list)
	})
}

// newToolsSwitch makes the command that switches tools on, or off.
func newToolsSwitch(flags *runFlags, on bool) *cobra.Command {
	use, other := "off", ""
	if on {
		use, other = "on", " again"
	}
	return &cobra.Command{
		Use:   use + " TOOL",
		Short: "Switch a tool " + use + other + ", in your settings file",
		Args:  cobra.ExactArgs(1),

		RunE: func(cmd *cobra.Command, args []string) error {
			return withAllTools(cmd, flags, func(p *parts, env session.Environment, list []toolsview.Tool) error {
				name, err := toolsview.Named(list, args[0], p.settings.Tool(env.Options.Folder, args[0]))
				if err != nil {
					return err
				}
				path, err := settings.UserPath()
				if err != nil {
					return err
				}
				if err := p.settings.SwitchTool(path, name, on); err != nil {
					return err
				}
				if against := p.settings.Tool(env.Options.Folder, name).Against(on); against != "" {
					return fmt.Errorf("%s is %s in %s, and yet %s", name, use, path, against)
				}
				p.tell(fmt.Sprintf("%s is %s, in %s; an editor takes that when Assent starts again.", name, use, path))
				return nil
			})
		},
	}
}

func newToolsList(flags *runFlags) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tools that can be called in a workspace, and what each may do",
		Args:  cobra.NoArgs,

		Annotations: whenNothing("no tool can be called; the settings tools and toolsOff say which"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withTools(cmd, flags, func(_ session.Environment, d *tools.Dispatcher) error {
				if asJSON {
					return listing.Print(cmd.OutOrStdout(), toolsview.Callables(d.Registry().Specs())...)
				}
				return toolsview.Table(cmd.OutOrStdout(), d.Registry().Specs())
			})
		},
	}
	listing.AddFlag(cmd, &asJSON, "tools list")
	return cmd
}

func newToolsShow(flags *runFlags) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show TOOL",
		Short: "Show all about a tool, with what a model is told: its description and its arguments",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withAllTools(cmd, flags, func(_ *parts, _ session.Environment, list []toolsview.Tool) error {
				i := slices.IndexFunc(list, func(t toolsview.Tool) bool { return t.Name == args[0] })
				if i < 0 {
					return usage.None("tool", args[0], toolsview.Names(list), "assent tools")
				}
				if asJSON {
					return listing.Print(cmd.OutOrStdout(), toolsview.Show(list[i]))
				}
				return toolsview.One(cmd.OutOrStdout(), list[i])
			})
		},
	}
	listing.AddFlag(cmd, &asJSON, "tools show")
	return cmd
}

func newToolsRun(flags *runFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "run TOOL [ARGUMENTS]",
		Short: "Call a tool by hand, with its arguments as a JSON object",
		Long: "Call a tool by hand, with its arguments as a JSON object; \"-\" reads them from standard input.\n" +
			"What a model would have to ask for is asked here, too, on a terminal; without one nothing runs, " +
			"and the status is 3.",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments, err := argumentsOf(cmd.InOrStdin(), args[1:])
			if err != nil {
				return err
			}
			return withTools(cmd, flags, func(env session.Environment, d *tools.Dispatcher) error {
				known := append(builtin.Reserved(), web.Fetch, web.Search) // one that is off says so itself
				known = append(known, toolNames(d.Registry().Specs())...)
				slices.Sort(known)
				if known = slices.Compact(known); !slices.Contains(known, args[0]) {
					return usage.None("tool", args[0], known, "assent tools")
				}
				return runByHand(cmd, env, d, tools.Call{Name: args[0], Arguments: arguments})
			})
		},
	}
}

func toolNames(specs []tools.Spec) (names []string) {
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names
}

// maxArguments is far above what any tool takes, in bytes.
const maxArguments = 16 << 20

func argumentsOf(in io.Reader, args []string) (json.RawMessage, error) {
	switch {
	case len(args) == 0:
		return json.RawMessage("{}"), nil
	case args[0] != "-":
		return jsonArguments([]byte(args[0]))
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxArguments+1))
	switch {
	case err != nil:
		return nil, err
	case len(raw) > maxArguments:
		return nil, usage.Error("the arguments are longer than any tool takes")
	}
	return jsonArguments(raw)
}

func jsonArguments(raw []byte) (json.RawMessage, error) {
	if json.Valid(raw) {
		return raw, nil
	}
	return nil, usage.Error(`the arguments are not valid JSON: write them as in '{"path": "README.md"}'`)
}

// runByHand makes one call, asks what must be asked, and prints the result.
func runByHand(cmd *cobra.Command, env session.Environment, d *tools.Dispatcher, call tools.Call) error {
	call.Reads, call.Mode = tools.NewReadSet(), env.Options.Mode
	var report tools.Reporter = toolsview.NewNotes(cmd.ErrOrStderr())
	person, _ := openAsker(cmd, runFlags{})
	if person != nil {
		defer person.Terminal.Close()
		report = &askingOutput{toolsview.NewNotes(cmd.ErrOrStderr()), person, call}
	}
	var result tools.Result
	var err error
	for again := true; again; { // what would run may change while the person reads: then they are asked about that
		byHand := byhand.Prepare(cmd.Context(), d, call)
		var answer event.Answer
		q, asks := byHand.Question()
		if asks && person == nil {
			heading, _ := asking.Describe(q)
			return &exitError{
				exitUnanswered,
				visible.Line(heading) + ": this needs an answer, and there is no terminal to ask on, so nothing ran",
			}
		}
		if asks {
			answer = person.Ask(q, nil)
		}
		result, err = byHand.Run(cmd.Context(), answer, report)
		again = asks && errors.Is(err, tools.ErrChanged)
	}
	switch {
	case errors.Is(err, byhand.ErrDenied):
		return &exitError{exitUnanswered, err.Error()}
	case err != nil && cmd.Context().Err() != nil:
		return &exitError{status: exitStopped}
	case err != nil:
		return err
	}
	if whole := result.Whole; whole != nil {
		fmt.Fprint(cmd.OutOrStdout(), strings.ReplaceAll(whole.CSV, "\r\n", "\n")) // no control characters here
		if whole.Notice != "" {
			fmt.Fprintln(cmd.ErrOrStderr(), visible.Line(whole.Notice))
		}
		return nil
	}
	fmt.Fprintln(cmd.OutOrStdout(), result.Text())
	if result.Failed {
		return &exitError{status: 1}
	}
	return nil
}

// askingOutput puts to the person what the call asks, too.
type askingOutput struct {
	*toolsview.Notes

	person *asking.Asker
	call   tools.Call
}

// Ask implements tools.Asker.
func (o *askingOutput) Ask(ctx context.Context, what tools.Inquiry) (tools.Reply, error) {
	if what.Model != nil {
		return tools.Reply{}, tools.ErrNoModel
	}
	q := agent.QuestionOf(what, toolcall.Call{ID: o.call.ID, Name: o.call.Name, Arguments: o.call.Arguments}, "")
	answered := make(chan event.Answer, 1)
	for refused := error(nil); ; {
		// a person may never answer: the end of the call does not wait for them
		go func() { answered <- o.person.Ask(q, refused) }()
		select {
		case <-ctx.Done():
			return tools.Reply{}, ctx.Err()
		case answer := <-answered:
			var reply tools.Reply
			if reply, refused = q.Reply(answer); refused == nil {
				return reply, nil
			}
		}
	}
}

// withTools does something with the tools of the workspace.
func withTools(cmd *cobra.Command, flags *runFlags, do func(session.Environment, *tools.Dispatcher) error) error {
	return withParts(cmd, flags, func(_ *parts, env session.Environment, d *tools.Dispatcher) error {
		return do(env, d)
	})
}

// withParts is withTools for what needs more.
func withParts(
	cmd *cobra.Command, flags *runFlags, do func(*parts, session.Environment, *tools.Dispatcher) error,
) error {
	root, err := usage.Folder(flags.folder)
	if err != nil {
		return err
	}
	return withEnvironment(cmd, *flags, root, func(p *parts, env session.Environment) error {
		d, missing := env.Dispatcher(cmd.Context())
		if missing != nil {
			env.Warn(missing.Error())
		}
		return do(p, env, d)
	})
}
