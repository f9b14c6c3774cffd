package chats

import (
	"context"
	"errors"
	"os"
	"sort"
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/journal"
)

// opened looks at a document that the editor opened: whether it lacks something that was shown before.
func (c *Chat) opened() {
	c.mu.Lock()
	c.doubt = true
	c.mu.Unlock()
	c.settleJournal()
}

// settleJournal deletes the journal of a whole reply that the document and the file on disk hold.
func (c *Chat) settleJournal() {
	if c.busy() != nil {
		return
	}
	replies, err := journal.Replies(c.book.Journals, c.path)
	if err != nil || len(replies) == 0 {
		return
	}
	disk, err := os.ReadFile(c.path)
	if err != nil {
		return
	}
	onDisk := view{text: documents.NewText(string(disk)), chat: transcript.Parse(string(disk))}
	for _, reply := range replies {
		_, open := gapOf(c.view(), reply)
		if _, unsaved := gapOf(onDisk, reply); open || unsaved {
			return
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doubt = false
	c.discard()
}

// gap is what of a reply a document lacks, and where it belongs.
type gap struct {
	at   int
	text string
}

// missing finds what the journal holds and the document lacks.
func (c *Chat) missing() (view, gap, bool) {
	c.mu.Lock()
	doubt := c.doubt
	c.mu.Unlock()
	if !doubt {
		return view{}, gap{}, false
	}
	replies, err := journal.Replies(c.book.Journals, c.path)
	if err != nil {
		c.book.Log.Warn("the recovery journal cannot be read", "error", err)
	}
	if len(replies) == 0 {
		return view{}, gap{}, false
	}
	now := c.view()
	for _, reply := range replies {
		if g, ok := gapOf(now, reply); ok {
			return now, g, true
		}
	}
	return now, gap{}, false
}

// gapOf compares a reply with what stands below the question that it answers. What a person changed in the middle of it
// counts as there; what is missing is the end, all behind the last line that is there.
func gapOf(view view, reply journal.Reply) (gap, bool) {
	from, end := regionOf(view, reply.Base)
	region := view.slice(from, end)
	places := map[string][]int{} // of each line, blank ones not counted
	count, last := 0, ""
	for line := range strings.Lines(region) {
		if line = bare(line); line != "" {
			places[line] = append(places[line], count)
			count++
			last = line
		}
	}
	next, there, offset := 0, 0, 0 // the first place that may follow; bytes of the reply that are there
	for line := range strings.Lines(reply.Text) {
		offset += len(line)
		text := bare(line)
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
	return gap{end, text}, true
}

// bare is a line without what editors change on their own: the line end and blanks before it.
func bare(line string) string { return strings.TrimRight(line, " \t\r\n") }

// regionOf is where the reply to the question with this name stands, or belongs: from behind the question's words to the
// next turn of the user. A question that is not there any more has none; then it is the end of the last turn that holds
// something.
func regionOf(view view, base string) (from, end int) {
	turns := view.chat.Turns
	trimmed := func(from, end int) (int, int) {
		text := bare(view.slice(from, end))
		// A fence that the reply left open swallows the heading below it.
		if heading := strings.TrimSpace(youHeading); text == heading || strings.HasSuffix(text, "\n"+heading) {
			text = bare(strings.TrimSuffix(text, heading))
		}
		return from, from + len(text)
	}
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].Role != transcript.You || journal.Hash(questionOf(turns[i])) != base {
			continue
		}
		last := i
		for last+1 < len(turns) && turns[last+1].Role == transcript.Assistant {
			last++
		}
		return trimmed(behindQuestion(turns[i]), turns[last].Span.End)
	}
	// The question was changed meanwhile: the reply may still stand below the last one that has words.
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].Role != transcript.You || turns[i].Empty() {
			continue
		}
		last := i
		for last+1 < len(turns) && turns[last+1].Role == transcript.Assistant {
			last++
		}
		if last == i {
			break
		}
		return trimmed(behindQuestion(turns[i]), turns[last].Span.End)
	}
	end = view.text.Len()
	if last := view.chat.LastYou(); last >= 0 && last == len(turns)-1 && turns[last].Empty() {
		end = turns[last].Span.Start
	}
	_, end = trimmed(0, end)
	return end, end
}

