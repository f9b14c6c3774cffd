package runcommand

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/proposal"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/web/address"
)

// reader is a sandbox that can say what commands read.
type reader interface {
	Readable(ctx context.Context) (sandbox.Readable, error)
}

// reaching is what a person should read before a command reaches hosts.
func (c commands) reaching(ctx context.Context, p planned, before, named []address.Place) string {
	var text strings.Builder
	text.WriteString("It would run on a copy of the workspace; what it changes there waits for another answer.\n\n")
	switch {
	case len(before)+len(named) == 0:
		text.WriteString(
			"Its words name no host. Without one it reaches nothing, and its result says what it wanted.\n",
		)
	default:
		text.WriteString("It could reach these hosts, and no others:\n")
	}
	for _, list := range []struct {
		places []address.Place
		why    string
	}{{before, "which it wanted before"}, {named, "which its words name"}} {
		for _, place := range list.places {
			fmt.Fprintf(&text, "- %s, %s\n", place, list.why)
		}
	}
	text.WriteString("\n" + c.sent(ctx, p))
	if rule := ruleFor(p.line, slices.Concat(before, named)); rule != "" {
		text.WriteString(
			"\nWithout a question it runs by this rule in your permissions.json, in \"allow\":\n" + rule + "\n",
		)
	}
	return text.String()
}

// sent says which files a command could send.
func (c commands) sent(ctx context.Context, p planned) string {
	s, ok := p.place.sandbox.(reader)
	if !ok {
		return "It could send each file of the workspace that it sees.\n"
	}
	r, err := s.Readable(ctx)
	if err != nil {
		return fmt.Sprintf("It could send each file of the workspace that it sees; they cannot be counted: %v.\n", err)
	}
	count := excerpt.Counted(r.Files, "file")
	if r.More {
		count = "more than " + count
	}
	text := fmt.Sprintf("It could send there what it can read: %s of this workspace", count)
	if r.Git {
		text += ", all that git keeps, also of files that it does not see,"
	}
	text += " and the system's programs and settings.\n"
	if len(r.Hidden) > 0 {
		text += fmt.Sprintf(
			"It does not see, as they may hold secrets or a rule denies them: %s.\n", proposal.SomeOf(r.Hidden),
		)
	}
	if len(r.Covered) > 0 {
		text += fmt.Sprintf(
			"It sees nothing of what these hold, which is asked about: %s.\n", proposal.SomeOf(r.Covered),
		)
	}
	return text
}

// ruleFor is a rule by which a line of one program reaches hosts; empty: there is none.
func ruleFor(line *command.Line, places []address.Place) string {
	if line == nil || len(line.Parts) != 1 || len(places) == 0 {
		return ""
	}
	rule := policy.Rule{Tool: "run_command", Command: command.Quote(line.Parts[0].Argv...)}
	for _, p := range places {
		rule.Hosts = append(rule.Hosts, p.String())
	}
	text, err := json.Marshal(rule)
	if err != nil {
		return ""
	}
	return string(text)
}
