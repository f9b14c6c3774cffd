package printer

import (
	"encoding/json"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools/policy"
)

// JSON writes one JSON object a line for each event, and before the first one the flags of the launch.
type JSON struct {
	Encoder *json.Encoder
	First   map[string]any // nil: it was written
}

// Emit implements agent.Sink.
func (p *JSON) Emit(e event.Event) {
	if p.First != nil {
		_ = p.Encoder.Encode(p.First) // a closed pipe ends the command by itself
		p.First = nil
	}
	if line := eventLine(e); line != nil {
		_ = p.Encoder.Encode(line) // a closed pipe ends the command by itself
	}
}

type object = map[string]any

// eventLine is the JSON form of an event; docs/events.md describes it.
func eventLine(e event.Event) object {
	switch e := e.(type) {
	case event.Started:
		return object{
			"event": "started", "model": e.Model, "format": e.Format, "contextSize": e.ContextSize, "why": e.Why,
			"host": e.Host,
		}
	case event.Progress:
		return object{
			"event": "progress", "stage": stageNames[e.Stage], "note": e.Note, "mode": e.Mode, "done": e.Done,
			"total": e.Total,
		}
	case event.ContextAdded:
		return object{
			"event": "context", "name": e.Name, "text": e.Text(), "parts": partLines(e.Parts), "notSent": e.NotSent,
		}
	case event.StepStarted:
		return object{"event": "step", "step": e.Step}
	case event.ThinkingDelta:
		return object{"event": "thinking", "text": e.Text}
	case event.TextDelta:
		return object{"event": "text", "text": e.Text}
	case event.CallAdded:
		return object{"event": "call", "id": e.Call.ID, "tool": e.Call.Name, "arguments": e.Call.Arguments}
	case event.CallMalformed:
		return object{"event": "malformed", "id": e.ID, "raw": e.Malformed.Raw, "reason": e.Malformed.Reason}
	case event.CallWaiting:
		return waitingLine(e.Question)
	case event.CallOutput:
		return object{
			"event": "output", "id": e.ID, "text": e.Text, "omitted": e.Omitted, "done": e.Done, "total": e.Total,
			"note": e.Note,
		}
	case event.CallEnded:
		return object{
			"event": "result", "id": e.ID, "tool": e.Name, "text": e.Result.Text(), "parts": partLines(e.Result.Parts),
			"failed": e.Result.Failed, "denied": e.Denied, "notRun": e.NotRun, "stopped": e.Result.Stopped,
		}
	case event.StepEnded:
		return object{
			"event": "usage", "promptTokens": e.Done.PromptTokens, "outputTokens": e.Done.OutputTokens,
			"seconds": e.Took.Seconds(), "contextSize": e.Usage.Context, "reused": e.Usage.Reused,
		}
	case event.Finished:
		return object{"event": "finished", "outcome": outcomeNames[e.Outcome], "sentence": e.Sentence}
	}
	return nil
}

func waitingLine(q event.Question) object {
	line := object{
		"event": "waiting", "id": q.CallID, "tool": q.Tool, "target": q.Target, "preview": q.Preview,
		"offers": offerLines(q.Offers),
		"model":  q.Model, "host": q.Host, "pull": q.Pull, "mention": q.Mention, "from": q.From,
	}
	if q.CanTry() {
		line["try"] = true
	}
	if q.CanGoOnline() {
		line["online"] = true
	}
	var more []object
	for _, call := range q.More {
		more = append(
			more, object{"id": call.CallID, "tool": call.Tool, "target": call.Target, "preview": call.Preview},
		)
	}
	if more != nil {
		line["more"] = more
	}
	if len(q.Choices) > 0 {
		line["choices"] = q.Choices
	}
	if len(q.Form) > 0 {
		line["form"] = q.Form
	}
	return line
}

// offerLines list what a person could choose beyond this once.
func offerLines(offers []policy.Offer) []object {
	lines := make([]object, len(offers))
	for i, o := range offers {
		lines[i] = object{"id": o.ID, "scope": o.Scope, "pattern": o.Pattern, "title": o.Title, "denies": o.Denies}
	}
	return lines
}

// partLines is the JSON form of content; docs/events.md describes it. What an image shows is in its file.
func partLines(parts []content.Part) []object {
	lines := []object{}
	for _, part := range parts {
		line := object{"type": "text", "text": part.String()}
		switch p := part.(type) {
		case content.Image:
			line = object{"type": "image", "mediaType": p.Type(), "width": p.Width, "height": p.Height, "path": p.Path}
			if p.Sound() {
				line = object{"type": "audio", "mediaType": p.Type(), "bytes": len(p.Data), "path": p.Path}
			}
		case content.Audio:
			line = object{"type": "audio", "mediaType": p.Type, "bytes": len(p.Data)}
		case content.Link:
			line = object{"type": "link", "uri": p.URI, "name": p.Name, "mediaType": p.Type}
		case content.Resource:
			line = object{
				"type": "resource", "uri": p.URI, "name": p.Name, "mediaType": p.Type, "text": p.Text,
				"bytes": len(p.Data),
			}
		case content.Value:
			line = object{"type": "value", "value": p.JSON}
		}
		lines = append(lines, line)
	}
	return lines
}

var stageNames = map[event.Stage]string{
	event.Queued: "queued", event.Loading: "loading", event.Reading: "reading", event.Writing: "writing",
	event.Executing: "executing", event.Waiting: "waiting",
	event.Pulling: "pulling",
}

var outcomeNames = map[event.Outcome]string{
	event.Completed: "completed", event.Stopped: "stopped", event.Broken: "broken", event.Exhausted: "exhausted",
	event.Unanswered: "unanswered",
}
