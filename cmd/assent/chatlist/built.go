package chatlist

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/sandbox/layers"
	"github.com/assent-ls/assent/tools/workspace"
)

func newBuilt(open Open) *cobra.Command {
	var asJSON, remove bool
	cmd := &cobra.Command{
		Use:   "built [FILE.chat.md]...",
		Short: "List what tried commands of chats built, or remove it",
		Long: "List what commands that were tried on a copy wrote to files that git ignores, by chat, the one used " +
			"last first. It is\n" +
			"in no workspace: later tried commands of the same chat see it. With --remove, remove it; with names of " +
			"chats, that\n" +
			"of these alone.",
		RunE: with(open, func(cmd *cobra.Command, p Parts, args []string) error {
			return built(cmd, p, args, remove, asJSON)
		}),
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "Remove it.")
	listing.AddFlag(cmd, &asJSON, "chats built")
	return cmd
}

func built(cmd *cobra.Command, p Parts, names []string, remove, asJSON bool) error {
	for i, name := range names {
		path, err := Path(name)
		if err != nil {
			return err
		}
		names[i] = workspace.RealName(path)
	}
	all, err := p.Built.List()
	if err != nil {
		return err
	}
	failed := false
	for _, b := range all {
		if len(names) > 0 && !slices.Contains(names, workspace.RealName(b.Chat)) {
			continue
		}
		if remove {
			if err := p.Built.Remove(b.Root, b.Chat); err != nil {
				failed = true
				p.Tell(fmt.Sprintf("%s: %v", terminal.Path(b.Chat), err))
				continue
			}
		}
		if asJSON {
			err = listing.Print(cmd.OutOrStdout(), listing.Built{
				Chat: b.Chat, Folder: b.Root, Used: b.Used, Files: b.Files, Bytes: b.Bytes, Parts: b.Parts,
				Removed: remove,
			})
		} else {
			say(cmd.OutOrStdout(), "%s", builtLine(b, remove))
		}
		if err != nil {
			return err
		}
	}
	if failed {
		return errors.New("not all of it could be removed")
	}
	return nil
}

func builtLine(b layers.Info, removed bool) string {
	line := fmt.Sprintf(
		"%s  %d files, %.1f MB  %s  %s", b.Used.Format(time.DateTime), b.Files, float64(b.Bytes)/1e6,
		excerpt.Names(b.Parts, 3), terminal.Path(b.Chat),
	)
	if removed {
		line = "removed: " + line
	}
	return line
}
