package ollama

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ollama/ollama/api"
	modelname "github.com/ollama/ollama/types/model"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/transport"
)

const (
	maxParts  = 1000    // of a model, that are added up
	maxPart   = 1 << 50 // bytes of one
	maxStatus = 80      // runes of what the server says that it does
)

var _ model.Puller = (*Backend)(nil)

// Source implements [model.Puller]. Of a model in the cloud there is nothing to fetch.
func (b *Backend) Source(name string) model.Source {
	if n := modelname.ParseName(name); n.IsValid() && !strings.Contains(name, "://") &&
		(model.Info{Name: name}).Elsewhere() == "" {
		return model.Source{Name: name, Host: n.Host, Server: b.Name()}
	}
	return model.Source{}
}

// Pull implements [model.Puller].
func (b *Backend) Pull(ctx context.Context, name string, each func(model.Pulled)) error {
	var parts pulledParts
	done := false
	err := b.client.Pull(ctx, &api.PullRequest{Model: name}, func(line api.ProgressResponse) error {
		done = line.Status == "success"
		each(parts.add(line))
		return nil
	})
	if err == nil && !done {
		err = errEarlyEnd
	}
	return b.pullFailure(ctx, name, err)
}

// pulledParts adds up what the server says about the parts of a model, each by its digest.
type pulledParts struct{ done, total map[string]int64 }

func (p *pulledParts) add(line api.ProgressResponse) model.Pulled {
	if p.total == nil {
		p.done, p.total = map[string]int64{}, map[string]int64{}
	}
	if _, known := p.total[line.Digest]; line.Digest != "" && line.Total > 0 && (known || len(p.total) < maxParts) {
		p.total[line.Digest] = min(line.Total, maxPart)
		p.done[line.Digest] = min(max(line.Completed, 0), p.total[line.Digest])
	}
	status := []rune(strings.TrimSpace(line.Status))
	now := model.Pulled{Status: string(status[:min(len(status), maxStatus)])}
	for digest, total := range p.total {
		now.Total += total
		now.Done += p.done[digest]
	}
	return now
}

// pullFailure words why a model could not be fetched.
func (b *Backend) pullFailure(ctx context.Context, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	err = b.secrets.Error(err)
	kind, sentence := b.explain(err)
	text := serverText(err)
	says := func(words ...string) bool { return transport.Mentions(text, words...) }
	switch host := b.Source(name).Host; {
	case kind == model.Unreachable, errors.As(err, new(api.AuthorizationError)), says("page not found"):
	case says("file does not exist", "manifest unknown", "not found"):
		kind, sentence = model.NotInstalled, fmt.Sprintf("There is no model %q at %s: correct its name.", name, host)
	case says("no space left", "not enough space", "disk full", "disk quota"):
		kind, sentence = model.Refused, fmt.Sprintf(
			"The disk of %s has no room for %s (%s): make room there, then try again; what was fetched is kept.",
			b.Name(), name, transport.Quote(text),
		)
	case says(
		"no such host", "dial tcp", "lookup ", "timeout", "connection refused", "network is unreachable", "tls: ",
		"x509: ",
	):
		kind, sentence = model.Refused, fmt.Sprintf(
			"%s cannot reach %s (%s): see that its machine has a connection to it, then try again.", b.Name(), host,
			transport.Quote(text),
		)
	case text != "":
		kind, sentence = model.Refused, fmt.Sprintf(
			"%s could not fetch %s and said %s%s", b.Name(), name, transport.Quote(text), pullAdvice(text),
		)
	case kind != 0:
	case errors.Is(err, errEarlyEnd):
		kind, sentence = model.Incomplete, fmt.Sprintf(
			"%s ended before it had all of %s: try again, which goes on from there.", b.Name(), name,
		)
	case transport.IsJSON(err):
		kind, sentence = model.Refused, b.notOllama()
	default:
		kind, sentence = model.Incomplete, fmt.Sprintf("The connection to %s broke off while it fetched %s (%s): see "+
			"that the server still runs, then try again, which goes on from there.",
			b.Name(), name, transport.Short(err))
	}
	return &model.Error{Kind: kind, Sentence: sentence, Cause: err}
}

func pullAdvice(text string) string {
	if strings.Contains(text, "newer version") {
		return ": update Ollama."
	}
	return ": the server's log may say more."
}
