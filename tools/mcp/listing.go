package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/mcp/tooldef"
)

// listing is what a server lists, and what of it is left out: sentences without their end.
type listing struct {
	tools    []*tooldef.Definition
	problems []error
}

const (
	maxProblems = 5   // how many tools that are left out are named one by one
	maxWhy      = 300 // characters of why one is
)

// fresh makes the listing the one of now, if the server said that it changed. Nobody calls a tool of a list that is
// being asked for again.
func (c *connection) fresh(ctx context.Context) error {
	select {
	case c.relisting <- struct{}{}:
		defer func() { <-c.relisting }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if !c.outdated.Swap(false) {
		return nil
	}
	err := c.list(ctx)
	if err != nil {
		c.outdated.Store(true)
	}
	return err
}

// list asks the server for its tools, page by page.
func (c *connection) list(ctx context.Context) error {
	var l listing
	names, left := map[string]bool{}, 0
	leave := func(format string, args ...any) {
		if left++; left <= maxProblems {
			l.problems = append(l.problems, fmt.Errorf(format, args...))
		}
	}
	seen := map[string]bool{}
	for cursor := ""; ; {
		page, err := c.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return c.listFailed(ctx, err)
		}
		for _, t := range page.Tools {
			if len(l.tools) == tooldef.MaxTools {
				l.problems = append(
					l.problems, fmt.Errorf("it lists more than %d tools: the others are left out", tooldef.MaxTools),
				)
				c.listed.Store(&l)
				return nil
			}
			d, err := tooldef.Read(withoutSecrets(t, c.hide))
			shown := visible.ForeignText(t.Name).Quote(80)
			switch {
			case err != nil:
				leave("its tool %s is left out: it %s", shown, visible.ForeignText(err.Error()).Line(maxWhy))
			case names[d.Own]:
				leave(
					"it lists %s twice, or two names that differ only in characters that models cannot write: "+
						"the first counts",
					shown,
				)
			default:
				names[d.Own] = true
				l.tools = append(l.tools, &d)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
		if seen[cursor] || len(seen) > tooldef.MaxTools {
			l.problems = append(
				l.problems, errors.New("the pages of its list of tools have no end: what came first counts"),
			)
			break
		}
		seen[cursor] = true
	}
	if left > maxProblems {
		l.problems = append(l.problems, fmt.Errorf("%d more of its tools are left out", left-maxProblems))
	}
	c.listed.Store(&l)
	return nil
}

func (c *connection) listFailed(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errors.New("it did not answer in time")
	case ctx.Err() != nil:
		return ctx.Err()
	case c.endedBy(ctx, err):
		return c.why
	}
	return errors.New(plain(err, c.hide))
}

// named is a tool of a listing, by the name in characters that models can write; nil: there is none.
func (l listing) named(own string) *tooldef.Definition {
	for _, d := range l.tools {
		if d.Own == own {
			return d
		}
	}
	return nil
}

// withoutSecrets is the description of a tool without what its server was told in confidence: models read it, and it is
// kept. The name stays, by which the tool is called.
func withoutSecrets(t *sdk.Tool, hide func(string) string) *sdk.Tool {
	if t == nil {
		return nil
	}
	out := *t
	out.Title, out.Description = hide(t.Title), hide(t.Description)
	out.InputSchema, out.OutputSchema = hideIn(t.InputSchema, hide), hideIn(t.OutputSchema, hide)
	if t.Meta != nil {
		out.Meta, _ = hideIn(map[string]any(t.Meta), hide).(map[string]any)
	}
	out.Icons = slices.Clone(t.Icons)
	for i := range out.Icons {
		out.Icons[i].Source = hide(out.Icons[i].Source)
	}
	if t.Annotations != nil {
		annotations := *t.Annotations
		annotations.Title = hide(annotations.Title)
		out.Annotations = &annotations
	}
	return &out
}

// hideIn takes secrets out of the texts of a JSON value, which is copied.
func hideIn(v any, hide func(string) string) any {
	switch v := v.(type) {
	case string:
		return hide(v)
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = hideIn(element, hide)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, element := range v {
			out[hide(key)] = hideIn(element, hide)
		}
		return out
	}
	return v
}
