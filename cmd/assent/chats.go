package main

import (
	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/cmd/assent/chatlist"
	"github.com/assent-ls/assent/tools/sandbox"
)

func newChats() *cobra.Command {
	cmd := chatlist.New(func(cmd *cobra.Command) (chatlist.Parts, error) {
		p, err := wire(cmd)
		if err != nil {
			return chatlist.Parts{}, err
		}
		if err := p.byMeaning(); err != nil {
			return chatlist.Parts{}, err
		}
		built, err := sandbox.New(sandbox.Options{}).Layers()
		if err != nil {
			p.tell(err.Error())
		}
		return chatlist.Parts{History: p.history, State: p.state, Built: built, Tell: p.tell}, nil
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

// byMeaning has searches find chats by meaning where the user chose a model for it. It asks nothing yet.
func (p *parts) byMeaning() error {
	now := p.settings.Get()
	if now.EmbeddingModel == "" {
		return nil
	}
	a, err := p.newAgent(now)
	if err != nil {
		return err
	}
	p.history.ByMeaning(session.Meaning(now, p.settings, a, p.state, p.tell))
	return nil
}
