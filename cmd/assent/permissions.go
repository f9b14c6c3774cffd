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
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
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
		RunE: wired(func(cmd *cobra.Command, p *parts, _ []string) error {
			root, err := usage.Folder(flags.folder)
			if err != nil {
				return err
			}
			key := ""
			if ws, err := workspace.Open(root, workspace.NoBuffers{}); err == nil {
				defer ws.Close() //nolint:errcheck // only looked at
				key = ws.Key()
				p.policy.Enter(ws)
			}
			rules := append(p.fileRules(key), p.grants()...)
			if flags.json {
				return listing.Print(cmd.OutOrStdout(), rules...)
			}
			printRules(cmd.OutOrStdout(), rules)
			return nil
		}),
	}
	cmd.PersistentFlags().StringVar(&flags.folder, "workspace", "", "The workspace folder. Empty: the current folder.")
	listing.AddFlag(cmd, &flags.json, "permissions")
	cmd.AddCommand(newRevoke(), newCheck(&flags))
	return cmd
}

// fileRules are the rules of files.
func (p *parts) fileRules(key string) (all []listing.Rule) {
	for _, r := range p.policy.FileRules(key) {
		n, last := p.policy.Matches(r.ListedRule)
		all = append(all, listing.Rule{
			File: r.Path, Line: r.Line, List: string(r.List), Says: r.Explain(), Void: r.Void,
			Matched: n, Last: when(last),
		})
	}
	return all
}

// grants are the rules that were given by answers.
func (p *parts) grants() (all []listing.Rule) {
	for _, g := range p.policy.Grants() {
		n, last := p.policy.GrantMatches(g)
		all = append(all, listing.Rule{
			ID: g.ID, List: string(g.List), Says: g.Rule.Explain(), Folder: grantFolder(g), From: g.From,
			Since: &g.Since, Matched: n, Last: when(last),
		})
	}
	return all
}

// when is a time, nil if there is none.
func when(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// printRules prints rules, one line each, with its list in a colour.
func printRules(out io.Writer, rules []listing.Rule) {
	for _, r := range rules {
		where, line := r.ID, " "+r.Says
		if r.ID == "" {
			where = fmt.Sprintf("%s:%d", terminal.Path(r.File), r.Line)
		} else {
			line += fmt.Sprintf(" in %s, since %s, given in %s", r.Folder, r.Since.Format("2006-01-02"), r.From)
		}
		line += ", " + matched(r)
		if r.Void != "" {
			line += ". " + r.Void
		}
		style := map[string]terminal.Style{
			string(policy.Allowed): terminal.Green, string(policy.Denied): terminal.Red,
		}[r.List]
		terminal.Print(
			out, terminal.Piece{Text: visible.Line(where) + "  "},
			terminal.Piece{Text: r.List, Style: cmp.Or(style, terminal.Yellow)},
			terminal.Piece{Text: visible.Line(line) + "\n"},
		)
	}
}

// matched says how often a rule matched, and when last.
func matched(r listing.Rule) string {
	if r.Matched == 0 || r.Last == nil {
		return "never matched"
	}
	return fmt.Sprintf("matched %d times, last %s", r.Matched, r.Last.Local().Format("2006-01-02 15:04"))
}

func newRevoke() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Take back what you allowed by an answer",
		Args:  cobra.ExactArgs(1),

		Annotations: whenEmpty("it is taken back"),
		RunE: wired(func(cmd *cobra.Command, p *parts, args []string) error {
			err := p.policy.Revoke(args[0])
			if errors.Is(err, policy.ErrNoGrant) {
				return usage.Error(
					err.Error() + "; `assent permissions` lists them, and a rule of a file is taken out of the file",
				)
			}
			return err
		}),
	}
}

// toCheck is one call on the input of a check.
type toCheck struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
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
				check := func(c toCheck) listing.Decision {
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
func judge(p tools.Prepared, d policy.Decision) listing.Decision {
	c := listing.Decision{
		Decision: map[policy.Verdict]string{policy.Run: "allow", policy.Ask: "ask", policy.Refuse: "deny"}[d.Verdict],
		Rule:     d.Rule, Reason: d.Reason,
	}
	if line := p.Command(); line != nil {
		c.Parts = line.Parts
	}
	return c
}

// checkLines judges each line of the input. A line that is no call ends it.
func checkLines(in io.Reader, out io.Writer, check func(toCheck) listing.Decision) error {
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
			return usage.Error(
				fmt.Sprintf(`line %d is no call: write {"tool": "edit_file", "arguments": {"path": "a.txt"}}`, n),
			)
		}
		if err := enc.Encode(check(c)); err != nil {
			return err
		}
	}
	return lines.Err()
}
