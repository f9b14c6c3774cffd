package session

import (
	"context"

	"github.com/assent-ls/assent/tools/background"
)

// Background are the commands that run, or ran, in the background of a chat.
type Background struct {
	source *background.Source // nil: there are none
	chat   string
}

// BackgroundOf are the commands of a session's chat.
func BackgroundOf(s *Session) Background {
	env, err := s.environment()
	if err != nil {
		return Background{}
	}
	return Background{env.Background, s.document.Path()}
}

// All says how they are, in the order in which they were started.
func (b Background) All() []background.Status { return b.source.Commands(b.chat) }

// Output is what one printed, as far as it is kept; false: no command has this ID.
func (b Background) Output(id string) (string, bool) { return b.source.Output(b.chat, id) }

// Follow shows that and again whenever there is more, until ctx or the command ends. It returns then.
func (b Background) Follow(ctx context.Context, id string, show func(text string)) {
	b.source.Follow(ctx, b.chat, id, show)
}

// Stop ends one, or all if id is empty, and drops what they wrote on their copies. It reports whether one ran.
func (b Background) Stop(id string) bool { return b.source.Stop(b.chat, id) }

// Leave ends them all, since the chat is closed, and names those that ran.
func (b Background) Leave() (lines []string) { return b.source.Leave(b.chat) }
