package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/byhand"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/web"
)

func newTools() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List the tools that a model can call, and call one by hand",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&flags.folder, "folder", "", "The workspace folder. Empty: the current folder.")
	cmd.AddCommand(newToolsList(&flags), newToolsShow(&flags), newToolsRun(&flags))
	return cmd
}

func newToolsList(flags *runFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the tools of a workspace, and what each may do",
		Args:  cobra.NoArgs,

		Annotations: whenNothing("no tool can be called; the settings tools and toolsOff say which"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withTools(cmd, flags, func(_ session.Environment, d *tools.Dispatcher) error {
				specs := d.Registry().Specs()
				if len(specs) == 0 {
					return nil
				}
				w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "TOOL\tOF\tDOES")
				for _, s := range specs {
					fmt.Fprintln(
						w,
						strings.Join(
							[]string{
								visible.Line(s.Name), visible.Line(originText(s)), visible.Line(s.Effect.Reason()),
							},
							"\t",
						),
					)
				}
				return w.Flush()
			})
		},
	}
}

func newToolsShow(flags *runFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "show TOOL",
		Short: "Show what a model is told of a tool: its description and its arguments",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withTools(cmd, flags, func(_ session.Environment, d *tools.Dispatcher) error {
				specs := d.Registry().Specs()
				i := slices.IndexFunc(specs, func(s tools.Spec) bool { return s.Name == args[0] })
				if i < 0 {
					return noTool(args[0], specs)
				}
				return showTool(cmd.OutOrStdout(), specs[i])
			})
		},
	}
}

func showTool(out io.Writer, s tools.Spec) error {
	var schema bytes.Buffer
	if err := json.Indent(&schema, s.Parameters, "", "  "); err != nil {
		return err
	}
	fmt.Fprintf(
		out, "%s of %s\n%s\n\n%s\n\n%s\n", s.Name, originText(s), s.Effect.Reason(), s.Description, schema.String(),
	)
	return nil
}

func toolNames(specs []tools.Spec) (names []string) {
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names
}

func noTool(name string, specs []tools.Spec) error {
	return &exitError{exitUsage, usage.None("tool", name, toolNames(specs), "assent tools list")}
}

// originText names where a tool comes from.
func originText(s tools.Spec) string {
	if s.Origin == tools.BuiltIn {
		return "Assent"
	}
	return string(s.Origin)
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
				specs := d.Registry().Specs()
				if !slices.Contains(append(known, toolNames(specs)...), args[0]) {
					return noTool(args[0], specs)
				}
				return runByHand(
					cmd, d,
					tools.Call{Name: args[0], Arguments: arguments, Reads: tools.NewReadSet(), Mode: env.Options.Mode},
				)
			})
		},
	}
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
		return nil, &exitError{exitUsage, "the arguments are longer than any tool takes"}
	}
	return jsonArguments(raw)
}

func jsonArguments(raw []byte) (json.RawMessage, error) {
	if json.Valid(raw) {
		return raw, nil
	}
	return nil, &exitError{exitUsage, `the arguments are not valid JSON: write them as in '{"path": "README.md"}'`}
}

// runByHand makes one call, asks what must be asked, and prints the result.
func runByHand(cmd *cobra.Command, d *tools.Dispatcher, call tools.Call) error {
	var report tools.Reporter = &toolOutput{notes: cmd.ErrOrStderr()}
	person, _ := openAsker(cmd, runFlags{})
	if person != nil {
		defer person.terminal.Close()
		report = &askingOutput{toolOutput{notes: cmd.ErrOrStderr()}, person, call}
	}
	var result tools.Result
	var err error
	for again := true; again; { // what would run may change while the person reads: then they are asked about that
		byHand := byhand.Prepare(cmd.Context(), d, call)
		var answer event.Answer
		q, asks := byHand.Question()
		if asks && person == nil {
			heading, _ := describe(q)
			return &exitError{
				exitUnanswered,
				visible.Line(heading) + ": this needs an answer, and there is no terminal to ask on, so nothing ran",
			}
		}
		if asks {
			answer = person.ask(q, nil)
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

// maxNotes is how many sentences of a call are shown that say how far it is.
const maxNotes = 50

// toolOutput shows how far a call is. What it prints is in its result.
type toolOutput struct {
	notes io.Writer

	mu    sync.Mutex
	shown int    // guarded by mu
	last  string // guarded by mu
}

func (*toolOutput) Output(string) {}

func (o *toolOutput) Progress(_, _ float64, note string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if note == "" || note == o.last || o.shown > maxNotes {
		return
	}
	o.last = note
	if o.shown++; o.shown > maxNotes {
		note = "What else the call says about how far it is, is not shown."
	}
	fmt.Fprintln(o.notes, visible.Line(note))
}

// askingOutput puts to the person what the call asks, too.
type askingOutput struct {
	toolOutput

	person *asker
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
		go func() { answered <- o.person.ask(q, refused) }()
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
	root, err := flags.root()
	if err != nil {
		return err
	}
	return withEnvironment(cmd, *flags, root, func(_ *parts, env session.Environment) error {
		d, missing := env.Dispatcher(cmd.Context())
		if missing != nil {
			env.Warn(missing.Error())
		}
		return do(env, d)
	})
}
