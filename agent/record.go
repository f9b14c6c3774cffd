package agent

import (
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/content"
)

// Recorder turns the events of one run into pieces of the chat document: appended one after the other they are the
// document. It is what every front end writes. Use it from one goroutine.
type Recorder struct {
	writer *transcript.Writer
	opened bool // the assistant's heading is written
}

// NewRecorder continues a document, of which before is all that stands before the place to append at. resumed says that
// the assistant's turn stands there already.
func NewRecorder(before string, resumed bool) *Recorder {
	return &Recorder{writer: transcript.NewWriter(before), opened: resumed}
}

// Piece returns what to append for an event; often nothing.
func (r *Recorder) Piece(e Event) string {
	switch e := e.(type) {
	case ContextAdded:
		return r.writer.Context(e.Context)
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
		pieces := []string{r.writer.Result(transcript.Result{ID: e.ID, Status: status(e), Took: e.Result.Took, Text: e.Result.Text()})}
		for _, image := range content.Images(e.Result.Parts) {
			pieces = append(pieces, r.writer.Image(transcript.Image{Of: e.ID, Path: image.Path, NotSent: e.Unseen}))
		}
		return strings.Join(pieces, "")
	case Finished:
		return r.writer.End()
	case Started, Progress, CallWaiting, CallOutput, StepEnded:
	}
	return ""
}

// You begins a turn of the user.
func (r *Recorder) You() string { return r.writer.YouHeading() }

// Reason returns an empty block in which the user says why a call is denied.
func (r *Recorder) Reason(call string) string { return r.writer.Reason(call) }

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
