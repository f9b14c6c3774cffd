package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxMessage is the largest message that is read, in bytes. A larger one is skipped and answered with a parse error.
const maxMessage = 128 << 20

// maxSkipped is the largest announced length that is believed when a message is too large to read: beyond it the header
// is taken for garbage, and reading goes on at the next header.
const maxSkipped = 4 << 30

// frameError says that the bytes between two messages, or one message, could not be used. The reader is behind
// them: reading may go on.
type frameError struct{ reason string }

func (e *frameError) Error() string { return e.reason }

// readFrame reads one message of the base protocol: header lines, an empty line, a body of Content-Length bytes. It
// returns io.EOF between messages, io.ErrUnexpectedEOF inside one, and a *frameError after which it may be called
// again.
func readFrame(r *bufio.Reader, limit int64) ([]byte, error) {
	length, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	if length > limit {
		reason := fmt.Sprintf("a message of %d bytes is larger than the limit of %d", length, limit)
		if length <= maxSkipped {
			if _, err := io.CopyN(io.Discard, r, length); err != nil {
				return nil, unexpected(err)
			}
		}
		return nil, &frameError{reason}
	}
	// The buffer grows with what arrives, not with what is announced.
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r, length); err != nil {
		return nil, unexpected(err)
	}
	return body.Bytes(), nil
}

// readHeader reads up to the empty line and returns the announced length. After anything that is no header it skips to
// the next Content-Length and returns a *frameError: a burst of garbage is one error.
func readHeader(r *bufio.Reader) (int64, error) {
	length := int64(-1)
	for first := true; ; first = false {
		line, err := r.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if first && len(line) == 0 && errors.Is(err, io.EOF) {
				return 0, io.EOF
			}
			return 0, unexpected(err)
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 && length >= 0 {
			return length, nil
		}
		name, value, ok := strings.Cut(string(line), ":")
		if !ok {
			return 0, resync(r, "the input is not a message with a Content-Length header")
		}
		// After a length that was too short the header is behind the rest of a body.
		if !strings.HasSuffix(asciiLower(strings.TrimSpace(name)), "content-length") {
			if i := strings.LastIndex(asciiLower(value), "content-length:"); i >= 0 {
				value = value[i+len("content-length:"):]
			} else {
				continue
			}
		}
		length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil || length < 0 {
			return 0, resync(r, "a Content-Length that is no size")
		}
	}
}

// asciiLower keeps every byte's place, which strings.ToLower does not in broken UTF-8.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// resync skips to the next Content-Length, which stays unread.
func resync(r *bufio.Reader, reason string) error {
	const header = "content-length:"
	for {
		peek, err := r.Peek(len(header))
		if len(peek) < len(header) {
			return unexpected(err)
		}
		if strings.EqualFold(string(peek), header) {
			return &frameError{reason}
		}
		if _, err := r.Discard(1); err != nil {
			return unexpected(err)
		}
	}
}

// unexpected turns the end of the input into the end inside a message.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
