package chats

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/documents"
)

// Time limits of what waits for the editor. The journal has the words anyway.
const (
	// for what is written, since the document last changed: longer than an answer of the editor.
	flushTime = 8 * time.Second
	// for the same, from an editor that answers nothing: it waits for a key of a person.
	busyTime = 2 * time.Minute
	endTime  = 200 * time.Millisecond // for the same, until a stopped run is over for the user
)

// replyWriter writes a run's reply into the document through a stream. It buffers text until the stream is open, so
// that the model never waits for the editor. It implements session.Reply.
type replyWriter struct {
	chat         *Chat
	ctx          context.Context //nolint:containedctx // cancelled when the document is closed
	cancel       context.CancelFunc
	besideCtx    context.Context    //nolint:containedctx // for edits outside the reply; cancelled by Stop, too
	cancelBeside context.CancelFunc // cancels besideCtx
	progress     Progress
	beside       sync.WaitGroup // edits of the document outside the reply
	ready        chan struct{}  // closed when the stream is open or could not be opened
	hostNote     string         // for the progress, where the model runs on another machine; used by Write alone
	stageText    string         // for the progress, the stage; used by Write alone
	pulling      Progress       // how far the fetching of the model is; nil: none is fetched; used by Write alone

	mu       sync.Mutex
	recorder *event.Recorder   // guarded by mu
	stream   *documents.Stream // guarded by mu; nil until the editor has shown the heading below it
	early    strings.Builder   // guarded by mu: text from before the stream was open
	blocks   map[string]bool   // guarded by mu: blocks that were made for a person to write in
	lastWord string            // guarded by mu: the last text of the progress
	endTimer *time.Timer       // guarded by mu: ends the progress of a run that was stopped
	stopped  bool              // guarded by mu: the user stopped the run; only what closes the reply is still written
	calls    []callRecord      // guarded by mu: the calls of this run, written in full even after Stop
	failed   bool              // guarded by mu: the document could not be written; the journal holds the rest
	leaving  bool              // guarded by mu: the editor is closing the document, or is exiting
}

func newReplyWriter(c *Chat, r *event.Recorder) *replyWriter {
	s := &replyWriter{chat: c, recorder: r, ready: make(chan struct{}), blocks: map[string]bool{}}
	s.ctx, s.cancel = context.WithCancel(c.Chats.ctx)
	s.besideCtx, s.cancelBeside = context.WithCancel(s.ctx)
	return s
}

// open makes room for the reply at an offset of the view. With tail it first puts an empty turn of the user there, so
// that the next question can be typed meanwhile; the reply goes above it.
func (s *replyWriter) open(writer *documents.Writer, view parsed.View, at int, tail bool) {
	defer close(s.ready)
	stream, err := s.openStream(writer, view, at, tail)
	if err != nil {
		s.giveUp(err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream = stream
	if s.ctx.Err() != nil {
		stream.Close()
	}
	if s.early.Len() > 0 && !s.stopped {
		stream.Append(s.early.String())
		s.early.Reset()
	}
}

func (s *replyWriter) openStream(
	writer *documents.Writer, view parsed.View, at int, tail bool,
) (*documents.Stream, error) {
	stream, err := writer.StreamIn(view.Snapshot, at)
	if err != nil || !tail {
		return stream, err
	}
	// Both begin at the same place: the stream stays above whatever comes in there.
	below, err := writer.StreamIn(view.Snapshot, at)
	if err != nil {
		stream.Close()
		return nil, err
	}
	defer below.Close()
	below.Append(headingBefore(view.From(at)))
	if err := below.Drain(s.ctx, flushTime, busyTime); err != nil {
		stream.Close()
		return nil, err
	}
	return stream, nil
}

// callRecord is a call of this run with its result.
type callRecord struct {
	added event.CallAdded
	ended event.CallEnded
	over  bool // whether ended is set
}

// recordCall keeps the calls of this run with their results: Stop discards text that is not written yet, but not these.
func (s *replyWriter) recordCall(e event.Event) {
	switch e := e.(type) {
	case event.CallAdded:
		s.calls = append(s.calls, callRecord{added: e})
	case event.CallEnded:
		for i := range s.calls {
			if s.calls[i].added.Call.ID == e.ID {
				s.calls[i].ended, s.calls[i].over = e, true
				return
			}
		}
		// of a call that was resumed: it is in the document
		s.calls = append(s.calls, callRecord{ended: e, over: true})
	}
}

// append writes an event into the reply. After Stop only what closes the reply is written, by closing.
func (s *replyWriter) append(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordCall(e)
	if ended, isEnd := e.(event.CallEnded); s.leaving && (!isEnd || ended.NotRun) {
		return // a call without a result says the same when the document comes back
	}
	if s.stopped {
		return
	}
	piece := s.recorder.Piece(e)
	if _, last := e.(event.Finished); last {
		piece = strings.TrimRight(piece, "\n") // the turn below starts with its own line ends
	}
	s.appendLocked(piece)
}

// halt discards all text that was not sent to the editor yet.
func (s *replyWriter) halt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.endSoon(stoppedWord)
	s.cancelBeside()
	if s.stream != nil {
		s.stream.Halt()
	}
}

// closing returns what ends a stopped reply: the results of its calls that the document lacks, and the end of open
// blocks. The journal gets it, too.
func (s *replyWriter) closing(stream *documents.Stream) string {
	before := stream.Before()
	now := parsed.View{Text: documents.NewText(before), Chat: transcript.Parse(before)}
	recorder := event.NewRecorder(before, true)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chat.recovery.drop(s.early.String() + stream.Halted())
	s.early.Reset()
	var mark strings.Builder
	for _, ran := range s.calls {
		mark.WriteString(ran.missing(now, stream.Start(), recorder))
	}
	mark.WriteString(recorder.Piece(event.Finished{}))
	text := strings.TrimRight(mark.String(), "\n")
	s.chat.recovery.record(text)
	return text
}

// missing is what the document lacks of a call that ended: its result, and the call itself if it ran. The reply starts
// at from.
func (r callRecord) missing(now parsed.View, from int, recorder *event.Recorder) string {
	if !r.over {
		return ""
	}
	// a result above it belongs to an earlier run
	if result, answered := now.Result(r.ended.ID); answered && result.Span.Start >= from {
		return ""
	}
	if _, called := now.Call(r.ended.ID); called {
		return recorder.Piece(r.ended)
	}
	if r.ended.NotRun {
		return "" // nobody saw it, and it did nothing
	}
	if r.added.Call.ID == "" {
		return recorder.Piece(r.ended) // a resumed call that a person has deleted since
	}
	return recorder.Piece(r.added) + recorder.Piece(r.ended)
}

func (s *replyWriter) appendLocked(piece string) {
	if piece == "" {
		return
	}
	s.chat.recovery.record(piece)
	if s.stream == nil {
		s.early.WriteString(piece)
		return
	}
	s.stream.Append(piece)
}

// unwritten reports whether some of the reply is still on its way into the document.
func (s *replyWriter) unwritten() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stream == nil {
		return !s.failed
	}
	return s.stream.Unwritten() != ""
}

