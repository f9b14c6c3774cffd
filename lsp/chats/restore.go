package chats

import (
	"context"
	"errors"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/journal"
	"github.com/assent-ls/assent/tools/diskfile"
)

// opened checks whether a document that the editor opened lacks something that was shown before.
func (c *Chat) opened() {
	c.mu.Lock()
	c.unconfirmed = true
	c.mu.Unlock()
	c.discardSavedJournal()
}

// discardSavedJournal deletes the journal if the document and the file on disk hold all of its replies.
func (c *Chat) discardSavedJournal() {
	if c.session.Running() {
		return
	}
	replies, err := journal.Replies(c.chats.Journals, c.path)
	if err != nil || len(replies) == 0 {
		return
	}
	disk, err := diskfile.ReadSmall(c.path, diskfile.MaxText)
	if err != nil {
		return
	}
	onDisk := view{text: documents.NewText(string(disk)), chat: transcript.Parse(string(disk))}
	for _, now := range []view{c.view(), onDisk} {
		if _, missing := firstLack(now, replies, true); missing {
			return
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.discard()
}

// gap is what a document lacks of the end of a reply, and where it belongs.
type gap struct {
	at   int
	from int // where it begins in the reply
	text string
}

// lack is one edit that puts back all that a document lacks of a reply.
type lack struct {
	at   documents.Span
	text string // what stands there then
	end  bool   // the end of the reply is missing
}

// firstLack finds the oldest reply of a journal of which a document lacks something.
func firstLack(view view, replies []journal.Reply, unconfirmed bool) (lack, bool) {
	for i, at := range regionsOf(view, replies) {
		if l, ok := lackOf(view, replies[i], at, unconfirmed); ok {
			return l, true
		}
	}
	return lack{}, false
}

// lackOf compares the region of a reply with it. unconfirmed says that the end may be missing; only then is it looked
// for. What a person deleted in the middle is looked for only if that happened while the reply streamed.
func lackOf(view view, reply journal.Reply, at documents.Span, unconfirmed bool) (lack, bool) {
	head := reply.Text
	var tail gap
	missing := false
	if unconfirmed {
		if tail, missing = gapOf(view, reply, at); missing {
			head = head[:tail.from]
		}
	}
	var holes []hole
	if reply.Cut {
		holes = view.outsideCalls(holesIn(head, view.slice(at.Start, at.End), at.Start))
	}
	if missing {
		holes = append(holes, hole{documents.Span{Start: tail.at, End: tail.at}, tail.text})
	}
	if len(holes) == 0 {
		return lack{}, false
	}
	l := lack{at: documents.Span{Start: holes[0].at.Start, End: holes[len(holes)-1].at.End}, end: missing}
	var text strings.Builder
	done := l.at.Start
	for _, h := range holes {
		text.WriteString(view.slice(done, h.at.Start) + h.text)
		done = h.at.End
	}
	l.text = text.String()
	return l, true
}

// missing finds what the journal holds but the document lacks.
func (c *Chat) missing() (view, lack, bool) {
	c.mu.Lock()
	unconfirmed, taken := c.unconfirmed, c.taken
	c.mu.Unlock()
	if !unconfirmed && !taken {
		return view{}, lack{}, false
	}
	replies, err := journal.Replies(c.chats.Journals, c.path)
	if err != nil {
		c.chats.Log.Warn("the recovery journal cannot be read", "error", err)
	}
	if len(replies) == 0 {
		return view{}, lack{}, false
	}
	now := c.view()
	l, ok := firstLack(now, replies, unconfirmed)
	return now, l, ok
}

// gapOf compares a reply with its region, and finds the end that is missing: all after the last line that the document
// has. Changes in the middle do not count.
func gapOf(view view, reply journal.Reply, region documents.Span) (gap, bool) {
	places := map[string][]int{} // of each line, blank ones not counted
	count, last := 0, ""
	for line := range strings.Lines(view.slice(region.Start, region.End)) {
		if line = trimLine(line); line != "" {
			places[line] = append(places[line], count)
			count++
			last = line
		}
	}
	next, there, offset := 0, 0, 0 // the first place that may follow; bytes of the reply that are there
	for line := range strings.Lines(reply.Text) {
		offset += len(line)
		text := trimLine(line)
		if text == "" {
			continue
		}
		at := places[text]
		i := sort.SearchInts(at, next)
		if i < len(at) {
			next, there = at[i]+1, offset-(len(line)-len(strings.TrimRight(line, "\r\n")))
			continue
		}
		// The reply may have been cut within this line.
		if i := len(last); i > 0 && next == count-1 && strings.HasPrefix(line, last) && strings.TrimSpace(reply.Text[there:offset-len(line)]) == "" {
			next, there = count, offset-len(line)+i
		}
	}
	text := strings.TrimRight(reply.Text[there:], " \t\r\n")
	if strings.TrimSpace(text) == "" {
		return gap{}, false
	}
	return gap{region.End, there, text}, true
}

// trimLine is a line without what editors change on their own: the line end and the spaces before it.
func trimLine(line string) string { return strings.TrimRight(line, " \t\r\n") }

// startJournal starts the journal of a new reply, or continues that of a resumed one. What Restore offered until now is
// given up, since the user goes on without it; what the document holds but the file on disk does not is kept.
func (c *Chat) startJournal(turns []transcript.Turn, resume bool) {
	question := ""
	if last := (&transcript.Chat{Turns: turns}).LastYou(); last >= 0 {
		question = questionNames(turns)[last]
	}
	whole := c.holdsJournal()
	if whole {
		c.closeJournal()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !whole {
		c.discard()
	}
	c.unconfirmed, c.taken = false, false
	open := journal.Open
	if resume {
		open = journal.Resume
	}
	j, err := open(c.chats.Journals, c.path, question)
	if err != nil {
		c.chats.notKept(err)
		return
	}
	c.journal = j
}

// holdsJournal reports whether the document holds everything in the journal.
func (c *Chat) holdsJournal() bool {
	replies, err := journal.Replies(c.chats.Journals, c.path)
	if err != nil {
		return false
	}
	_, missing := firstLack(c.view().unasked(), replies, true) // what is sent now has no reply yet
	return !missing
}

// record writes streamed text into the journal, which keeps it until the file on disk holds it.
func (c *Chat) record(piece string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.journal == nil {
		return
	}
	if err := c.journal.Append(piece); err != nil {
		c.chats.notKept(err)
		c.journal = nil
	}
}

// drop removes text from the end of the journal that will not be shown any more.
func (c *Chat) drop(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.journal == nil {
		return
	}
	if err := c.journal.Drop(utf8.RuneCountInString(text)); err != nil {
		c.chats.notKept(err)
	}
}

// notKept handles an error of the journal. A message is shown only once, since every reply has the same problem.
func (cs *Chats) notKept(err error) {
	cs.Log.Warn("the recovery journal cannot be written", "error", err)
	cs.warnOnce("journals", "In this chat "+err.Error()+". The chat goes on, but what the editor loses cannot be restored.")
}

// discard deletes the journal; mu is held.
func (c *Chat) discard() {
	j := c.journal
	c.journal, c.unconfirmed, c.taken = nil, false, false
	if j == nil {
		j = journal.Of(c.chats.Journals, c.path)
	}
	if err := j.Discard(); err != nil {
		c.chats.Log.Info("the recovery journal was not deleted", "error", err)
	}
}

// closeJournal closes the journal's file; it is read again when the chat is opened again.
func (c *Chat) closeJournal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.journal == nil {
		return
	}
	if err := c.journal.Close(); err != nil {
		c.chats.Log.Info("the recovery journal was not closed", "error", err)
	}
	c.journal = nil
}

// Saved is called when the editor has saved the document. The journal of a reply that is completely in it is deleted.
func (c *Chat) Saved() {
	if !c.idle() {
		return // the reply is still being written
	}
	c.mu.Lock()
	unconfirmed, kept := c.unconfirmed, c.journal != nil || c.taken
	c.mu.Unlock()
	if unconfirmed {
		c.discardSavedJournal()
		return
	}
	if !kept {
		return
	}
	if _, _, missing := c.missing(); !missing {
		c.mu.Lock()
		c.discard() // a person's later changes are theirs
		c.mu.Unlock()
	}
}

// Removed is called when a person deleted streamed text: it is never written again by itself. If it was the end of the
// reply, the run ends; else the reply goes on, and Restore reply offers what is missing when it is over.
func (c *Chat) Removed() {
	s := c.currentReply()
	if s == nil {
		return
	}
	c.chats.background(func() { // the caller may hold the mutex of s
		s.mu.Lock()
		stream := s.stream
		s.mu.Unlock()
		c.markCut(s)
		if stream != nil && errors.Is(stream.Err(), documents.ErrRemoved) {
			s.giveUp(stream.Err())
		}
	})
}

// markCut keeps the journal after the end of the reply, since it holds what a person deleted.
func (c *Chat) markCut(s *replyWriter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reply != s || c.journal == nil {
		return
	}
	c.taken = true
	if err := c.journal.Cut(); err != nil {
		c.chats.notKept(err)
	}
}

// Trouble is called when the editor does not apply what is written.
func (c *Chat) Trouble(reason error) {
	if s := c.currentReply(); s != nil {
		c.chats.background(func() { s.giveUp(reason) }) // as above
	}
}

// restorable reports whether Restore would put something back.
func (c *Chat) restorable() bool {
	if c.session.Running() {
		return false
	}
	_, _, missing := c.missing()
	return missing
}

// incomplete reports whether the end of a reply is missing, which a diagnostic says. What a person deleted in the
// middle needs none: they know.
func (c *Chat) incomplete() bool {
	if c.session.Running() {
		return false
	}
	_, l, missing := c.missing()
	return missing && l.end
}

// Restore puts back what was shown and is missing, in its place, as one edit.
func (c *Chat) Restore(ctx context.Context) error {
	release, err := c.session.Hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	view, lack, missing := c.missing()
	if !missing {
		return errors.New("nothing is missing from this chat")
	}
	writer, ok := c.chats.Writer(c.uri)
	if !ok {
		return errNotOpen
	}
	text, rest := lack.text, view.from(lack.at.End)
	if lack.end {
		if end := transcript.NewWriter(view.slice(0, lack.at.Start) + text).End(); end != "\n" {
			text += strings.TrimRight(end, "\n")
		}
		if !hasYou(rest) {
			text += headingBefore(rest)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, editTime)
	defer cancel()
	if err := writer.ReplaceIn(ctx, view.snapshot, lack.at, view.slice(lack.at.Start, lack.at.End), text); err != nil {
		return err
	}
	c.refresh()
	return nil
}
