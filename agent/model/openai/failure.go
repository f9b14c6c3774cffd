package openai

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/transport"
	"github.com/assent-ls/assent/internal/network"
)

var (
	errEarlyEnd = errors.New("the stream ended before the reply was whole")
	errBroken   = errors.New("the server could not end the reply")
	errNoReply  = errors.New("an answer that is no reply")
	errOllama   = errors.New("the server is Ollama")
)

// causeError is a cause whose words hold no secret. Its status is that of the server's refusal, if that is what it was.
type causeError struct {
	words  string
	status int
}

func (e *causeError) Error() string { return e.words }

// failure turns an error into one for people; nil stays nil. ctx is the caller's: its end is reported as it is. name is
// the model that was asked for, if any. begun says that a part of the reply has arrived.
func (b *Backend) failure(ctx context.Context, name string, begun bool, err error) error {
	switch failure, ok := errors.AsType[*model.Error](err); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case ok:
		return failure
	}
	cause := &causeError{words: b.secrets.Hide(err.Error())}
	var failure *model.Error
	if refused, ok := errors.AsType[*serverError](err); ok {
		failure, cause.status = b.fromServer(ctx, name, refused), refused.status
	} else {
		failure = b.broken(err)
	}
	if begun && failure.Kind != model.ContextTooLong {
		failure.Kind = model.Incomplete
	}
	failure.Sentence, failure.Cause = b.secrets.Hide(failure.Sentence), cause
	return failure
}

func say(kind model.Kind, format string, args ...any) *model.Error {
	return &model.Error{Kind: kind, Sentence: fmt.Sprintf(format, args...)}
}

// fromServer classifies what the server said.
func (b *Backend) fromServer(ctx context.Context, name string, e *serverError) *model.Error {
	words := transport.Quote(b.secrets.Hide(e.text)) // quoted first, a secret would look otherwise
	said := words
	if e.html || e.text == "" {
		said = e.Error()
	}
	switch {
	case e.overflow():
		return transport.TooLong(name, e.needed, e.limit, "start the server with a larger context")
	case name != "" && e.noModel():
		return say(model.NotInstalled, "%s", b.notServed(ctx, name))
	case e.refusesKey():
		if b.config.Key == nil {
			return say(model.Refused, "%s wants a key: name one in servers.json.", b.Name())
		}
		return say(model.Refused, "%s does not accept the key: see which one servers.json names.", b.Name())
	case e.loading():
		return say(model.Refused, "%s still loads its model: try again in a moment.", b.Name())
	case e.status == http.StatusTooManyRequests:
		return say(model.Refused, "%s has too much to do and said %s: try again later.", b.Name(), words)
	case e.status == http.StatusRequestEntityTooLarge:
		return say(model.Refused, "%s, or what stands before it, takes no request of this size: start a new chat, "+
			"send fewer files, or raise the limit there.", b.Name())
	case e.html && e.status >= http.StatusInternalServerError:
		return say(model.Refused, "What stands before %s cannot reach it (%s): see that the server runs, then send "+
			"again.", b.Name(), e.Error())
	case e.html, e.status == http.StatusNotFound, e.status == http.StatusMethodNotAllowed, e.odd && e.text == "":
		return say(model.Refused,
			"What answers at %s does not speak the OpenAI protocol (%s): correct the URL of %s in servers.json.",
			b.root, said, b.Name())
	case e.odd:
		return say(model.Refused,
			"%s sent an answer that is no JSON (%s): correct its URL in servers.json, or look at the server's log.",
			b.Name(), words)
	case e.text == "":
		return say(model.Refused, "%s refused the request with status %d: the server's log may say why.",
			b.Name(), e.status)
	default:
		return say(model.Refused, "%s refused the request: %s%s", b.Name(), words, advice(e.text))
	}
}

