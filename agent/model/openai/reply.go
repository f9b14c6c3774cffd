package openai

import (
	"bufio"
	"bytes"
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
	return len(line) > 0 && strings.IndexByte(`{["<`, line[0]) >= 0
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
	return slices.Contains([]string{"", "event", "id", "retry"}, name)
}
