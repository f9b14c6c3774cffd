package chats

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
)

// Time limits of what waits for the editor. The journal has the words anyway.
const (
	openTime  = 15 * time.Second       // for the place of a reply
	flushTime = 8 * time.Second        // for the last words of a reply, since the document last changed: longer than an answer of the editor
	endTime   = 200 * time.Millisecond // for the same, until a stopped run is over for the user
)

// replyWriter is where a run's reply appears: a stream into the document. Pieces wait until the stream is open, so that the
// model never waits for the editor. It implements session.Reply.
type replyWriter struct {
	chat     *Chat
	ctx      context.Context //nolint:containedctx // ends when the document is closed
	cancel   context.CancelFunc
	asides   context.Context    //nolint:containedctx // of what is written beside the reply; ends with Stop, too
	still    context.CancelFunc // ends asides
	progress Progress
	beside   sync.WaitGroup // what is written into the document beside the reply
	ready    chan struct{}  // closed when the stream is open, or never will be
	where    string         // the words of progress on a model that runs elsewhere; Write's alone
	doing    string         // the words of progress on the stage; Write's alone

	mu       sync.Mutex
	recorder *agent.Recorder   // guarded by mu
	stream   *documents.Stream // guarded by mu; nil until the heading below is proven in
	early    strings.Builder   // guarded by mu: what came before the stream was open
	reasons  map[string]bool   // guarded by mu: calls for which a block for the reason was written
	last     string            // guarded by mu: the word that the run ended with
	soon     *time.Timer       // guarded by mu: ends the progress of a run that was stopped
	stopped  bool              // guarded by mu: by Stop; nothing more is written but the mark that closes the reply
	ran      []ranCall         // guarded by mu: the calls of this run that ended, for a reply that is stopped
	failed   bool              // guarded by mu: the document could not be written; the journal holds the rest
	leaving  bool              // guarded by mu: the editor closes the document or itself
}

func newReplyWriter(c *Chat, r *agent.Recorder) *replyWriter {
	s := &replyWriter{chat: c, recorder: r, ready: make(chan struct{}), reasons: map[string]bool{}}
	s.ctx, s.cancel = context.WithCancel(c.chats.ctx)
	s.asides, s.still = context.WithCancel(s.ctx)
	return s
}

