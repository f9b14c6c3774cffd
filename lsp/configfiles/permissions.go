package configfiles

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/policy"
)

// Edit takes the place of a span.
type Edit struct {
	Span Span
	Text string
}

// Change is something that a person can have done to a text.
type Change struct {
	Title string
	Edits []Edit
}

// RulesSchema declares the keys of a permissions file, whose rules can be about these tools.
func (k Kind) RulesSchema(known policy.Known) *jsonschema.Schema {
	s := k.Schema()
	for _, list := range policy.ListKeys() {
		rule := s.Properties[list.Name].Items
		rule.Properties["tool"].Enum = []any{"*"}
		for _, t := range known.Tools {
			if !slices.Contains(rule.Properties["tool"].Enum, any(t.Name)) {
				rule.Properties["tool"].Enum = append(rule.Properties["tool"].Enum, t.Name)
			}
		}
		for _, origin := range known.Origins {
			rule.Properties["origin"].Enum = append(rule.Properties["origin"].Enum, origin)
		}
	}
	return s
}

// DiagnosePermissions says what of a permissions file does not do what it says, where there are these tools.
func (k Kind) DiagnosePermissions(text string, known policy.Known) []Diagnostic {
	file, problems := policy.Parse("this file", []byte(text))
	problems = append(problems, file.Check(known)...)
	severity := map[policy.Severity]Severity{
		policy.Error: Error, policy.Warning: Warning, policy.Information: Information,
	}
	var out []Diagnostic
	for _, p := range problems {
		out = append(out, Diagnostic{Span{p.Offset, p.Offset + p.Length}, severity[p.Severity], p.Message})
	}
	for _, r := range file.Rules {
		if k == WorkspacePermissions && r.List == policy.Allowed {
			out = append(
				out,
				Diagnostic{
					spanOf(r), Warning,
					"The rule does not count: a workspace's file allows nothing. " +
						"Put it into your own permissions file.",
				},
			)
		}
	}
	return out
}

func spanOf(r policy.ListedRule) Span { return Span{r.Offset, r.Offset + r.Length} }

// RuleAt is the rule of a permissions file at a place.
func RuleAt(text string, at int) (policy.ListedRule, bool) {
	file, _ := policy.Parse("this file", []byte(text))
	for _, r := range file.Rules {
		if spanOf(r).holds(at) {
			return r, true
		}
	}
	return policy.ListedRule{}, false
}

// RuleChanges lists what can be done to the text at a place of a permissions file: the fixes of its problems, and to
// its rule.
func RuleChanges(text string, at int) []Change {
	var out []Change
	_, problems := policy.Parse("this file", []byte(text))
	for _, p := range problems {
		if f := p.Fix; f != nil && (Span{p.Offset, p.Offset + p.Length}).holds(at) {
			out = append(out, Change{f.Title, []Edit{{Span{f.Offset, f.Offset + f.Length}, f.Text}}})
		}
	}
	r, ok := RuleAt(text, at)
	if !ok {
		return out
	}
	if edits, narrower := narrow(text, r); len(edits) > 0 {
		out = append(out, Change{"Narrow to " + narrower.Explain(), edits})
	}
	title := "Revoke: " + string(r.List) + " " + r.Explain()
	return append(out, Change{title, []Edit{{removal(text, spanOf(r)), ""}}})
}

// narrow changes a rule that allows so that it allows less, key by key: comments and all else stay.
func narrow(text string, r policy.ListedRule) ([]Edit, policy.Rule) {
	narrower, ok := policy.Narrow(r.Rule)
	if !ok || r.List != policy.Allowed {
		return nil, narrower
	}
	before, after := reread[map[string]json.RawMessage](r.Rule), reread[map[string]json.RawMessage](narrower)
	root, _ := parse(text[r.Offset : r.Offset+r.Length])
	var edits []Edit
	for _, m := range root.members {
		move := func(s Span) Span { return Span{r.Offset + s.Start, r.Offset + s.End} }
		value, stays := after[m.key.text]
		switch {
		case !stays:
			edits = append(edits, Edit{removal(text, move(Span{m.key.span.Start, m.value.span.End})), ""})
		case string(value) != string(before[m.key.text]):
			edits = append(edits, Edit{move(m.value.span), string(value)})
		}
	}
	return edits, narrower
}

