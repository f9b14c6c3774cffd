package trace

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// A batch is sent as soon as it has so many spans, or bytes.
const (
	maxSpans = 64
	maxBatch = 512 << 10
)

// maxToolName is how many characters the name of a tool may have.
const maxToolName = 64

// run turns the events of one run into spans. Only the run's goroutine uses it.
type run struct {
	exporter *Exporter
	warn     func(string)
	root     span
	server   model.Endpoint // that answers; zero until the run has begun
	spans    []span         // that are over and not sent yet
	size     int            // bytes of the texts in spans, about

	steps, malformed int
	input, output    int // tokens of all requests

	chat      *span // the last request, until all of its reply is known; nil: there is none
	answered  time.Time
	reply     reply
	arguments map[string]string // by call, with content alone

	calls callTimes
}

func newRun(e *Exporter, chat string, warn func(string)) *run {
	began := time.Now()
	r := &run{exporter: e, warn: warn, arguments: map[string]string{}}
	r.root = span{TraceID: newID(16), ID: newID(8), Name: "invoke_agent assent", Kind: kindInternal, began: began}
	r.root.text("gen_ai.operation.name", "invoke_agent")
	r.root.text("gen_ai.agent.name", "assent")
	r.root.text("gen_ai.conversation.id", conversationID(chat))
	return r
}

// now is the time on the clock of the beginning, so that a clock that is set meanwhile turns no span round.
func (r *run) now() time.Time { return r.root.began.Add(time.Since(r.root.began)) }

// Emit implements agent.Sink.
func (r *run) Emit(emitted event.Event) {
	now := r.now()
	switch e := emitted.(type) {
	case event.Started:
		r.root.text("gen_ai.request.model", name(e.Model))
		r.root.count("assent.context.size", e.ContextSize)
		r.root.text("assent.model.host", name(e.Host))
		r.server = e.Server
	case event.Progress:
		r.calls.progress(e.Stage, now)
	case event.StepStarted:
		r.steps++
	case event.RequestSent:
		r.endChat(now)
		r.calls = callTimes{waitedInAll: r.calls.waitedInAll}
		r.beginChat(e.Request, now)
	case event.RequestEnded:
		r.answer(e, now)
	case event.TextDelta:
		if r.exporter.Content {
			r.reply.text.WriteString(e.Text)
		}
	case event.CallAdded:
		if r.exporter.Content {
			r.reply.calls = append(r.reply.calls, e)
		}
		r.calledWith(e.Call.ID, e.Call.Arguments)
	case event.CallMalformed:
		r.malformed++
	case event.CallWaiting: // a person may have changed its arguments
		for _, call := range e.Question.Calls() {
			r.calledWith(call.CallID, call.Arguments)
		}
	case event.StepEnded:
		r.endChat(now)
	case event.CallEnded:
		r.call(e, now)
	case event.Finished:
		r.finish(e, now)
	}
}

// calledWith keeps the arguments of a call until it ends.
func (r *run) calledWith(call string, arguments json.RawMessage) {
	if r.exporter.Content {
		r.arguments[call] = bounded(string(arguments))
	}
}

// child begins a span below the run's.
func (r *run) child(operation, of string, kind int, began time.Time) span {
	s := span{
		TraceID: r.root.TraceID, ID: newID(8), ParentID: r.root.ID, Name: operation + " " + name(of), Kind: kind,
		began: began,
	}
	s.text("gen_ai.operation.name", operation)
	return s
}

// call makes the span of a call that ended.
func (r *run) call(e event.CallEnded, now time.Time) {
	began, ended, waited := r.calls.ended(e, now)
	tool := toolName(e.Name)
	s := r.child("execute_tool", tool, kindInternal, began)
	s.text("gen_ai.tool.name", tool)
	s.text("gen_ai.tool.call.id", e.ID)
	s.text("gen_ai.tool.type", "function")
	s.seconds("assent.call.waited", waited)
	s.text("assent.call.outcome", outcome(e))
	if r.exporter.Content {
		s.text("gen_ai.tool.call.arguments", r.arguments[e.ID])
		s.text("gen_ai.tool.call.result", bounded(e.Result.Text()))
		delete(r.arguments, e.ID)
	}
	if outcome(e) == "failed" {
		s.fail("tool_error", "")
	}
	r.end(s, ended)
}

// provider is what a model server is, as the conventions name it: they let one that is not in their list have its own
// name.
func provider(server model.Endpoint) string { return cmp.Or(name(server.Kind), "_OTHER") }

// toolName is the name of a tool as a span has it. That of a tool that does not exist is what the model wrote, and may
// be any text.
func toolName(name string) string {
	odd := strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
	if name == "" || len(name) > maxToolName || odd != "" {
		return "_OTHER"
	}
	return name
}

// end ends a span and keeps it, or sends all that are kept.
func (r *run) end(s span, at time.Time) {
	s.end(at)
	r.spans = append(r.spans, s)
	r.size += s.size
	if len(r.spans) >= maxSpans || r.size >= maxBatch {
		r.send(nil) // a sentence in the middle of a run could be between a question and its answer
	}
}

func (r *run) send(warn func(string)) {
	r.exporter.put(batch{r.spans, warn})
	r.spans, r.size = nil, 0
}

// finish ends the run's own span and sends what is left.
func (r *run) finish(e event.Finished, now time.Time) {
	r.endChat(now)
	r.calls.progress(0, now)
	s := &r.root
	s.text("gen_ai.provider.name", provider(r.server))
	s.count("gen_ai.usage.input_tokens", r.input)
	s.count("gen_ai.usage.output_tokens", r.output)
	s.count("assent.run.steps", r.steps)
	s.count("assent.run.malformed_calls", r.malformed)
	s.seconds("assent.run.waited", r.calls.waitedInAll)
	s.text("assent.run.outcome", outcomes[e.Outcome])
	switch e.Outcome {
	case event.Broken:
		s.fail(errorType(e.Err), r.message(e.Sentence))
	case event.Exhausted:
		s.fail("exhausted", r.message(e.Sentence))
	case event.Completed, event.Stopped, event.Unanswered:
	}
	r.end(r.root, now)
	r.send(r.warn)
}

// message is a sentence about a failure, which may name files and repeat texts.
func (r *run) message(sentence string) string {
	if !r.exporter.Content {
		return ""
	}
	return bounded(sentence)
}