// open makes room for the reply at an offset of the view. With tail it first puts an empty turn of the user there, so that
// the next question can be typed meanwhile; the reply goes above it.
func (s *replyWriter) open(writer *documents.Writer, view view, at int, tail bool) {
	defer close(s.ready)
	ctx, cancel := context.WithTimeout(s.ctx, openTime)
	defer cancel()
	stream, err := s.room(ctx, writer, view, at, tail)
	if err != nil {
		s.lose(err)
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

func (s *replyWriter) room(ctx context.Context, writer *documents.Writer, view view, at int, tail bool) (*documents.Stream, error) {
	if !tail {
		return writer.StreamIn(view.snapshot, at)
	}
	// The stream begins at the same place, and stays above whatever comes in there.
	stream, err := writer.StreamIn(view.snapshot, at)
	if err != nil {
		return nil, err
	}
	below, err := writer.StreamIn(view.snapshot, at)
	if err != nil {
		stream.Close()
		return nil, err
	}
	defer below.Close()
	below.Append(headingBefore(view.from(at)))
	if err := below.Flush(ctx); err != nil {
		stream.Close()
		return nil, err
	}
	return stream, nil
}

// ranCall is a call of this run and what it came to.
type ranCall struct {
	added agent.CallAdded
	ended agent.CallEnded
	over  bool // ended is set
}

// note keeps the calls of this run and what they came to: Stop gives up what waits to be written, and not these.
func (s *replyWriter) note(e agent.Event) {
	switch e := e.(type) {
	case agent.CallAdded:
		s.ran = append(s.ran, ranCall{added: e})
	case agent.CallEnded:
		for i := range s.ran {
			if s.ran[i].added.Call.ID == e.ID {
				s.ran[i].ended, s.ran[i].over = e, true
				return
			}
		}
		s.ran = append(s.ran, ranCall{ended: e, over: true}) // of a call that was resumed: it stands in the document
	}
}

// append writes an event where the reply goes. After Stop nothing is written but the mark that closes the reply.
func (s *replyWriter) append(e agent.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(e)
	if ended, isEnd := e.(agent.CallEnded); s.leaving && (!isEnd || ended.NotRun) {
		return // a call without a result says the same when the document comes back
	}
	if s.stopped {
		return
	}
	piece := s.recorder.Piece(e)
	if _, last := e.(agent.Finished); last {
		piece = strings.TrimRight(piece, "\n") // the turn below brings its own line ends
	}
	s.appendLocked(piece)
}

// halt gives up all that is not on its way into the document yet.
func (s *replyWriter) halt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.endSoon(stoppedWord)
	s.still()
	if s.stream != nil {
		s.stream.Halt()
	}
}

// mark returns what closes a reply that was stopped: what of it stands in the document, and the calls that ran. It is kept
// for recovery, too.
func (s *replyWriter) mark(stream *documents.Stream) string {
	before := stream.Before()
	now := view{text: documents.NewText(before), chat: transcript.Parse(before)}
	recorder := agent.NewRecorder(before, true)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chat.drop(s.early.String() + stream.Halted())
	s.early.Reset()
	var mark strings.Builder
	for _, ran := range s.ran {
		mark.WriteString(ran.missing(now, stream.Start(), recorder))
	}
	mark.WriteString(recorder.Piece(agent.Finished{}))
	text := strings.TrimRight(mark.String(), "\n")
	s.chat.record(text)
	return text
}

// missing is what the document lacks of a call: its result in the reply that begins at from, and of a call that was begun the
// call, too.
func (r ranCall) missing(now view, from int, recorder *agent.Recorder) string {
	if !r.over {
		return ""
	}
	if result, answered := now.result(r.ended.ID); answered && result.Span.Start >= from { // an earlier one is of an earlier run
		return ""
	}
	if _, called := now.call(r.ended.ID); called {
		return recorder.Piece(r.ended)
	}
	if r.ended.NotRun {
		return "" // nobody saw it, and it did nothing
	}
	if r.added.Call.ID == "" {
		return recorder.Piece(r.ended) // a call that was resumed, and that a person took out since
	}
	return recorder.Piece(r.added) + recorder.Piece(r.ended)
}

func (s *replyWriter) appendLocked(piece string) {
	if piece == "" {
		return
	}
	s.chat.record(piece)
	if s.stream == nil {
		s.early.WriteString(piece)
		return
	}
	s.stream.Append(piece)
}

// reason writes a block for the reason why a call is denied, unless one is on its way.
func (s *replyWriter) reason(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || s.reasons[call] && (s.stream == nil || s.stream.Unwritten() != "") {
		return
	}
	s.reasons[call] = true
	s.appendLocked(s.recorder.Reason(call))
}

// leave is called before a run is stopped because its document or the editor is being closed. Nothing but what calls that
// ran came to is kept from then on.
func (s *replyWriter) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaving = true
}

// left stops writing at once, since the document is closed: if it is opened again, nothing comes into it by itself.
func (s *replyWriter) left() {
	s.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = true
	if s.stream != nil {
		s.stream.Close()
	}
}

// flush waits until all that was appended is proven to be in the document.
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
func (s *replyWriter) Write(e agent.Event) error {
	s.append(e)
	switch e := e.(type) {
	case agent.Started:
		if e.Host != "" {
			s.where = ", runs at " + e.Host
			s.chat.refresh() // the question about it is answered
		}
		s.progress.Report(e.Model + s.where)
		s.named(e)
	case agent.Progress:
		s.doing = describe(e) + s.where
		s.progress.Report(s.doing)
		if e.Stage == agent.Executing {
			s.chat.refresh() // the question about it is answered
		}
	case agent.CallOutput:
		if line := s.chat.output(e); line != "" {
			s.progress.Report(s.doing + " · " + shorten(line))
		}
	case agent.CallEnded:
		s.chat.outputEnded(e.ID)
		s.chat.refresh()
	case agent.CallWaiting:
		s.chat.refresh()
	case agent.Finished:
		s.finished(e)
	case agent.ContextAdded, agent.StepStarted, agent.TextDelta, agent.ThinkingDelta,
		agent.CallMalformed, agent.StepEnded:
	}
	return nil
}

// headingBefore is what to put between a text that does not end its last line and the rest of the document, so that a turn
// of the user begins there.
func headingBefore(rest string) string {
	if strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "\r\n") {
		return "\n\n" + strings.TrimSuffix(transcript.YouHeading, "\n") // the line end is there already
	}
	return "\n\n" + transcript.YouHeading
}

// hasYou reports whether a turn of the user begins in the text.
func hasYou(text string) bool { return transcript.Parse(text).LastYou() >= 0 }

// describe words a stage for the progress display.
func describe(p agent.Progress) string {
	text := map[agent.Stage]string{
		agent.Queued: "waiting for the model", agent.Loading: "loading the model", agent.Reading: "reading the prompt",
		agent.Writing: "writing", agent.Executing: "running", agent.Waiting: "waiting for your answer",
	}[p.Stage]
	if p.Note != "" {
		text += ": " + p.Note
	}
	return text
}
