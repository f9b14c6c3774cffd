package session

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools/workspace"
)

// nestedRules is the source of the rules files below the root: the nearest one above each file that a message names
// goes with that message. In the system prompt it would change what was sent before, whenever another folder is spoken
// of.
type nestedRules struct {
	workspace *workspace.Workspace
	document  *transcript.Chat
}

var _ attach.Source = nestedRules{}

// rulesSources has that source where rules files count.
func (e Environment) rulesSources(document *transcript.Chat) []attach.Source {
	if !e.trusted() || !slices.Contains(e.Prompts.Rules, prompts.NestedRules) {
		return nil
	}
	return []attach.Source{nestedRules{e.Workspace, document}}
}

// Name implements attach.Source.
func (nestedRules) Name() string { return "rules" }

// Mentions implements attach.Source.
func (r nestedRules) Mentions(ctx context.Context, message attach.Message) []string {
	var named, found []string
	for _, p := range r.workspace.Mentioned(ctx, message.Text) {
		named = append(named, p.Rel)
	}
	for _, m := range attach.FindMentions(message.Text) {
		if m.Kind == attach.PathMention {
			named = append(named, m.Name)
		}
	}
	for _, name := range named {
		if rules := r.nearest(name); rules != "" && !slices.Contains(found, rules) {
			found = append(found, rules)
		}
	}
	return found
}

// nearest is the rules file that lies nearest above a path, or in it if it is a folder; empty if there is none below
// the root.
func (r nestedRules) nearest(name string) string {
	p, err := r.workspace.Resolve(name)
	if err != nil || !p.Exists {
		return ""
	}
	folder := p.Rel
	if !p.Dir {
		folder = path.Dir(folder)
	}
	for ; folder != "." && folder != ""; folder = path.Dir(folder) {
		rules := path.Join(folder, prompts.NestedRules)
		if p, err := r.workspace.Resolve(rules); err == nil && p.Exists {
			return rules
		}
	}
	return ""
}

// Resolve implements attach.Source. What cannot be sent has a sentence in its place, which the person sees in the
// document.
func (r nestedRules) Resolve(ctx context.Context, mention string, limit int) (attach.Block, bool) {
	text, err := prompts.ReadRules(ctx, r.workspace, mention)
	switch {
	case err != nil:
		text = fmt.Sprintf("[%s]", err)
	case text == "":
		return attach.Block{}, false
	case len(text) > limit:
		text = fmt.Sprintf("[The rules file %q is not sent: with what else is attached it is too large.]", mention)
	default:
		text = fmt.Sprintf(
			"Rules for the files below %q, which come before those of the whole workspace:\n%s", path.Dir(mention),
			text,
		)
	}
	block := attach.Block{Name: r.Name() + " " + mention, Parts: content.Texts(text)}
	return block, !r.sent(block.Name, text)
}

// sent reports whether the newest block of this name in the document says just that.
func (r nestedRules) sent(name, text string) bool {
	same := false
	for b := range transcript.Contexts(r.document.Turns...) {
		if b.Name == name && !b.NotSent {
			same = strings.TrimRight(b.Text, "\n") == strings.TrimRight(text, "\n")
		}
	}
	return same
}
