package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/chatfile"
	"github.com/assent-ls/assent/cmd/assent/chatlist"
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/settingsview"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
)

func newSettings() *cobra.Command {
	var flags runFlags
	var chat string
	cmd := &cobra.Command{
		Use:   "settings [NAME]",
		Short: "Show the settings in effect: each value, where it comes from, and what it overrides",
		Long: "Show the settings in effect: each value, where it comes from, and what it overrides. " +
			"With a name, show all that is known\n" +
			"of that setting, and what each source says about it, the strongest first. " +
			"What editors set only they know: see the action\n" +
			"Show settings in effect there.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := effects(cmd, flags, chat)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				f, ok := settings.Named(args[0])
				if !ok {
					return noSetting(args[0])
				}
				all = slices.DeleteFunc(all, func(e settings.Effect) bool { return e.Name != f.Name })
			}
			switch {
			case flags.json:
				return listing.Print(cmd.OutOrStdout(), settingsview.Lines(all)...)
			case len(args) > 0:
				return settingsview.One(cmd.OutOrStdout(), all[0])
			default:
				return settingsview.List(cmd.OutOrStdout(), all)
			}
		},
	}
	listing.AddFlag(cmd, &flags.json, "settings")
	usage.AddFolder(cmd.Flags(), &flags.folder)
	cmd.Flags().StringVar(&chat, "chat", "", "A chat file, whose front matter may set some, too.")
	return cmd
}

func noSetting(name string) error {
	sentence := fmt.Sprintf("there is no setting %q", visible.Shorten(name, 40))
	if near := settings.Near(name); near != "" {
		sentence += ", perhaps you mean " + near
	}
	return usage.Error(sentence + "; `assent settings` lists all")
}

// effects are the settings in effect in a folder, and in a chat if one is named.
func effects(cmd *cobra.Command, flags runFlags, chat string) ([]settings.Effect, error) {
	root, err := usage.Folder(flags.folder)
	if err != nil {
		return nil, err
	}
	var said map[string]any
	if chat != "" {
		path, err := chatlist.Path(chat)
		if err != nil {
			return nil, err
		}
		snapshot, err := chatfile.New(path, nil).Read()
		if err != nil {
			return nil, err
		}
		said = session.ChatSettings(snapshot.Chat().Front)
	}
	p, err := wire(cmd)
	if err != nil {
		return nil, err
	}
	p.settingsIn(root)
	return p.settings.Explain(root, said), nil
}
