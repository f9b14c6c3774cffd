package ollama

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/transport"
	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/internal/network"
)

var (
	errNotOllama = errors.New("the answer is not Ollama's")
	errEarlyEnd  = errors.New("the stream ended without its last line")
)

// failure turns an error of the client into one for people; nil stays nil. ctx is the caller's: its end is reported as
// it is. name is the model that was asked for, if any.
func (b *Backend) failure(ctx context.Context, name string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	failure := b.classify(ctx, name, b.secrets.Error(err))
	if failure.Kind == 0 {
		failure.Kind = model.Refused
	}
	return failure
}

// chatFailure is failure for a chat: there, every error but a clear refusal means that the reply broke off.
func (b *Backend) chatFailure(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err = b.secrets.Error(err)
	failure := b.classify(ctx, name, err)
	if failure.Kind != 0 {
		return failure
	}
	failure.Kind = model.Incomplete
	switch {
	case errors.Is(err, errEarlyEnd):
		failure.Sentence = b.Name() +
			" ended the reply before it was whole: send again; if that happens again, look at the server's log."
	case serverText(err) != "":
		failure.Sentence = fmt.Sprintf("%s broke off the reply and said %s: send again; if that happens again, look "+
			"at the server's log.", b.Name(), transport.Quote(serverText(err)))
	case errors.As(err, new(transport.TooLargeError)):
	case errors.Is(err, bufio.ErrTooLong):
		failure.Sentence = b.Name() +
			" sent a line of more than 8 MB, which no reply needs: choose another model, or look at the server's log."
	case transport.IsJSON(err):
		failure.Sentence = fmt.Sprintf(
			"%s sent a line that is no part of a reply (%s): update Ollama, or set OLLAMA_HOST to where it runs.",
			b.Name(), transport.Short(err),
		)
	default:
		failure.Sentence = fmt.Sprintf(
			"The connection to %s broke off (%s): see that the server still runs, then send again.", b.Name(),
			transport.Short(err),
		)
	}
	return failure
}

// classify makes the error; its Kind is 0 if the answer was cut off or not understood.
func (b *Backend) classify(ctx context.Context, name string, err error) *model.Error {
	kind, sentence := b.explain(err)
	failure := &model.Error{Kind: kind, Sentence: sentence, Cause: err}
	text := serverText(err)
	if needed, limit, ok := tooLong(text); ok {
		failure = transport.TooLong(name, needed, limit, "raise the context size")
		failure.Cause = err
	} else if name != "" && notFound(err, text) {
		failure.Kind, failure.Sentence = model.NotInstalled, b.notInstalled(ctx, name)
	}
	return failure
}

