package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/assent-ls/assent/agent/model"
)

// consents remembers, until the process ends, which models that run elsewhere a person wants in which chat.
type consents struct {
	mu    sync.Mutex
	given map[consent]bool // guarded by mu
}

// consent is for a model as it was described: under the same name another one may run at another place later.
type consent struct{ chat, model, host string }

func (c *consents) Give(chat string, info model.Info) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given[consent{chat, info.Name, info.RemoteHost}] = true
}

func (c *consents) has(chat string, info model.Info) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.given[consent{chat, info.Name, info.RemoteHost}]
}

// forbiddenError refuses what no answer of a person allows.
type forbiddenError struct{ sentence string }

func (e *forbiddenError) Error() string { return e.sentence }

// IsForbidden reports whether an error of [Engine.Permit] is one that no answer changes.
func IsForbidden(err error) bool {
	_, ok := errors.AsType[*forbiddenError](err)
	return ok
}

// Permit refuses a model of a server that nobody declared or approved, and one that runs elsewhere, unless the user
// named it themselves, said yes to it in this chat, or declared that its server gets everything.
func (e *Engine) Permit(chat string, o Options, info model.Info) error {
	if info.Found != nil {
		return &model.Error{Kind: model.Refused, Sentence: fmt.Sprintf(
			"%s is on a server that nobody declared, at %s, and you did not approve it yet, so nothing was sent: "+
				"answer the question in a chat, or declare the server in servers.json.",
			info.Name, info.Found.Address)}
	}
	host := info.Elsewhere()
	if host != "" && !info.Send.Allows(cmp.Or(o.Folder, chat)) {
		return &forbiddenError{fmt.Sprintf(
			"%s runs at %s, and servers.json lets only chats in %s go there, so nothing was sent: choose another "+
				"model, or add this folder to send.",
			info.Name, host, strings.Join(info.Send.Folders, ", "),
		)}
	}
	named := func(own string) bool { return model.SameName(own, info.Name) }
	if host == "" || info.Send.Unasked || slices.ContainsFunc(o.UserModels, named) || e.Consents.has(chat, info) {
		return nil
	}
	return &model.Error{Kind: model.Refused, Sentence: fmt.Sprintf(
		"%s runs at %s and you did not name it yourself, so nothing was sent: name it with --model or in your "+
			"settings file, or choose another model.",
		info.Name, host)}
}

// PermitNow is Permit for one more request of a run, by what the user lets go to the server of the model by now.
func (e *Engine) PermitNow(chat string, o Options, info model.Info) error {
	if limits, ok := e.backend.(model.Limiter); ok && info.Elsewhere() != "" {
		var err error
		if info.Send, err = limits.Sending(info.Name); err != nil {
			return err
		}
	}
	return e.Permit(chat, o, info)
}

var ErrMoved = errors.New("the model runs somewhere else by now, which nobody was asked about")

// MovedTo is where a part of a reply was written, if that is another machine than was told of the model; empty: it is
// not.
func MovedTo(info model.Info, chunk model.Chunk) string {
	if host := (model.Info{RemoteHost: chunk.RemoteHost}).Elsewhere(); host != info.Elsewhere() {
		return host
	}
	return ""
}

// Moved is the error of a reply that came from elsewhere though the model was said to run here: it was replaced
// meanwhile.
func Moved(info model.Info, host string) error {
	return &model.Error{Kind: model.Incomplete, Sentence: fmt.Sprintf(
		"%s runs at %s by now, which nobody was asked about, so its reply was not taken: see what `ollama list` "+
			"says about it.",
		info.Name, host)}
}
