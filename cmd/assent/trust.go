package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/trust"
	"github.com/assent-ls/assent/tools/workspace"
)

func newTrust() *cobra.Command {
	var yes, revoke, asJSON bool
	cmd := &cobra.Command{
		Use:   "trust [FOLDER]",
		Short: "Show which files of a folder count, and trust them or not",
		Long: "Show what of a folder's own files counts. Prompts count once the folder is trusted. " +
			"Rules and tools count once each\n" +
			"of their files is trusted with the content that it has now: one that changes is asked about again.",
		Args: cobra.MaximumNArgs(1),
		RunE: wired(func(cmd *cobra.Command, p *parts, args []string) error {
			ws, err := openFolder(args)
			if err != nil {
				return err
			}
			defer func() { _ = ws.Close() }()
			t := trusting{parts: p, ws: ws, out: cmd.OutOrStdout(), json: asJSON}
			switch {
			case yes:
				return t.trustAll(cmd.Context())
			case revoke:
				return t.revokeAll(cmd.Context())
			default:
				return t.show(cmd.Context())
			}
		}),
	}
	listing.AddFlag(cmd, &asJSON, "trust")
	cmd.Flags().BoolVar(&yes, "yes", false, "Trust the folder and these files as they stand.")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "Take back all trust in the folder and its files.")
	cmd.MarkFlagsMutuallyExclusive("yes", "revoke")
	return cmd
}

// trusting is one call of `assent trust`.
type trusting struct {
	*parts

	ws   *workspace.Workspace
	out  io.Writer
	json bool
}

func (t trusting) say(format string, args ...any) {
	if !t.json {
		say(t.out, format, args...)
	}
}

// line prints something that needs trust, for programs.
func (t trusting) line(line listing.Trust) {
	if t.json {
		_ = listing.Print(t.out, line) // a closed pipe ends the command by itself
	}
}

// show lists everything that needs trust, with what would be trusted by --yes.
func (t trusting) show(ctx context.Context) error {
	trusted, now := t.state.Trusted(t.ws.Key()), t.settings.Get()
	t.line(listing.Trust{Kind: "folder", Name: t.ws.Root(), Trusted: trusted})
	if trusted {
		t.say("trusted: %s", t.ws.Root())
	} else {
		t.say("not trusted: %s", t.ws.Root())
	}
	prompt, err := prompts.Load(ctx, prompts.Options{
		Config: t.config, Workspace: t.ws, Trusted: trusted, Model: now.Model, Rules: now.RulesFiles.All(),
	})
	if err != nil {
		t.tell(err.Error()) // what else there is, is shown all the same
	}
	for _, layer := range prompt.Layers {
		if layer.Workspace {
			t.say("  %s: a prompt. %s", layer.Path, layer.Why)
			t.line(listing.Trust{Kind: "prompt", Name: layer.Path, Trusted: trusted, Why: layer.Why})
		}
	}
	files, err := t.trust.List(ctx, t.ws)
	if err != nil {
		return err
	}
	for _, f := range files {
		t.showFile(f)
	}
	asks := slices.ContainsFunc(prompt.Layers, func(l prompts.Layer) bool { return l.Workspace })
	if t.showServers(ctx) == 0 && len(files) == 0 && !asks {
		t.say("%sthis folder has no prompt, rule, tool or server of its own; what it gets is listed here", nothing)
	}
	return nil
}

// showServers lists the MCP servers that the folder declares, and says how many. Each is trusted by itself, with
// `assent mcp trust`.
func (t trusting) showServers(ctx context.Context) (declared int) {
	servers := t.servers(t.ws, t.settings.Get)
	defer servers.Close() //nolint:errcheck // nothing was started
	list, problems := servers.Declared(ctx)
	for _, d := range list {
		switch {
		case d.Ours:
			continue
		case d.Why == "":
			t.say("trusted: the MCP server %s of %s", d.Name, d.File)
		default:
			t.say("not trusted: %s", d.Why)
		}
		t.line(listing.Trust{Kind: "server", Name: d.Name, Trusted: d.Why == "", Why: d.Why})
		declared++
	}
	for _, problem := range problems {
		t.tell(problem.Error())
	}
	return declared + len(problems)
}

