package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

func newPermissions() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "permissions",
		Short: "List the rules about calls, and how often each matched",
		Long: "List the rules about calls: those of your permissions file, those of the workspace's, " +
			"and those that you gave by an answer, with\n" +
			"how often and when each matched.",
		Args: cobra.NoArgs,

		Annotations: whenNothing(
			"an answer such as Always makes a rule about calls, and so does a permissions file (docs/permissions.md)",
		),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := wire(cmd)
			if err != nil {
				return err
			}
			root, err := flags.root()
			if err != nil {
				return err
			}
			key := ""
			if ws, err := workspace.Open(root, workspace.NoBuffers{}); err == nil {
				defer ws.Close() //nolint:errcheck // only looked at
				key = ws.Key()
				p.policy.Enter(ws)
			}
			p.listRules(cmd.OutOrStdout(), key)
			p.listGrants(cmd.OutOrStdout())
			return nil
		},
	}
	cmd.PersistentFlags().StringVar(&flags.folder, "workspace", "", "The workspace folder. Empty: the current folder.")
	cmd.AddCommand(newRevoke(), newCheck(&flags))
	return cmd
}

// listRules prints the rules of files, one line each.
func (p *parts) listRules(out io.Writer, key string) {
	for _, r := range p.policy.FileRules(key) {
		n, last := p.policy.Matches(r.ListedRule)
		line := fmt.Sprintf(" %s, %s", r.Explain(), matched(n, last))
		if r.Void != "" {
			line += ". " + r.Void
		}
		printRule(out, fmt.Sprintf("%s:%d  ", terminal.Path(r.Path), r.Line), r.List, line)
	}
}

// listGrants prints what was given by answers, one line each.
func (p *parts) listGrants(out io.Writer) {
	for _, g := range p.policy.Grants() {
		n, last := p.policy.GrantMatches(g)
		line := fmt.Sprintf(" %s in %s, since %s, given in %s, %s",
			g.Rule.Explain(), grantFolder(g), g.Since.Format("2006-01-02"), g.From, matched(n, last))
		printRule(out, g.ID+"  ", g.List, line)
	}
}

// printRule prints the line of a rule, with its list in a colour.
func printRule(out io.Writer, where string, list policy.List, rest string) {
	style := map[policy.List]terminal.Style{policy.Allowed: terminal.Green, policy.Denied: terminal.Red}[list]
	terminal.Print(
		out, terminal.Piece{Text: visible.Line(where)},
		terminal.Piece{Text: string(list), Style: cmp.Or(style, terminal.Yellow)},
		terminal.Piece{Text: visible.Line(rest) + "\n"},
	)
}

// matched says how often a rule matched, and when last.
func matched(n int, last time.Time) string {
	if n == 0 {
		return "never matched"
	}
	return fmt.Sprintf("matched %d times, last %s", n, last.Local().Format("2006-01-02 15:04"))
}

func newRevoke() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Take back what you allowed by an answer",
		Args:  cobra.ExactArgs(1),

		Annotations: whenEmpty("it is taken back"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := wire(cmd)
			if err != nil {
				return err
			}
			err = p.policy.Revoke(args[0])
			if errors.Is(err, policy.ErrNoGrant) {
				return &exitError{
					exitUsage,
					err.Error() + "; `assent permissions` lists them, and a rule of a file is taken out of the file",
				}
			}
			return err
		},
	}
}

// toCheck is one call on the input of a check.
type toCheck struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// checked is what would be decided about a call.
type checked struct {
	Decision string         `json:"decision"` // allow, ask or deny
	Rule     string         `json:"rule,omitempty"`
	Reason   string         `json:"reason"`
	Parts    []command.Part `json:"parts,omitempty"` // of a command that was understood
}

func newCheck(flags *runFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Say what would be decided about calls, without running them",
		Long: "Say what would be decided about calls. Each line of the input is a call, {\"tool\": NAME, " +
			"\"arguments\": {...}}, and each line of the output\n" +
			"is {\"decision\": \"allow\", \"ask\" or \"deny\", \"rule\", \"reason\", \"parts\"}; " +
			"parts are the programs of a command that was understood.\n" +
			"No call runs, and nothing is written. --mode says in which mode.",
		Args: cobra.NoArgs,

		Annotations: whenEmpty(
			"no call was given on standard input: write one per line, as `assent permissions check --help` says",
		),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withTools(cmd, flags, func(env session.Environment, d *tools.Dispatcher) error {
				check := func(c toCheck) checked {
					return judge(d.Judge(cmd.Context(), tools.Call{
						Name: c.Tool, Arguments: c.Arguments, Reads: tools.NewReadSet(), Caller: policy.Model,
						Mode: env.Options.Mode,
					}))
				}
				return checkLines(cmd.InOrStdin(), terminal.JSON(cmd.OutOrStdout()), check)
			})
		},
	}
}

// judge says what was decided about a call that was prepared.
func judge(p tools.Prepared, d policy.Decision) checked {
	c := checked{
		Decision: map[policy.Verdict]string{policy.Run: "allow", policy.Ask: "ask", policy.Refuse: "deny"}[d.Verdict],
		Rule:     d.Rule, Reason: d.Reason,
	}
	if line := p.Command(); line != nil {
		c.Parts = line.Parts
	}
	return c
}

// checkLines judges each line of the input. A line that is no call ends it.
func checkLines(in io.Reader, out io.Writer, check func(toCheck) checked) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxArguments)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		c := toCheck{Arguments: json.RawMessage("{}")}
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(&c); err != nil || d.More() || c.Tool == "" {
			return &exitError{
				exitUsage,
				fmt.Sprintf(`line %d is no call: write {"tool": "edit_file", "arguments": {"path": "a.txt"}}`, n),
			}
		}
		if err := enc.Encode(check(c)); err != nil {
			return err
		}
	}
	return lines.Err()
}
