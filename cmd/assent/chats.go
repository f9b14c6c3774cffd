package main

import (
	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/chatlist"
)

func newChats() *cobra.Command {
	cmd := chatlist.New(func(cmd *cobra.Command) (chatlist.Parts, error) {
		p, err := wire(cmd)
		if err != nil {
			return chatlist.Parts{}, err
		}
		return chatlist.Parts{History: p.history, State: p.state, Tell: p.tell}, nil
	})
	cmd.Annotations = whenNothing("`assent run` makes a chat")
	return cmd
}

// saved has searches find what a conversation said. That the index could not be written is told, and no more.
func (p *parts) saved(cmd *cobra.Command, root, path string) {
	if err := p.history.Saved(cmd.Context(), root, path); err != nil {
		p.tell(err.Error())
	}
}
