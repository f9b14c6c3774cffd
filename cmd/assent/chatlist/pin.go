package chatlist

import (
	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/terminal"
)

func newPin(open Open) *cobra.Command {
	return pinning(open, true, &cobra.Command{
		Use:   "pin FILE.chat.md",
		Short: "Pin a chat, so that lists and searches show it first",
		Long: "Pin a chat, so that lists and searches show it first. " +
			"The pin is kept in your state folder, and follows the chat when its\nfile is moved within its folder.",
	})
}

func newUnpin(open Open) *cobra.Command {
	return pinning(open, false, &cobra.Command{Use: "unpin FILE.chat.md", Short: "Take the pin of a chat away"})
}

func pinning(open Open, on bool, cmd *cobra.Command) *cobra.Command {
	var asJSON bool
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = with(open, func(cmd *cobra.Command, p Parts, args []string) error {
		path, err := Path(args[0])
		if err != nil {
			return err
		}
		changed, err := p.History.Pin(path, on)
		if err != nil {
			return err
		}
		if asJSON {
			return listing.Print(cmd.OutOrStdout(), listing.Pin{Path: path, Pinned: on, Changed: changed})
		}
		said := "it was not pinned"
		switch {
		case on && changed:
			said = "pinned"
		case on:
			said = "it was pinned before"
		case changed:
			said = "not pinned any more"
		}
		say(cmd.OutOrStdout(), "%s: %s", said, terminal.Path(path))
		return nil
	})
	listing.AddFlag(cmd, &asJSON, "chats "+cmd.Name())
	return cmd
}