// explain classifies what does not depend on the model. Kind 0 means that the answer was cut off or not understood.
func (b *Backend) explain(err error) (model.Kind, string) {
	var (
		status       api.StatusError
		unauthorized api.AuthorizationError
		dial         *net.OpError
		unknownHost  *net.DNSError
		request      *url.Error
	)
	switch {
	case errors.Is(err, network.ErrOffline):
		return model.Unreachable, fmt.Sprintf("%s was not asked: %s.", b.Name(), transport.Short(err))
	case errors.As(err, &unauthorized):
		return model.Refused, b.Name() + " wants you to sign in: run `ollama signin`."
	case errors.As(err, &status) && status.StatusCode == http.StatusNotFound &&
		strings.Contains(status.ErrorMessage, "page not found"),
		errors.Is(err, errNotOllama):
		return model.Refused, b.notOllama()
	case errors.As(err, &status):
		return model.Refused, fmt.Sprintf(
			"%s refused the request: %s%s", b.Name(), transport.Quote(status.ErrorMessage), advice(status.ErrorMessage),
		)
	case errors.Is(err, transport.ErrRedirect):
		return model.Refused, fmt.Sprintf(
			"What answers at %s is not an Ollama server: it sends on to another address, where nothing is sent. Set "+
				"OLLAMA_HOST to where Ollama runs.",
			b.address(),
		)
	case errors.As(err, new(transport.TooLargeError)):
		return 0, fmt.Sprintf(
			"%s sent an answer of %s, which none needs, so it was not read: set OLLAMA_HOST to where Ollama runs.",
			b.Name(), transport.Short(err),
		)
	case strings.Contains(err.Error(), "server response headers exceeded"): // net/http has no type for it
		return model.Refused, fmt.Sprintf(
			"%s sent a header of more than %d kB, so its answer was not read: set OLLAMA_HOST to where Ollama runs.",
			b.Name(), transport.MaxHeader>>10,
		)
	case errors.As(err, &unknownHost):
		return model.Unreachable, fmt.Sprintf(
			"There is no machine called %q: correct OLLAMA_HOST, which says %s.", b.base.Hostname(), b.address(),
		)
	case errors.As(err, &dial) && dial.Op == "dial", errors.Is(err, context.DeadlineExceeded):
		return model.Unreachable, fmt.Sprintf(
			"No Ollama server answers at %s: start it with `ollama serve`, or set OLLAMA_HOST to where it runs.",
			b.address(),
		)
	case errors.As(err, &request) && strings.Contains(request.Err.Error(), "malformed HTTP"), transport.IsJSON(err):
		return 0, b.notOllama()
	default:
		return 0, fmt.Sprintf(
			"%s did not answer as it should (%s): look at the server's log.", b.Name(), transport.Short(err),
		)
	}
}

func (b *Backend) notOllama() string {
	return fmt.Sprintf("What answers at %s is not an Ollama server: set OLLAMA_HOST to where Ollama runs.", b.address())
}

func (b *Backend) address() string { return b.base.Redacted() }

// serverText is what the server said, if the error is its words. The client passes on an error line, and also a line
// that is not JSON, as a bare error without a type.
func serverText(err error) string {
	if status := (api.StatusError{}); errors.As(err, &status) {
		return status.ErrorMessage
	}
	var (
		request *url.Error
		network net.Error
	)
	switch {
	case errors.As(err, &request), errors.As(err, &network), transport.IsJSON(err), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(
			err, bufio.ErrTooLong,
		), errors.Is(err, errEarlyEnd), errors.Is(err, errNotOllama), errors.Unwrap(err) != nil:
		return ""
	}
	return err.Error()
}

// advice says what to do about refusals that name no remedy.
func advice(text string) string {
	switch {
	case strings.Contains(text, "think value"):
		return " Write think: true or think: false for this model."
	case strings.Contains(text, "does not support thinking"):
		return " Turn thinking off for this model."
	case strings.Contains(text, "does not support"):
		return " Choose another model."
	case strings.Contains(text, "more system memory"), strings.Contains(text, "out of memory"):
		return " Choose a smaller model or a smaller context."
	default:
		return " The server's log may say more."
	}
}

var (
	promptTokens = lazyregexp.New(`n_prompt_tokens\\*"?\s*[:=]\s*(\d+)`)
	contextSize  = lazyregexp.New(`n_ctx\\*"?\s*[:=]\s*(\d+)`)
)

// tooLong recognises a prompt that does not fit, as the versions of Ollama word it, and the numbers if they are given.
func tooLong(text string) (needed, limit int, ok bool) {
	number := func(pattern *regexp.Regexp) (n int) {
		if m := pattern.FindStringSubmatch(text); m != nil {
			n, _ = strconv.Atoi(m[1]) // 0 if it does not fit an int
		}
		return n
	}
	needed, limit = number(promptTokens()), number(contextSize())
	ok = needed > 0 && limit > 0 || strings.Contains(text, "exceeds the context length") ||
		strings.Contains(text, "exceed_context_size") || strings.Contains(text, "exceeds the available context size")
	return needed, limit, ok
}

// notFound distinguishes a missing model from a missing page.
func notFound(err error, text string) bool {
	status, ok := errors.AsType[api.StatusError](err)
	return strings.Contains(text, "not found") && strings.Contains(text, "model") &&
		(!ok || status.StatusCode == http.StatusNotFound)
}
