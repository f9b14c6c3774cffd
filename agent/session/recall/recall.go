// Package recall has the tool by which a model finds what was said in the user's other chats. A person is asked about
// each call, with the chats by name, until a rule of theirs allows it for a workspace; what is found is fenced.
package recall

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/session/history"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed recall.md
var text string

// Name is that of the tool.
const Name = "recall"

// The bounds of a call. What is found is about 600 tokens, so that a model with 8,000 keeps its room.
const (
	maxQuery   = 400   // bytes
	maxHits    = 6     // turns
	maxExcerpt = 320   // runes of a turn
	maxText    = 2_000 // bytes of all
	maxTitle   = 60    // runes
)

// Source has the tool once there is an index, which the user's first search of their chats makes. A model is told of the
// tool only by a search among tools.
type Source struct {
	history   *history.History
	workspace *workspace.Workspace
}

// New makes the source for a workspace; ws is nil if there is none. It reads nothing.
func New(h *history.History, ws *workspace.Workspace) *Source { return &Source{h, ws} }

// Name implements tools.Source.
func (*Source) Name() string { return "your chats" }

// Quiet implements tools.Quiet: it looks for a file name.
func (*Source) Quiet() {}

// Tools implements tools.Source.
func (s *Source) Tools(context.Context) ([]tools.Tool, <-chan struct{}, error) {
	outdated := tools.Outdated() // the first search is seen by nobody
	if !s.history.Indexed() {
		return nil, outdated, nil
	}
	return []tools.Tool{s.Tool()}, outdated, nil
}

type input struct {
	Query string `json:"query"`
}

// Tool is the tool itself.
func (s *Source) Tool() tools.Tool {
	spec := tools.Spec{
		Name: Name, Description: text, Verb: "tell what was said in", Effect: effect.Recalls, Defer: true,
		PerMinute: 30,
	}
	return tools.Define(spec, func(ctx context.Context, call tools.Call, in input) (tools.Plan, error) {
		query := strings.Join(strings.Fields(in.Query), " ")
		if query == "" || len(query) > maxQuery {
			return tools.Plan{}, fmt.Errorf("query must be 1 to %d bytes long: a few words that were said", maxQuery)
		}
		q := history.Query{Text: query, Limit: maxHits, Runes: maxExcerpt}
		hits, untrusted, err := s.history.Recall(ctx, q, s.workspace, call.Chat)
		if err != nil {
			return tools.Plan{}, err
		}
		return plan(query, found(hits, room(call)), untrusted), nil
	})
}

// room is how many bytes a caller wants to read.
func room(call tools.Call) int {
	if call.Room > 0 {
		return min(call.Room, maxText)
	}
	return maxText
}

// told is one chat with what was said in it.
type told struct {
	name, path string
	said       string
}

// found groups turns by their chats, the best first, as many as fit into so many bytes; the first one does always.
func found(hits []history.Hit, room int) (chats []told) {
	for _, h := range hits {
		i := slices.IndexFunc(chats, func(c told) bool { return c.path == h.Path })
		said := "- " + h.Role.Name() + ": " + h.Excerpt + "\n"
		name := ""
		if i < 0 {
			title := visible.ForeignText(h.Title).Quote(maxTitle)
			if h.Title == "" {
				title = "a chat without a title"
			}
			name = title + " of " + h.Written.Format("2006-01-02")
		}
		if room -= len(said) + len(name) + 2; room < 0 && len(chats) > 0 {
			break
		}
		if i < 0 {
			i, chats = len(chats), append(chats, told{name: name, path: h.Path})
		}
		chats[i].said += said
	}
	return chats
}

// plan is a call that tells what was found. It does so with the very text that a person was asked about.
func plan(query string, chats []told, untrusted int) tools.Plan {
	var names []string
	var said, preview strings.Builder
	for _, c := range chats {
		names = append(names, c.name)
		said.WriteString(c.name + ":\n" + c.said)
		preview.WriteString(visible.Line(c.path) + "\n" + c.said)
	}
	p := tools.Plan{Target: strings.Join(names, ", ") + ", for: " + query, Preview: preview.String()}
	result := "Said before, in " + count(len(chats)) + ".\n" + said.String()
	if len(chats) == 0 {
		p.Target = "no other chat, for: " + query
		result = "No other chat that may be read here has this. Other words may find more; else go on without it."
	}
	if untrusted > 0 {
		p.Notice = fmt.Sprintf("Chats of folders that you do not trust are left out (%d).", untrusted)
	}
	p.Binding = policy.Bind(preview.String(), result)
	p.Run = func(context.Context, tools.Reporter) tools.Result {
		return tools.Text(strings.TrimSuffix(result, "\n"))
	}
	return p
}

func count(chats int) string {
	if chats == 1 {
		return "1 other chat"
	}
	return fmt.Sprintf("%d other chats", chats)
}
