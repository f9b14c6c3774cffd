package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
)

const (
	byteOrder   = "\xef\xbb\xbf"  // a mark that some servers begin with
	firstBuffer = 4 << 10         // bytes for a line of a reply, at first
	tailTime    = 5 * time.Second // for what comes behind the last token: some servers leave the connection open
	maxCalls    = 1000            // of one reply

	// A reply came at once if it has that many pieces, took that long, and all came within that time.
	atOncePieces = 20
	atOnceWait   = 2 * time.Second
	atOnceSpan   = 50 * time.Millisecond
)

// reader reads one reply.
type reader struct {
	each    func(model.Chunk) error
	streams bool // it was asked to stream

	calls     assembler
	usage     *wireUsage
	timings   *wireTimings
	reason    string
	finished  bool // a reason came
	whole     bool // it came as one message
	inPieces  bool // it came in pieces
	said      bool // text came
	thought   bool // thinking came
	field     string
	pieces    int
	reading   model.Reading
	sent      time.Time
	first     time.Time
	last      time.Time
	lineAfter []byte        // data of an event that goes on
	tail      *time.Timer   // ends the reading when nothing comes behind the last token
	body      io.ReadCloser // of the answer
	stopped   error         // what each returned
}

// errDone ends the reading of a stream whose last event has come.
var errDone = errors.New("the reply is whole")

// read reads the answer to its end. Text and thinking go to each as they come; calls are kept.
func (r *reader) read(body io.ReadCloser) error {
	r.body = body
	defer func() {
		if r.tail != nil {
			r.tail.Stop()
		}
	}()
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, firstBuffer), maxLine)
	for first := true; lines.Scan(); first = false {
		line := lines.Bytes()
		if first {
			line = bytes.TrimPrefix(line, []byte(byteOrder))
		}
		if whole := bytes.TrimSpace(line); r.pieces == 0 && len(r.lineAfter) == 0 && isAnswer(whole) {
			return r.readAnswer(append(bytes.Clone(line), '\n'), lines)
		}
		if err := r.line(line); errors.Is(err, errDone) {
			return r.broken()
		} else if err != nil {
			return err
		}
	}
	err := lines.Err()
	if len(r.lineAfter) > 0 && err == nil {
		err = r.event(r.lineAfter)
	}
	switch {
	case errors.Is(err, errDone), r.finished && (err == nil || !errors.Is(err, bufio.ErrTooLong)):
		return r.broken() // what is lost behind the last token is the count at most
	case err == nil:
		return errEarlyEnd
	}
	return err
}

// broken is an error if the server says that it could not end the reply.
func (r *reader) broken() error {
	switch r.reason {
	case "error", "abort", "aborted", "failed":
		return fmt.Errorf("%w (%s)", errBroken, r.reason)
	}
	return nil
}

// isAnswer reports whether a line begins an answer that is no stream: an object, a string, a list or a page.
func isAnswer(line []byte) bool {
	return len(line) > 0 && bytes.IndexByte([]byte(`{["<`), line[0]) >= 0
}

// readAnswer reads an answer that does not stream.
func (r *reader) readAnswer(text []byte, lines *bufio.Scanner) error {
	for lines.Scan() && len(text) < maxLine {
		text = append(append(text, lines.Bytes()...), '\n')
	}
	if err := lines.Err(); err != nil {
		return err
	}
	values := json.NewDecoder(bytes.NewReader(text))
	for {
		var value json.RawMessage
		err := values.Decode(&value)
		switch {
		case errors.Is(err, io.EOF) && r.pieces == 0:
			return errNoReply
		case errors.Is(err, io.EOF), err != nil && r.finished:
			return r.broken()
		case err != nil:
			e := newServerError(http.StatusOK, text)
			e.odd = true
			return e
		}
		if err := r.event(value); errors.Is(err, errDone) {
			return r.broken()
		} else if err != nil {
			return err
		}
	}
}

// line takes a line of the stream. Events end with an empty line; those who leave it out are understood, too.
func (r *reader) line(line []byte) error {
	line = bytes.TrimSpace(line)
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		data, ok = bytes.CutPrefix(line, []byte("error:")) // of old servers of llama.cpp
	}
	switch {
	case ok && len(r.lineAfter)+len(data) > maxLine:
		return bufio.ErrTooLong
	case ok:
		r.lineAfter = append(append(r.lineAfter, bytes.TrimSpace(data)...), '\n')
		if event := bytes.TrimSpace(r.lineAfter); !isDone(event) && !json.Valid(event) {
			return nil
		}
	case len(line) > 0: // a comment, which keeps the connection open, or the name or id of an event
		if known, _, colon := bytes.Cut(line, []byte(":")); colon && isField(string(known)) {
			return nil
		}
		return &serverError{status: http.StatusOK, text: string(line), odd: true}
	}
	event := bytes.TrimSpace(r.lineAfter)
	r.lineAfter = r.lineAfter[:0]
	return r.event(event)
}

func isField(name string) bool {
	return name == "" || name == "event" || name == "id" || name == "retry"
}

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
	reason := r.reason
	if reason == "" {
		reason = "stop"
	}
	d := done(reason, r.usage, r.timings)
	if d.OutputTime == 0 && !r.first.IsZero() {
		d.OutputTime = r.last.Sub(r.first)
	}
	waited, took := r.first.Sub(r.sent), r.last.Sub(r.first)
	d.AtOnce = r.streams && (r.whole || r.pieces >= atOncePieces && waited >= atOnceWait && took < atOnceSpan)
	return model.Chunk{Calls: r.calls.whole(), Done: d}
}
