package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

//go:embed web_search.md
var searchText string

// The bounds of a search.
const (
	maxQuery   = 400
	maxHits    = 8
	maxSnippet = 400
)

type searchInput struct {
	Query string `json:"query"`
}

// hits are the answer of SearXNG.
type hits struct {
	Results []struct {
		Title   string `json:"title"`
		URL     string `json:"url"`
		Content string `json:"content"`
	} `json:"results"`
}

// search is the tool web_search. It asks the endpoint that the user named and nobody else.
func (s *Source) search() tools.Tool {
	spec := tools.Spec{
		Name: Search, Description: searchText, Verb: "search the web:", Effect: effect.Fetches, PerMinute: 30,
	}
	return tools.Define(spec, func(_ context.Context, _ tools.Call, in searchInput) (tools.Plan, error) {
		query := strings.Join(strings.Fields(in.Query), " ")
		if query == "" || len(query) > maxQuery {
			return tools.Plan{}, fmt.Errorf("query must be 1 to %d bytes long", maxQuery)
		}
		u, err := endpoint(s.options.Endpoint())
		if err != nil {
			return tools.Plan{}, err
		}
		host := u.Hostname()
		// the user named it: it may be on this machine
		c := client{s.options.Connect, func(asked, _ string) bool { return asked == host }}
		u.RawQuery = url.Values{"q": {query}, "format": {"json"}}.Encode()
		return tools.Plan{
			Target: query, Binding: policy.Bind(u.String()), Host: host, Preview: "GET " + u.String() + "\n",
			Run: func(ctx context.Context, _ tools.Reporter) tools.Result {
				p, err := c.get(ctx, u)
				if err != nil {
					return tools.FailedBy(err)
				}
				text, err := p.hits()
				if err != nil {
					return tools.FailedBy(err)
				}
				return tools.Text(text)
			},
		}, nil
	})
}

// endpoint is the address of searches at a SearXNG server.
func endpoint(setting string) (*url.URL, error) {
	u, err := parse(setting)
	if err != nil {
		return nil, fmt.Errorf("the setting searchEndpoint cannot be used: %w", err)
	}
	if !strings.HasSuffix(u.Path, "/search") {
		u = u.JoinPath("search")
	}
	return u, nil
}

// hits lists what was found.
func (p page) hits() (string, error) {
	var found hits
	switch {
	case p.next != nil:
		return "", fmt.Errorf("the search endpoint redirects to %s: name that in the setting searchEndpoint", p.next)
	case p.cut:
		return "", errors.New("the answer of the search endpoint is too long")
	}
	if err := json.Unmarshal(p.body, &found); err != nil {
		return "", errors.New(
			"the search endpoint did not answer with JSON: a SearXNG server needs json in its setting search.formats",
		)
	}
	var b strings.Builder
	for i, hit := range found.Results[:min(len(found.Results), maxHits)] {
		fmt.Fprintf(&b, "%d. %s\n   %s\n   %s\n", i+1, line(hit.Title), line(hit.URL), line(hit.Content))
	}
	if b.Len() == 0 {
		return "Nothing was found.", nil
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// line is a text of somebody else on one line, and not too long.
func line(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxSnippet {
		text = strings.ToValidUTF8(text[:maxSnippet], "") + " …"
	}
	return text
}