// broken classifies what has no words of the server.
func (b *Backend) broken(err error) *model.Error {
	var (
		dial        *net.OpError
		unknownHost *net.DNSError
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
	)
	switch text := transport.Short(err); {
	case errors.Is(err, transport.ErrKey):
		return say(model.Refused,
			"The key of %s cannot be had (%s): see what servers.json names.",
			b.Name(), text)
	case errors.Is(err, network.ErrOffline):
		return say(model.Unreachable, "%s was not asked: %s.", b.Name(), text)
	case errors.Is(err, errOllama):
		return say(model.Refused,
			"The server at %s is Ollama, whose own protocol does more: declare it with the kind ollama.", b.root)
	case errors.Is(err, transport.ErrRedirect):
		return say(model.Refused,
			"%s sends on to another address, where nothing is sent: write that address into servers.json if you "+
				"trust it.",
			b.Name())
	case errors.Is(err, transport.ErrPacked):
		return say(model.Refused,
			"%s sent an answer that is compressed, which nobody asked for: turn that off there.", b.Name())
	case errors.As(err, &certificate), errors.As(err, &authority):
		return say(model.Unreachable,
			"The certificate of %s is not trusted (%s): name its certificate in servers.json, or correct the URL.",
			b.Name(), text)
	case strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return say(model.Unreachable, "%s speaks plain http: write http:// in servers.json.", b.Name())
	case strings.Contains(err.Error(), "server response headers exceeded"): // net/http has no type for it
		return say(model.Refused,
			"%s sent a header of more than %d kB, so its answer was not read: correct its URL in servers.json.",
			b.Name(), transport.MaxHeader>>10)
	case errors.As(err, &unknownHost):
		return say(model.Unreachable,
			"There is no machine called %q: correct the URL of %s in servers.json.",
			unknownHost.Name, b.Name())
	case errors.As(err, &dial) && dial.Op == "dial", errors.Is(err, context.DeadlineExceeded):
		return say(model.Unreachable,
			"No server answers at %s: start %s, or correct its URL in servers.json.",
			b.root, b.Name())
	case errors.As(err, new(transport.TooLargeError)):
		return say(model.Refused,
			"%s sent an answer of %s, which none needs, so it was not read: look at the server's log.",
			b.Name(), text)
	case errors.Is(err, bufio.ErrTooLong):
		return say(model.Incomplete,
			"%s sent a line of more than %d MB, which no reply needs: look at the server's log.",
			b.Name(), maxLine>>20)
	case errors.Is(err, errEarlyEnd):
		return say(model.Incomplete,
			"%s ended the reply before it was whole: send again; if that happens again, look at the server's log.",
			b.Name())
	case errors.Is(err, errBroken):
		return say(model.Incomplete, "%s broke off in the reply: %s; send again, or look at the server's log.",
			b.Name(), text)
	case errors.Is(err, errNoReply), strings.Contains(err.Error(), "malformed HTTP"), transport.IsJSON(err):
		return say(model.Refused,
			"What answers at %s does not speak the OpenAI protocol: correct the URL of %s in servers.json.",
			b.root, b.Name())
	default:
		return say(model.Incomplete,
			"The connection to %s broke off (%s): see that the server still runs, then send again.",
			b.Name(), text)
	}
}

// notServed says what to do about a model that the server does not have, and names the nearest ones.
func (b *Backend) notServed(ctx context.Context, name string) string {
	sentence := fmt.Sprintf("%s has no model %q", b.Name(), name)
	var served []string
	if models, err := b.listSoon(ctx); err == nil {
		for _, m := range models {
			served = append(served, m.shown)
		}
	}
	if near := transport.Nearest(name, served); len(near) > 0 {
		return sentence + ": choose one that it has, such as " + strings.Join(near, ", ") + "."
	}
	return sentence + ": correct its name."
}

// advice says what to do about refusals that name no remedy.
func advice(text string) string {
	switch {
	case transport.Mentions(text, "enable-auto-tool-choice"):
		return " Start the server with it, or choose another format for calls."
	case transport.Mentions(text, "image", "multimodal"):
		return " Send no image, or choose another model."
	case transport.Mentions(text, "out of memory"):
		return " Choose a smaller model or a smaller context."
	default:
		return " The server's log may say more."
	}
}
