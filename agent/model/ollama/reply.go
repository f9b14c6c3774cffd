package ollama

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/ollama/ollama/api"
)

const (
	firstBuffer = 4 << 10 // bytes for a line of a reply, at first
	maxLine     = 8 << 20 // bytes of a line
)

// errRead is what the client gets in the place of a reply that was read.
var errRead = errors.New("the reply was read")

// replyTransport reads the lines of a reply itself. The client would make a buffer of 8 MB for each reply, and the
// collection of garbage which that starts held up the first token.
type replyTransport struct {
	next http.RoundTripper
	each func(api.ChatResponse) error
	err  error // of each, or of the reading
}

// RoundTrip implements http.RoundTripper. What is no reply is left to the client.
func (t *replyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err != nil || resp.StatusCode >= http.StatusBadRequest {
		return resp, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	t.err = t.read(resp)
	return nil, errRead
}

// read gives each line to each, with the client's own errors.
func (t *replyTransport) read(resp *http.Response) error {
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 0, firstBuffer), maxLine)
	for lines.Scan() {
		var line struct {
			api.ChatResponse
			Error string `json:"error"`
		}
		err := json.Unmarshal(lines.Bytes(), &line)
		switch {
		case errors.As(err, new(*json.SyntaxError)):
			return errors.New(lines.Text())
		case err != nil:
			return err
		case line.Error != "":
			return errors.New(line.Error)
		}
		if err := t.each(line.ChatResponse); err != nil {
			return err
		}
	}
	return lines.Err()
}
