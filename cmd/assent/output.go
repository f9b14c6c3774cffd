package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/policy"
)

// maxPart is the length from which a line of output is printed before it ends.
const maxPart = 4 << 10

// pullStep is after how many percent of a model that is fetched a line says so.
const pullStep = 10

// printer shows events to a person: what the model says on out, everything else on notes.
type printer struct {
	out, notes io.Writer
	thinking   bool
	used       string            // what the last reply took of the context
	midLine    bool              // the last thing on out did not end its line
	pulled     int               // percent of the model that were told; they are told in steps
	part       map[string]string // by call: the line of its output that has no end yet
}

// Emit implements agent.Sink.
func (p *printer) Emit(e event.Event) {
	switch e := e.(type) {
	case event.Started:
		line := fmt.Sprintf("model %s, context %d tokens", e.Model, e.ContextSize)
		if e.Host != "" {
			line = fmt.Sprintf("model %s, which runs at %s, context %d tokens", e.Model, e.Host, e.ContextSize)
		}
		if e.Why != "" {
			line += ": " + e.Why
		}
		p.note(line)
	case event.Progress:
		switch {
		case e.Stage == event.Queued, e.Stage == event.Loading:
			p.note(progressText(e))
		case e.Stage == event.Pulling && (e.Percent() == 0 && p.pulled == 0 || e.Percent() >= p.pulled+pullStep):
			p.pulled = e.Percent() / pullStep * pullStep
			p.note(progressText(e))
		}
	case event.TextDelta:
		p.thinking = false
		p.say(e.Text)
	case event.ThinkingDelta:
		if !p.thinking {
			p.marked(terminal.Dim, "thinking …", "")
		}
		p.thinking = true
	case event.CallAdded:
		p.call(e)
	case event.CallMalformed:
		if e.Malformed.Raw == "" {
			p.note(e.Malformed.Reason)
			break
		}
		p.marked(terminal.Red, "✗", " a call that cannot be read: "+e.Malformed.Reason)
	case event.CallOutput:
		p.output(e)
	case event.CallEnded:
		p.outputEnded(e.ID)
		p.marked(endedText(e))
	case event.StepEnded:
		p.used = e.Usage.String()
	case event.Finished:
		p.endLine()
		if p.used != "" {
			p.marked(terminal.Dim, p.used, "")
		}
		if e.Sentence != "" {
			p.note(e.Sentence)
		}
	case event.ContextAdded, event.StepStarted, event.RequestSent, event.RequestEnded, event.CallWaiting:
	}
}

func (p *printer) call(e event.CallAdded) {
	body, err := transcript.FormatArguments(e.Call.Arguments)
	if err != nil {
		body = string(e.Call.Arguments)
	}
	p.marked(terminal.Bold, "→ "+e.Call.Name, "")
	for line := range strings.Lines(body) {
		p.note("    " + strings.TrimRight(line, "\n"))
	}
}

// output prints the whole lines of what a running call shows.
func (p *printer) output(e event.CallOutput) {
	if e.Omitted > 0 {
		p.outputEnded(e.ID)
		p.note(fmt.Sprintf("  │ [%d bytes not shown]", e.Omitted))
	}
	if p.part == nil {
		p.part = map[string]string{}
	}
	for line := range strings.Lines(p.part[e.ID] + e.Text) {
		p.part[e.ID] = strings.TrimSuffix(line, "\n")
		if p.part[e.ID] != line || len(line) > maxPart {
			p.outputEnded(e.ID)
		}
	}
}

// outputEnded prints the line of a call's output that has no end.
func (p *printer) outputEnded(call string) {
	if line, ok := p.part[call]; ok {
		p.note("  │ " + line)
		delete(p.part, call)
	}
}

func (p *printer) say(text string) {
	fmt.Fprint(p.out, text)
	if text != "" {
		p.midLine = !strings.HasSuffix(text, "\n")
	}
}

func (p *printer) endLine() {
	if p.midLine {
		fmt.Fprintln(p.out)
		p.midLine = false
	}
}

func (p *printer) note(line string) { p.marked("", "", line) }

// marked prints a note that begins with a text in a style.
func (p *printer) marked(style terminal.Style, mark, line string) {
	p.endLine()
	terminal.Print(
		p.notes,
		terminal.Piece{Text: visible.Line(mark), Style: style}, terminal.Piece{Text: visible.Line(line) + "\n"},
	)
}

func progressText(e event.Progress) string {
	text := map[event.Stage]string{
		event.Queued: "waiting for the model", event.Loading: "loading the model", event.Pulling: "fetching the model",
	}[e.Stage]
	if e.Note != "" {
		text += ": " + e.Note
	}
	return text + " …"
}

// endedText is one line about a result: the document holds all of it.
func endedText(e event.CallEnded) (style terminal.Style, mark, line string) {
	style, mark = terminal.Green, "✓"
	switch {
	case e.Denied, e.NotRun:
		style, mark = terminal.Yellow, "–"
	case e.Result.Failed:
		style, mark = terminal.Red, "✗"
	}
	first, rest, more := strings.Cut(strings.TrimSpace(e.Result.Text()), "\n")
	if n := strings.Count(rest, "\n") + 1; more && n == 1 {
		first += " … (1 more line)"
	} else if more {
		first += fmt.Sprintf(" … (%d more lines)", n)
	}
	return style, mark, " " + e.Name + ": " + first
}

// pausedSink holds events back while a question is on the screen, so that nothing is printed between it and its answer.
type pausedSink struct {
	shown event.Sink

	mu    sync.Mutex // guards the fields below
	asks  bool
	later []event.Event
}

// Emit implements agent.Sink.
func (q *pausedSink) Emit(e event.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.later = append(q.later, e)
	if _, over := e.(event.Finished); over || !q.asks {
		q.show()
	}
}

// hold starts to hold events back, until release or the end of the run.
func (q *pausedSink) hold() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asks = true
}

// release shows the events that were held back.
func (q *pausedSink) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asks = false
	q.show()
}

// show shows the events that wait; mu is held.
func (q *pausedSink) show() {
	for _, e := range q.later {
		q.shown.Emit(e)
	}
	q.later = nil
}

// jsonPrinter writes one JSON object a line for each event.
type jsonPrinter struct{ enc *json.Encoder }

// Emit implements agent.Sink.
func (p *jsonPrinter) Emit(e event.Event) {
	line := eventLine(e)
	if line != nil {
		_ = p.enc.Encode(line) // a closed pipe ends the command by itself
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
