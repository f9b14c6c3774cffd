package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model/transport"
	"github.com/assent-ls/assent/internal/lazyregexp"
)

// serverError is what a server said in the place of an answer.
type serverError struct {
	status        int
	text          string // its words
	code          string // its own name for the error
	needed, limit int    // tokens, if it told
	html          bool   // it is a page
	inside        bool   // it came with a status that means success
	odd           bool   // it is no error: it was not understood
	after         time.Duration
	depth         int // of the words within others that were read
}

const deepest = 8 // that an error may be within others

func (e *serverError) Error() string {
	switch {
	case e.html:
		return fmt.Sprintf("a page of HTML with status %d", e.status)
	case e.text == "":
		return fmt.Sprintf("status %d", e.status)
	}
	return e.text
}

// newServerError reads the body of a refusal in any of the forms that servers and gateways give it: an object, a bare
// JSON string, a list of what is wrong, a page, or text.
func newServerError(status int, body []byte) *serverError {
	e := &serverError{status: status}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte(byteOrder)))
	switch {
	case len(body) == 0:
	case body[0] == '<':
		e.html = true
	case body[0] == '{':
		e.readObject(body)
	case body[0] == '"' && json.Unmarshal(body, &e.text) == nil:
		e.inside = true
	default:
		e.text = string(body)
	}
	if e.needed == 0 || e.limit == 0 {
		e.needed, e.limit = tokensIn(e.text)
	}
	return e
}

// readObject finds the words in an object, which may be nested.
func (e *serverError) readObject(body []byte) {
	var o struct {
		Object  string          `json:"object"`
		Error   json.RawMessage `json:"error"`
		Detail  json.RawMessage `json:"detail"`
		Message json.RawMessage `json:"message"`
		Msg     string          `json:"msg"`
		Type    any             `json:"type"`
		Code    any             `json:"code"`
		Needed  float64         `json:"n_prompt_tokens"`
		Limit   float64         `json:"n_ctx"`
		Choices json.RawMessage `json:"choices"`
	}
	if decode(body, &o) != nil {
		e.text = string(body)
		return
	}
	for _, name := range []any{o.Type, o.Code} {
		if s, ok := name.(string); ok && s != "" {
			e.code = strings.TrimSpace(e.code + " " + s)
		}
	}
	e.needed, e.limit = int(min(o.Needed, 1e9)), int(min(o.Limit, 1e9))
	e.inside = e.inside || present(o.Error) || present(o.Detail) && len(o.Choices) == 0 || o.Object == "error"
	for _, words := range []json.RawMessage{o.Error, o.Detail, o.Message} {
		if present(words) {
			e.readWords(words)
			return
		}
	}
	e.text = o.Msg
}

// readWords takes a string, an object or a list of objects.
func (e *serverError) readWords(words json.RawMessage) {
	var list []json.RawMessage
	e.depth++
	switch {
	case e.depth > deepest:
		e.text = string(words)
	case json.Unmarshal(words, &e.text) == nil:
		if inner := strings.TrimSpace(e.text); strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
			e.readObject([]byte(inner)) // gateways put the answer of the server before them into a string
		}
	case words[0] == '{':
		e.readObject(words)
	case json.Unmarshal(words, &list) == nil && len(list) > 0:
		e.readWords(list[0])
	default:
		e.text = string(words)
	}
}

func present(raw json.RawMessage) bool {
	return len(raw) > 0 && string(raw) != "null" && string(raw) != `""` && string(raw) != "false"
}

// In the words of llama.cpp, vLLM, SGLang, LM Studio and gateways, how many tokens there may be and how many there
// were.
var (
	limitWords = lazyregexp.New(`(?i)context (?:length|size|window) ?(?:is|of|:)?(?: only)? \(?(\d+)|` +
		`model length of (\d+)|allowed length \((\d+)|n_ctx\\*"?\s*[:=]\s*(\d+)`)
	neededWords = lazyregexp.New(`(?i)(\d+) (?:tokens )?(?:in|from) the (?:input )?messages|` +
		`prompt contains (?:at least )?(\d+)|request has (\d+) input|request \((\d+) tokens|` +
		`input \((\d+) tokens|input length \((\d+)|prompt \((?:total )?length (\d+)|` +
		`the first (\d+) tokens|messages resulted in (\d+)|` +
		`n_prompt_tokens\\*"?\s*[:=]\s*(\d+)|n_keep\\*"?\s*[:=]\s*(\d+)`)
	totalWords = lazyregexp.New(`(?i)requested (?:a total of )?(\d+) tokens`)
)

// tokensIn finds both numbers of an overflow in a server's words; 0: it does not say.
func tokensIn(text string) (needed, limit int) {
	needed = number(neededWords(), text)
	if needed == 0 {
		needed = number(totalWords(), text)
	}
	return needed, number(limitWords(), text)
}

// number is what the first group that matched holds.
func number(re *regexp.Regexp, text string) int {
	for _, group := range re.FindStringSubmatch(text) { // the whole match is no number
		if n, err := strconv.Atoi(group); err == nil {
			return n
		}
	}
	return 0
}

// overflow reports whether a prompt did not fit.
func (e *serverError) overflow() bool {
	if e.status == http.StatusTooManyRequests || e.html || e.odd {
		return false // a limit of tokens for a minute is none of the context
	}
	says := func(words ...string) bool { return transport.Mentions(e.code+" "+e.text, words...) }
	return e.needed > 0 && e.limit > 0 ||
		says("exceed_context_size", "context_length_exceeded", "contextwindowexceeded", "available context size") ||
		says("context length", "context window", "maximum model length") &&
			says("exceed", "longer than", "too long", "too large", "overflow", "reduce the length")
}

// loading reports whether llama.cpp's server is not ready yet.
func (e *serverError) loading() bool {
	return e.status == http.StatusServiceUnavailable && strings.Contains(e.text, "Loading model")
}

// later reports whether the same request may be answered a little later; a nil error is none.
func (e *serverError) later() bool {
	if e == nil || e.after > longestAfter {
		return false
	}
	switch e.status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return !e.overflow()
	}
	return false
}

// refusesKey reports whether the server wants a key, or another one. LiteLLM without a database looks for a key that it
// does not know there, and says only that it has none.
func (e *serverError) refusesKey() bool {
	return e.status == http.StatusUnauthorized || e.status == http.StatusForbidden ||
		strings.Contains(e.code, "no_db_connection")
}

// noModel reports whether the server does not have the model.
func (e *serverError) noModel() bool {
	return strings.Contains(e.code, "model_not_found") || transport.Mentions(e.text, "invalid model name") ||
		e.status == http.StatusNotFound && transport.Mentions(e.text, "model") && !e.html
}

// retryAfter reads the header in seconds; what is no number counts as nothing.
func retryAfter(text string) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 0 || n > 3600 {
		return 0
	}
	return time.Duration(n) * time.Second
}