// questionOf is what a person asked in a turn: its words, without what was attached to it.
func questionOf(turn transcript.Turn) string {
	var words []string
	for _, block := range turn.Blocks {
		if text, ok := block.(transcript.Text); ok {
			for line := range strings.Lines(text.Markdown) {
				if line = bare(line); line != "" {
					words = append(words, line)
				}
			}
		}
	}
	return strings.Join(words, "\n")
}

// behindQuestion is where the words of a turn end.
func behindQuestion(turn transcript.Turn) int {
	end := turn.Heading.End
	for _, block := range turn.Blocks {
		if text, ok := block.(transcript.Text); ok {
			end = text.Span.End
		}
	}
	return end
}

// keep begins the journal of a new reply. Whatever was offered back until now is given up: the user goes on without it.
func (c *Chat) keep(document *transcript.Chat) {
	question := ""
	if last := document.LastYou(); last >= 0 {
		question = questionOf(document.Turns[last])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doubt = false
	c.discard()
	j, err := journal.Open(c.book.Journals, c.path, question)
	if err != nil {
		c.book.Log.Warn("no recovery journal for this chat", "error", err)
		return
	}
	c.journal = j
}

// record keeps what streams until the file on disk holds it.
func (c *Chat) record(piece string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.journal == nil {
		return
	}
	if err := c.journal.Append(piece); err != nil {
		c.book.Log.Warn("the recovery journal cannot be written", "error", err)
		c.journal = nil
	}
}

// discard deletes the journal; mu is held.
func (c *Chat) discard() {
	j := c.journal
	c.journal = nil
	if j == nil {
		j = journal.Of(c.book.Journals, c.path)
	}
	if err := j.Discard(); err != nil {
		c.book.Log.Info("the recovery journal was not deleted", "error", err)
	}
}

// closeJournal leaves the journal to the next server.
func (c *Chat) closeJournal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.journal == nil {
		return
	}
	if err := c.journal.Close(); err != nil {
		c.book.Log.Info("the recovery journal was not closed", "error", err)
	}
	c.journal = nil
}

// Saved takes note that the file on disk holds the document now. The journal of a whole reply that reached the document
// has done its work then.
func (c *Chat) Saved() {
	if s := c.shown0(); s != nil {
		select {
		case <-s.over:
		default:
			return // its last words are on their way
		}
	}
	c.mu.Lock()
	doubt, kept := c.doubt, c.journal != nil
	c.mu.Unlock()
	switch {
	case doubt:
		c.settleJournal()
	case kept:
		c.mu.Lock()
		c.discard() // what a person changed in it since is theirs
		c.mu.Unlock()
	}
}

// Removed takes note that a person took streamed text out of the document: it is never sent again by itself. If it was the
// end of the reply, the run ends there.
func (c *Chat) Removed() {
	s := c.shown0()
	if s == nil {
		return
	}
	c.book.background(func() { // the writer may be called by who holds the lock of s
		s.mu.Lock()
		stream := s.stream
		s.mu.Unlock()
		if stream != nil && errors.Is(stream.Err(), documents.ErrRemoved) {
			s.lose(stream.Err())
		}
	})
}

// Trouble takes note that the editor does not take what is written.
func (c *Chat) Trouble(reason error) {
	if s := c.shown0(); s != nil {
		c.book.background(func() { s.lose(reason) }) // as above
	}
}

// restorable reports whether Restore would put something back.
func (c *Chat) restorable() bool {
	if c.busy() != nil {
		return false
	}
	_, _, missing := c.missing()
	return missing
}

// Restore puts back what was shown and is missing, where it belongs.
func (c *Chat) Restore(ctx context.Context) error {
	begun, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer begun()
	view, gap, missing := c.missing()
	if !missing {
		return errors.New("nothing is missing from this chat")
	}
	writer, ok := c.book.Writer(c.uri)
	if !ok {
		return errors.New("this document is not open in the editor")
	}
	text := gap.text
	if end := transcript.NewWriter(view.slice(0, gap.at) + text).End(); end != "\n" {
		text += strings.TrimRight(end, "\n")
	}
	if !hasYou(view.from(gap.at)) {
		text += headingBefore(view.from(gap.at))
	}
	ctx, cancel := context.WithTimeout(ctx, editTime)
	defer cancel()
	if err := writer.ReplaceIn(ctx, view.snapshot, documents.Span{Start: gap.at, End: gap.at}, "", text); err != nil {
		return err
	}
	c.refresh()
	return nil
}