func (t trusting) showFile(f trust.File) {
	does := trust.Covers(f.Rel)
	t.line(listing.Trust{Kind: "file", Name: f.Rel, Trusted: f.Trusted, Missing: f.Missing, Why: f.Why})
	switch {
	case f.Trusted:
		t.say("trusted: %s, which %s", f.Rel, does)
	case f.Missing:
		t.say("trusted, but not there any more: %s", f.Rel)
	default:
		t.say("not trusted: %s, which %s. %s", f.Rel, does, f.Why)
	}
	if f.Trusted || f.Data == nil {
		return
	}
	for line := range strings.Lines(t.trust.New(t.ws.Key(), f.Rel, f.Data)) {
		t.say("    %s", strings.TrimSuffix(line, "\n"))
	}
}

// trustAll trusts what it lists, byte by byte, and nothing that takes its place meanwhile.
func (t trusting) trustAll(ctx context.Context) error {
	key := t.ws.Key()
	if !workspace.Lasting(key) {
		return errors.New(workspace.SessionOnly(key) + " Trust it in your editor, with the command assent.trustFolder.")
	}
	files, err := t.trust.List(ctx, t.ws)
	if err != nil {
		return err
	}
	if err := t.state.Trust(key); err != nil {
		return err
	}
	for _, f := range files {
		if f.Data == nil || f.Trusted {
			continue
		}
		if !t.json { // each is listed once, as it is in the end
			t.showFile(f)
		}
		if err := t.trust.Trust(key, f.Rel, f.Data); err != nil {
			return err
		}
	}
	return t.show(ctx)
}

func (t trusting) revokeAll(ctx context.Context) error {
	servers := t.servers(t.ws, t.settings.Get)
	defer servers.Close() //nolint:errcheck // nothing was started
	if err := errors.Join(t.state.Untrust(t.ws.Key()), t.trust.Revoke(t.ws.Key(), ""), servers.Forget("")); err != nil {
		return err
	}
	if t.json {
		return t.show(ctx)
	}
	t.say("not trusted any more: %s", t.ws.Root())
	return nil
}

func openFolder(args []string) (*workspace.Workspace, error) {
	root, err := os.Getwd()
	if len(args) > 0 {
		root, err = args[0], nil
	}
	if err != nil {
		return nil, err
	}
	return workspace.Open(root, workspace.NoBuffers{})
}

func newGrants() *cobra.Command {
	var revoke string
	cmd := &cobra.Command{
		Use:    "grants",
		Hidden: true, // scripts use it
		Short:  "The earlier name of `assent permissions`",
		Args:   cobra.NoArgs,

		Annotations: whenNothing("no call was allowed or forbidden by an answer"),
		RunE: wired(func(cmd *cobra.Command, p *parts, _ []string) error {
			if revoke != "" {
				err := p.policy.Revoke(revoke)
				if err == nil {
					fmt.Fprintln(cmd.OutOrStdout(), "it is taken back")
				}
				return err
			}
			p.tell("`assent grants` is now `assent permissions`, which also lists the rules of files.")
			printRules(cmd.OutOrStdout(), p.grants())
			return nil
		}),
	}
	cmd.Flags().StringVar(&revoke, "revoke", "", "The ID of a grant to take back.")
	return cmd
}

// grantFolder is the folder of a lasting grant. If another folder is there now, which the grant does not cover, it says
// so.
func grantFolder(g policy.Grant) string {
	folder := workspace.Folder(g.Workspace)
	if ws, err := workspace.Open(folder, workspace.NoBuffers{}); err == nil {
		defer func() { _ = ws.Close() }()
		if ws.Key() == g.Workspace {
			return folder
		}
	}
	return folder + " (not the folder that is there now)"
}