// removal is what goes with an element of a list: its comma, and its line if nothing else is there.
func removal(text string, s Span) Span {
	const blank = " \t"
	if rest := strings.TrimLeft(text[s.End:], blank+"\r\n"); strings.HasPrefix(rest, ",") {
		s.End = len(text) - len(rest) + 1
	}
	start := len(strings.TrimRight(text[:s.Start], blank))
	rest := strings.TrimLeft(text[s.End:], blank)
	end := len(text) - len(rest)
	alone := start == 0 || text[start-1] == '\n'
	switch {
	case alone && strings.HasPrefix(rest, "\r\n"):
		return Span{start, end + 2}
	case alone && strings.HasPrefix(rest, "\n"):
		return Span{start, end + 1}
	}
	return Span{s.Start, end}
}

// HoverRule says how often a rule matched, why it does not count, and what its examples come to. decide is the
// decision on a command line as all rules that are saved have it.
func HoverRule(r policy.ListedRule, n int, last, now time.Time, decide func(command.Line) policy.Decision) string {
	lines := []string{"**" + string(r.List) + "** " + r.Explain()}
	if r.Note != "" {
		lines = append(lines, r.Note)
	}
	if r.Void != "" {
		lines = append(lines, r.Void)
	}
	lines = append(lines, Matched(n, last, now))
	for _, e := range append(r.Match, r.NotMatch...) {
		lines = append(lines, "- "+example(r, e, decide))
	}
	return strings.Join(lines, "\n\n")
}

// example says whether a rule is about an example, and of a command line what is understood of it.
func example(r policy.ListedRule, e policy.Example, decide func(command.Line) policy.Decision) string {
	text := e.Text
	if text == "" {
		text = e.Tool + " " + string(e.Arguments)
	}
	text = "`" + text + "`: "
	if r.Is(e) {
		text += "the rule is about it"
	} else {
		text += "the rule is not about it"
	}
	if r.Command == "" || e.Text == "" {
		return text
	}
	line, err := command.Parse(e.Text)
	if err != nil {
		return text + "; " + err.Error()
	}
	for _, part := range line.Parts {
		text += fmt.Sprintf("; `%q`", part.Argv)
	}
	d := decide(line)
	verdict := map[policy.Verdict]string{policy.Run: "allow", policy.Ask: "ask", policy.Refuse: "deny"}[d.Verdict]
	return text + "; decision in the sandbox: " + verdict + ", since: " + d.Reason
}

// Matched says how often a rule decided a call, and when last.
func Matched(n int, last, now time.Time) string {
	switch n {
	case 0:
		return "No call has matched it yet."
	case 1:
		return "Matched 1 call, " + ago(now.Sub(last)) + "."
	default:
		return fmt.Sprintf("Matched %d calls, last %s.", n, ago(now.Sub(last)))
	}
}

func ago(d time.Duration) string {
	for _, unit := range []struct {
		name string
		long time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		switch n := int(d / unit.long); {
		case n == 1:
			return "1 " + unit.name + " ago"
		case n > 1:
			return fmt.Sprintf("%d %ss ago", n, unit.name)
		}
	}
	return "less than a minute ago"
}

// GrantAt is the id of the entry at a place of the file of what was always allowed, and where the entry is.
func GrantAt(text string, at int) (id string, span Span, ok bool) {
	for id, span := range Grants(text) {
		if span.holds(at) {
			return id, span, true
		}
	}
	return "", Span{}, false
}

// Grants are the entries of the file of what was always allowed, by their ids, in the order of the file.
func Grants(text string) func(yield func(id string, span Span) bool) {
	return func(yield func(string, Span) bool) {
		root, _ := parse(text)
		for _, m := range root.members {
			for _, entry := range m.value.items {
				for _, field := range entry.members {
					if m.key.text == "data" && field.key.text == "id" && !yield(field.value.text, entry.span) {
						return
					}
				}
			}
		}
	}
}
