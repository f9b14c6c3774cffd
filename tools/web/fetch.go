package web

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	htmltomarkdown "github.com/JohannesKaufmann/html-to-markdown/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/web/address"
)

//go:embed web_fetch.md
var fetchText string

// Fetch and Search are the own names of the tools.
const (
	Fetch  = "web_fetch"
	Search = "web_search"
)

// maxShown is how many bytes of a page one result shows.
const maxShown = 8 << 10

type fetchInput struct {
	URL   string `json:"url"`
	Start int    `json:"start,omitempty" jsonschema:"read on from here"`
}

// fetch is the tool web_fetch.
func (s *Source) fetch() tools.Tool {
	spec := tools.Spec{Name: Fetch, Description: fetchText, Verb: "get", Effect: effect.Fetches, PerMinute: 30}
	return tools.Define(spec, func(_ context.Context, _ tools.Call, in fetchInput) (tools.Plan, error) {
		u, err := parse(in.URL)
		if err != nil {
			return tools.Plan{}, err
		}
		if in.Start < 0 {
			return tools.Plan{}, errors.New("start must not be negative")
		}
		c := client{s.options.Connect, s.isPrivate}
		plan := tools.Plan{Target: u.String(), Binding: policy.Bind(u.String()), Host: u.Hostname()}
		if s.isPrivate(u.Hostname(), address.PortOf(u)) {
			plan.Notice = "You listed this host: it may be in your own network."
		}
		plan.Run = func(ctx context.Context, _ tools.Reporter) tools.Result {
			p, err := c.get(ctx, u)
			if err != nil {
				return tools.FailedBy(err)
			}
			if p.next != nil {
				return tools.Failed(fmt.Sprintf(
					"The page redirects to another place, which was not asked. Call web_fetch with %s to go there.",
					p.next,
				))
			}
			text, notice, err := p.text()
			if err != nil {
				return tools.FailedBy(err)
			}
			return tools.Text(shown(text, in.Start, p.cut) + notice)
		}
		return plan, nil
	})
}

// text is the page as Markdown, or as the text that it is, and what is to be said about it: what a page hides from
// people is left out.
func (p page) text() (text, notice string, err error) {
	isHTML := p.kind == "text/html" || p.kind == "application/xhtml+xml" || p.kind == ""
	ends := func(end string) bool { return strings.HasSuffix(p.kind, end) }
	if !isHTML && !strings.HasPrefix(p.kind, "text/") && !ends("json") && !ends("xml") && !ends("javascript") {
		return "", "", fmt.Errorf("the page is %s, which is no text", p.kind)
	}
	if text, err = utf8Text(p.body, p.full); err != nil || !isHTML {
		return text, "", err
	}
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return "", "", fmt.Errorf("the page cannot be read: %w", err)
	}
	parts, cut := hide(doc)
	if parts > 0 {
		notice = fmt.Sprintf("\n[Left out: text that the page hides from people, in %d places.]", parts)
	}
	if cut {
		notice += "\n[The page has too many rules of style to use them all: what it hides may be above.]"
	}
	markdown, err := htmltomarkdown.ConvertNode(doc)
	if err != nil {
		return "", "", fmt.Errorf("the page cannot be read: %w", err)
	}
	return strings.TrimSpace(string(markdown)), notice, nil
}

// utf8Text decodes a page by what its header or its beginning says.
func utf8Text(body []byte, kind string) (string, error) {
	reader, err := charset.NewReader(bytes.NewReader(body), kind)
	if err != nil {
		return "", fmt.Errorf("the characters of the page cannot be read: %w", err)
	}
	text, err := io.ReadAll(reader)
	return strings.ToValidUTF8(string(text), "\uFFFD"), err
}

// shown is a part of a page, and how to read on.
func shown(text string, start int, cut bool) string {
	whole := len(text)
	if start > whole {
		return fmt.Sprintf("[The page has only %d bytes.]", whole)
	}
	for start > 0 && start < whole && !utf8.RuneStart(text[start]) {
		start++
	}
	end := min(start+maxShown, whole)
	for end < whole && !utf8.RuneStart(text[end]) {
		end--
	}
	out := text[start:end]
	switch {
	case out == "":
		return "[The page has no text.]"
	case end < whole:
		out += fmt.Sprintf("\n[Bytes %d to %d of %d. Read on with start %d.]", start, end, whole, end)
	case cut:
		out += fmt.Sprintf("\n[The page goes on: only its first %d MB are read.]", maxBody>>20)
	}
	return out
}
