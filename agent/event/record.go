package event

import (
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
)

// Recorder turns the events of one run into pieces of the chat document: appended one after the other they are the
// document. It is what every front end writes. Use it from one goroutine.
type Recorder struct {
	writer *transcript.Writer
	opened bool // the assistant's heading is written
}

// NewRecorder continues a document, of which before is all that is before the place to append at. resumed says that
// the assistant's turn is there already.
func NewRecorder(before string, resumed bool) *Recorder {
	return &Recorder{writer: transcript.NewWriter(before), opened: resumed}
}

// Piece returns what to append for an event; often nothing.
func (r *Recorder) Piece(e Event) string {
	switch e := e.(type) {
	case ContextAdded:
		block := r.writer.Context(transcript.Context{Name: e.Name, Text: e.Text(), NotSent: e.NotSent})
		return block + r.images(e.Parts, transcript.Image{Of: e.Name, Context: true, NotSent: e.Unseen})
	case StepStarted:
		if r.opened {
			return ""
		}
		r.opened = true
		return r.writer.AssistantHeading()
	case TextDelta:
		return r.writer.Text(e.Text)
	case ThinkingDelta:
		return r.writer.Thinking(e.Text)
	case CallAdded:
		return r.writer.Call(transcript.Call{ID: e.Call.ID, Tool: e.Call.Name, Arguments: e.Call.Arguments})
	case CallMalformed:
		return r.writer.Malformed(e.ID, e.Malformed.Raw, e.Malformed.Reason)
	case CallEnded:
		block := r.writer.Result(
			transcript.Result{ID: e.ID, Status: status(e), Took: e.Result.Took, Text: e.Result.Text()},
		)
		return block + r.images(e.Result.Parts, transcript.Image{Of: e.ID, NotSent: e.Unseen})
	case Finished:
		return r.writer.End()
	case Started, Progress, RequestSent, RequestEnded, CallWaiting, CallOutput, StepEnded:
	}
	return ""
}

// images returns the links of the images of content, each with its path in the given form.
func (r *Recorder) images(parts []content.Part, link transcript.Image) string {
	var pieces strings.Builder
	for _, image := range content.Images(parts) {
		link.Path = image.Path
		pieces.WriteString(r.writer.Image(link))
	}
	return pieces.String()
}

// You begins a turn of the user.
func (r *Recorder) You() string { return r.writer.YouHeading() }

// Reason returns an empty block in which the user says why a call is denied.
func (r *Recorder) Reason(call string) string { return r.writer.Reason(call) }

// Answer returns a block in which the user answers a call that asks them something: with a form to fill in, or empty.
func (r *Recorder) Answer(id, form string) string { return r.writer.Answer(id, form) }

func status(e CallEnded) transcript.Status {
	switch {
	case e.Result.Stopped:
		return transcript.Stopped
	case e.NotRun:
		return transcript.NotRun
	case e.Denied:
		return transcript.Denied
	case e.Result.Failed:
		return transcript.Failed
	default:
		return transcript.OK
	}
}
