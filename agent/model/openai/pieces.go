package openai

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
)

// event takes one event: a piece of the reply, its end, or an error in its place.
func (r *reader) event(data []byte) error {
	switch {
	case len(data) == 0:
		return nil
	case isDone(data):
		return errDone
	}
	var c wireChunk
	err := decode(data, &c)
	if len(c.Choices) == 0 {
		if e := newServerError(http.StatusOK, data); e.inside {
			return e
		}
	}
	if err != nil {
		return &serverError{status: http.StatusOK, text: string(data), odd: true}
	}
	if len(c.Choices) == 0 && c.Usage == nil && c.Progress == nil && !isPiece(data) {
		return nil // a sign of life, or what is no reply
	}
	if err := r.take(c); err != nil || !present(c.Error) {
		return err
	}
	return newServerError(http.StatusOK, data)
}

func isDone(data []byte) bool { return string(data) == "[DONE]" || string(data) == `"[DONE]"` }

// isPiece reports whether an object without a choice may be a piece of a reply.
func isPiece(data []byte) bool {
	return bytes.Contains(data, []byte(`"chat.completion`)) || bytes.Contains(data, []byte(`"choices"`))
}

func (r *reader) take(c wireChunk) error {
	r.pieces++
	if c.Usage != nil {
		r.usage = c.Usage
	}
	if c.Timings != nil {
		r.timings = c.Timings
	}
	if p := c.Progress; p != nil && p.Total > 0 {
		if now := (model.Reading{Done: int(min(p.Processed, p.Total)), Total: int(p.Total)}); now != r.reading {
			r.reading = now
			if err := r.give(model.Chunk{Reading: &now}); err != nil {
				return err
			}
		}
	}
	at := slices.IndexFunc(c.Choices, func(choice wireChoice) bool { return choice.Index == 0 }) // one is asked for
	if at < 0 {
		return nil
	}
	choice := c.Choices[at]
	if choice.Delta == nil && choice.Message == nil && choice.Text != "" {
		choice.Delta = &wireMessage{Content: choice.Text}
	}
	if m := choice.Delta; m != nil {
		r.inPieces = r.inPieces || m.says()
		if err := r.message(m); err != nil {
			return err
		}
	}
	if m := choice.Message; m != nil && !r.inPieces { // else it repeats what came
		r.whole = true
		if err := r.message(m); err != nil {
			return err
		}
	}
	if choice.FinishReason != nil && *choice.FinishReason != "" {
		r.reason, r.finished = *choice.FinishReason, true
		if r.tail == nil {
			r.tail = time.AfterFunc(tailTime, func() { _ = r.body.Close() })
		}
	}
	return nil
}

// says reports whether a piece adds anything.
func (m *wireMessage) says() bool {
	return m.Content+m.Refusal+m.Reasoning+m.ReasoningContent != "" || len(m.Calls) > 0 || m.Call != nil
}

func (r *reader) message(m *wireMessage) error {
	if r.tail != nil && m.says() {
		r.tail.Reset(tailTime) // the end that was told was none
	}
	r.calls.add(m)
	if len(r.calls.calls) > maxCalls {
		return &serverError{status: http.StatusOK, text: "more calls than any reply has", odd: true}
	}
	thinking := string(m.Reasoning)
	switch {
	case thinking != "":
		r.field = "reasoning"
	case m.ReasoningContent != "":
		thinking, r.field = string(m.ReasoningContent), "reasoning_content"
	}
	content := cmp.Or(m.Content, m.Refusal)
	r.thought = r.thought || strings.TrimSpace(thinking) != ""
	r.said = r.said || strings.TrimSpace(string(content)) != ""
	if thinking == "" && content == "" {
		return nil
	}
	r.last = time.Now()
	if r.first.IsZero() {
		r.first = r.last
	}
	return r.give(model.Chunk{Thinking: thinking, Text: string(content)})
}

func (r *reader) give(c model.Chunk) error {
	r.stopped = r.each(c)
	return r.stopped
}

// end is the last chunk, with the calls.
func (r *reader) end() model.Chunk {
	d := done(cmp.Or(r.reason, "stop"), r.usage, r.timings)
	if d.OutputTime == 0 && !r.first.IsZero() {
		d.OutputTime = r.last.Sub(r.first)
	}
	waited, took := r.first.Sub(r.sent), r.last.Sub(r.first)
	d.AtOnce = r.streams && (r.whole || r.pieces >= atOncePieces && waited >= atOnceWait && took < atOnceSpan)
	return model.Chunk{Calls: r.calls.whole(), Done: d}
}
