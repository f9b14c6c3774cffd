// Package attach finds the context that is sent with a user's turn: an outline of the workspace, files that the message
// names. Each kind of context is a [Source].
package attach

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
)

// Block is one piece of context. Its images have the path by which the chat links them: their files are not copied.
type Block struct {
	Name  string
	Parts []content.Part
}

// Text is the plain-text form of the block.
func (b Block) Text() string { return content.Plain(b.Parts) }

// Message is a turn of the user.
type Message struct {
	Text  string   // what the person wrote, without what was attached to it
	First bool     // of the chat
	Talk  bool     // it has nothing to do with the workspace
	Bring []string // files that it does not name and that have its words: see Look
}

// Source is one kind of context.
type Source interface {
	// Name begins the names of its blocks ("file" of "file README.md").
	Name() string
	// Mentions lists what a message mentions, in its order. A source may attach something unmentioned to the first one
	// of a chat.
	Mentions(ctx context.Context, message Message) []string
	// Resolve makes the block of one mention in about limit bytes. It has no block for what is not there, or what the
	// model knows already. What the block shows whole counts as read from then on.
	Resolve(ctx context.Context, mention string, limit int) (block Block, ok bool)
}

// maxTurn is how many bytes one source may attach to a turn. A small model reads some 70 tokens a second on a plain
// processor: this is what a person waits for.
const maxTurn = 12_000

// Turn returns the context of one turn. Equal workspaces and messages give equal blocks.
func Turn(ctx context.Context, sources []Source, message Message) []Block {
	var blocks []Block
	for _, source := range sources {
		left := maxTurn
		for _, mention := range source.Mentions(ctx, message) {
			if block, ok := source.Resolve(ctx, mention, left); ok {
				block.Parts = plain(block.Parts)
				left -= len(block.Text())
				blocks = append(blocks, block)
			}
		}
	}
	return blocks
}

// ends are the line ends that chats do not have.
var ends = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Unmarked is the text of a file without a byte order mark, and with the line ends of chats.
func Unmarked(text string) string { return ends.Replace(strings.TrimPrefix(text, "\ufeff")) }

// plain is content as the results of tools have it: with hidden characters in the form in which people see them.
func plain(parts []content.Part) []content.Part {
	out := slices.Clone(parts)
	for i, part := range out {
		if text, ok := part.(content.Text); ok {
			out[i] = content.Text(visible.Text(Unmarked(string(text))))
		}
	}
	return out
}