// reason makes a block for the reason why a call is denied, unless one is on its way.
func (s *replyWriter) reason(call string) {
	s.makeBlock("reason "+call, func(r *event.Recorder) string { return r.Reason(call) })
}

// answer makes a block for the answer to a call that asks the person, unless one is on its way.
func (s *replyWriter) answer(q event.Question) {
	s.makeBlock("answer "+q.InAnswer(), func(r *event.Recorder) string {
		return r.Answer(q.InAnswer(), parsed.FormText(q))
	})
}

func (s *replyWriter) makeBlock(name string, write func(*event.Recorder) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || s.blocks[name] && (s.stream == nil || s.stream.Unwritten() != "") {
		return
	}
	s.blocks[name] = true
	s.appendLocked(write(s.recorder))
}

// documentCloses is called before a run is stopped because its document or the editor is being closed. From then on
// only the results of calls that ran are kept.
func (s *replyWriter) documentCloses() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaving = true
}

// documentClosed stops writing at once: a document that is opened again must not change by itself.
func (s *replyWriter) documentClosed() {
	s.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = true
	if s.stream != nil {
		s.stream.Close()
	}
}

// flush waits until the editor has shown all that was appended.
func (s *replyWriter) flush(ctx context.Context) error {
	select {
	case <-s.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	stream := s.stream
	s.mu.Unlock()
	if stream == nil {
		return errors.New("the reply has no place in the document")
	}
	return stream.Flush(ctx)
}

// Write implements session.Reply. What does not reach the document is in the journal.
func (s *replyWriter) Write(e event.Event) error {
	s.append(e)
	if s.pulls(e) {
		return nil
	}
	switch e := e.(type) {
	case event.Started:
		if e.Host != "" {
			s.hostNote = ", runs at " + e.Host
			s.chat.refresh() // the question about it is answered
		}
		s.chat.began(e.Model)
		s.progress.Report(e.Model + s.hostNote)
		s.named(e)
	case event.Progress:
		s.stageText = describe(e) + s.hostNote
		s.progress.Report(s.stageText)
		s.chat.reached(e.Stage, s.stageText)
		if e.Stage == event.Executing {
			s.chat.refresh() // the question about it is answered
		}
	case event.CallOutput:
		if line := s.chat.shown.output(e); line != "" {
			s.progress.Report(s.stageText + " · " + parsed.Shorten(line))
		}
	case event.CallEnded:
		s.chat.shown.ended(e.ID)
		s.chat.refresh()
		if len(e.Result.Changes) > 0 {
			s.chat.filesChanged()
		}
	case event.CallWaiting:
		s.ask(e.Question)
		s.chat.refresh()
	case event.Finished:
		s.finished(e)
	case event.StepEnded:
		s.chat.used(e.Usage)
		if said := e.Usage.String(); said != "" {
			s.progress.Report(said)
		}
	}
	return nil
}

// ask gives the person whom a call asks a place to write the answer. Where there are answers to pick, Answer makes it.
func (s *replyWriter) ask(q event.Question) {
	if !q.Effect.ByPerson() || q.Model != "" || len(q.Choices) > 0 {
		return
	}
	if _, there := s.chat.View().Answer(q.InAnswer()); !there {
		s.answer(q)
	}
}

// headingBefore is what to put between a text that does not end its last line and the rest of the document, so that a
// turn of the user begins there.
func headingBefore(rest string) string {
	if strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "\r\n") {
		return "\n\n" + strings.TrimSuffix(transcript.YouHeading, "\n") // the line end is there already
	}
	return "\n\n" + transcript.YouHeading
}

// hasYou reports whether a turn of the user begins in the text.
func hasYou(text string) bool { return transcript.Parse(text).LastYou() >= 0 }

// describe is the text of a stage for the progress display.
func describe(p event.Progress) string {
	text := map[event.Stage]string{
		event.Queued: "waiting for the model", event.Loading: "loading the model", event.Reading: "reading the prompt",
		event.Writing: "writing", event.Executing: "running", event.Waiting: "waiting for your answer",
		event.Pulling: "fetching the model",
	}[p.Stage]
	if p.Note != "" {
		text += ": " + p.Note
	}
	if p.Mode.Explain() != "" {
		text = "mode " + string(p.Mode) + ", " + text
	}
	return text
}
