package chats

import (
	"context"
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/journal"
	"github.com/assent-ls/assent/tools/diskfile"
)

// recovery keeps what was streamed into a chat, until its file holds it, and finds what the document lacks of it.
type recovery struct {
	chat *Chat

	mu          sync.Mutex
	journal     *journal.Journal // guarded by mu; nil until something was streamed
	unconfirmed bool             // guarded by mu: the document may lack the end of what the journal holds
	// guarded by mu: a person deleted something in the middle of the reply while it streamed
	taken bool
}

// Restorable reports whether Restore would put something back.
func (c *Chat) Restorable() bool {
	_, _, missing := c.recovery.missing()
	return missing
}

// Incomplete reports whether the end of a reply is missing, which a diagnostic says. What a person deleted in the
// middle needs none: they know.
func (c *Chat) Incomplete() bool {
	_, l, missing := c.recovery.missing()
	return missing && l.End
}

// doubt says that the document may lack the end of what the journal holds.
func (r *recovery) doubt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unconfirmed = true
}

// opened checks whether a document that the editor opened lacks something that was shown before.
func (r *recovery) opened() {
	r.doubt()
	r.discardSaved()
}

// discardSaved deletes the journal if the document and the file on disk hold all of its replies.
func (r *recovery) discardSaved() {
	if r.chat.Session.Running() {
		return
	}
	replies, err := journal.Replies(r.chat.Chats.Journals, r.chat.path)
	if err != nil || len(replies) == 0 {
		return
	}
	disk, err := diskfile.ReadSmall(r.chat.path, diskfile.MaxText)
	if err != nil {
		return
	}
	onDisk := parsed.View{Text: documents.NewText(string(disk)), Chat: transcript.Parse(string(disk))}
	for _, now := range []parsed.View{r.chat.View(), onDisk} {
		if _, missing := parsed.FirstLack(now, replies, true); missing {
			return
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.discard()
}

// missing finds what the journal holds but the document lacks; nothing while a run goes on.
func (r *recovery) missing() (parsed.View, parsed.Lack, bool) {
	r.mu.Lock()
	unconfirmed, taken := r.unconfirmed, r.taken
	r.mu.Unlock()
	if !unconfirmed && !taken || r.chat.Session.Running() {
		return parsed.View{}, parsed.Lack{}, false
	}
	replies, err := journal.Replies(r.chat.Chats.Journals, r.chat.path)
	if err != nil {
		r.chat.Chats.Log.Warn("the recovery journal cannot be read", "error", err)
	}
	if len(replies) == 0 {
		return parsed.View{}, parsed.Lack{}, false
	}
	now := r.chat.View()
	l, ok := parsed.FirstLack(now, replies, unconfirmed)
	return now, l, ok
}

// start starts the journal of a new reply, or continues that of a resumed one. What Restore offered until now is
// given up, since the user goes on without it; what the document holds but the file on disk does not is kept.
func (r *recovery) start(turns []transcript.Turn, resume bool) {
	question := ""
	if last := (&transcript.Chat{Turns: turns}).LastYou(); last >= 0 {
		question = parsed.QuestionNames(turns)[last]
	}
	whole := r.holds()
	if whole {
		r.close()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !whole {
		r.discard()
	}
	r.unconfirmed, r.taken = false, false
	open := journal.Open
	if resume {
		open = journal.Resume
	}
	j, err := open(r.chat.Chats.Journals, r.chat.path, question)
	if err != nil {
		r.chat.Chats.notKept(err)
		return
	}
	r.journal = j
}

// holds reports whether the document holds everything in the journal.
func (r *recovery) holds() bool {
	replies, err := journal.Replies(r.chat.Chats.Journals, r.chat.path)
	if err != nil {
		return false
	}
	_, missing := parsed.FirstLack(r.chat.View().Unasked(), replies, true) // what is sent now has no reply yet
	return !missing
}

// record writes streamed text into the journal, which keeps it until the file on disk holds it.
func (r *recovery) record(piece string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.journal == nil {
		return
	}
	if err := r.journal.Append(piece); err != nil {
		r.chat.Chats.notKept(err)
		r.journal = nil
	}
}

// drop removes text from the end of the journal that will not be shown any more.
func (r *recovery) drop(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.journal == nil {
		return
	}
	if err := r.journal.Drop(utf8.RuneCountInString(text)); err != nil {
		r.chat.Chats.notKept(err)
	}
}

// notKept handles an error of the journal. A message is shown only once, since every reply has the same problem.
func (cs *Chats) notKept(err error) {
	cs.Log.Warn("the recovery journal cannot be written", "error", err)
	sentence := "In this chat " + err.Error() + ". The chat goes on, but what the editor loses cannot be restored."
	cs.warned.Do(func() {
		cs.tasks.Go(func() { cs.Host.ShowMessage(Warning, sentence) }) // the caller may hold a chat's mutex
	})
}

// discard deletes the journal; mu is held.
func (r *recovery) discard() {
	j := r.journal
	r.journal, r.unconfirmed, r.taken = nil, false, false
	if j == nil {
		j = journal.Of(r.chat.Chats.Journals, r.chat.path)
	}
	if err := j.Discard(); err != nil {
		r.chat.Chats.Log.Info("the recovery journal was not deleted", "error", err)
	}
}

// close closes the journal's file; it is read again when the chat is opened again.
func (r *recovery) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.journal == nil {
		return
	}
	if err := r.journal.Close(); err != nil {
		r.chat.Chats.Log.Info("the recovery journal was not closed", "error", err)
	}
	r.journal = nil
}

// Saved is called when the editor has saved the document: it deletes the journal of a reply that is completely in it.
func (c *Chat) Saved() {
	if !c.Idle() {
		return // the reply is still being written
	}
	r := &c.recovery
	r.mu.Lock()
	unconfirmed, kept := r.unconfirmed, r.journal != nil || r.taken
	r.mu.Unlock()
	if unconfirmed {
		r.discardSaved()
		return
	}
	if !kept {
		return
	}
	if _, _, missing := r.missing(); !missing {
		r.mu.Lock()
		r.discard() // a person's later changes are theirs
		r.mu.Unlock()
	}
}

// Removed is called when a person deleted streamed text: it is never written again by itself. If it was the end of the
// reply, the run ends; else the reply goes on, and Restore reply offers what is missing when it is over.
func (c *Chat) Removed() {
	s := c.CurrentReply()
	if s == nil {
		return
	}
	c.Chats.tasks.Go(func() { // the caller may hold the mutex of s
		s.mu.Lock()
		stream := s.stream
		s.mu.Unlock()
		c.recovery.cut(s)
		if stream != nil && errors.Is(stream.Err(), documents.ErrRemoved) {
			s.giveUp(stream.Err())
		}
	})
}

// cut keeps the journal after the end of the reply, since it holds what a person deleted.
func (r *recovery) cut(s *replyWriter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.chat.CurrentReply() != s || r.journal == nil {
		return
	}
	r.taken = true
	if err := r.journal.Cut(); err != nil {
		r.chat.Chats.notKept(err)
	}
}

// Trouble is called when the editor does not apply what is written.
func (c *Chat) Trouble(reason error) {
	if s := c.CurrentReply(); s != nil {
		c.Chats.tasks.Go(func() { s.giveUp(reason) }) // as above
	}
}

// Restore puts back what was shown and is missing, in its place, as one edit.
func (c *Chat) Restore(ctx context.Context) error {
	release, err := c.Session.Hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	view, lack, missing := c.recovery.missing()
	if !missing {
		return errors.New("nothing is missing from this chat")
	}
	text, rest := lack.Text, view.From(lack.At.End)
	if lack.End {
		if end := transcript.NewWriter(view.Slice(0, lack.At.Start) + text).End(); end != "\n" {
			text += strings.TrimRight(end, "\n")
		}
		if !hasYou(rest) {
			text += headingBefore(rest)
		}
	}
	if err := c.write(ctx, view, lack.At, text); err != nil {
		return err
	}
	c.refresh()
	return nil
}
