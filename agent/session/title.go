package session

import (
	"context"

	"github.com/assent-ls/assent/agent/transcript"
)

// maxRetitle is how often a title is written into a chat that is changed meanwhile.
const maxRetitle = 3

// Entitled waits until the last run's title was written, or there is none. Whoever ends the process after a run calls
// it first.
func (s *Session) Entitled() { s.titles.Wait() }

// entitle gives the chat the title that the model finds for it, if it still has none and its front matter takes one.
// The run is over, and the chat free: whatever is begun in it next ends this.
func (s *Session) entitle(ctx context.Context, r *run) {
	title := r.Title(ctx)
	for range maxRetitle {
		snapshot, err := s.document.Read()
		if title == "" || err != nil || ctx.Err() != nil {
			return
		}
		chat := snapshot.Chat()
		front := chat.Front.Span
		at, text := chat.SetFront(snapshot.Text()[front.Start:front.End], "title", title)
		after := transcript.Parse(snapshot.Text()[:at.Start] + text + snapshot.Text()[at.End:])
		if chat.Front.Title != "" || after.Front.Title != title || len(after.Turns) != len(chat.Turns) ||
			len(after.Problems) > len(chat.Problems) {
			return
		}
		if snapshot.Replace(ctx, at, text) == nil {
			return
		}
	}
}
