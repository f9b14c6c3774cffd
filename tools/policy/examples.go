package policy

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/tools/command"
)

// examples checks the examples of a rule.
func (p *parser) examples(r *ListedRule, v jsonc.Value) {
	for _, member := range v.Members {
		var given []Example
		var sentence string
		switch member.Key {
		case "match":
			given, sentence = r.Match, "The rule is not about this example, and should be."
		case "not_match":
			given, sentence = r.NotMatch, "The rule is about this example, and should not be."
		}
		for i, e := range given {
			if r.Is(e) == (member.Key == "match") {
				continue
			}
			says := sentence
			if r.List == Allowed {
				says += " It allows nothing until that is so."
				r.Void = says
			}
			p.problem(member.Value.Elements[i].Range, Error, "%s", says)
		}
	}
}

// Is reports whether a rule is about an example. What an example does not say, such as the effect of its tool, is as
// the rule has it.
func (r *ListedRule) Is(e Example) bool {
	q := Request{Tool: r.Tool, Origin: r.Origin, Effect: r.Effect}
	if !r.namesTool() {
		q.Tool = "any"
	}
	switch {
	case e.Text == "":
		q.Tool = e.Tool
		q.fill(e.Arguments)
	case r.Command != "":
		q.run(e.Text)
	case len(r.Paths) > 0:
		q.Paths = []string{path.Clean(e.Text)}
	case r.Host != "":
		q.Host = strings.ToLower(e.Text)
	case r.Database != "":
		q.Databases = []string{e.Text}
	default:
		q.Tool = e.Text
	}
	if r.List != Allowed {
		return r.forbids(q)
	}
	if r.Command == "" {
		return r.allows(q)
	}
	return q.Command != nil &&
		every(q.Command.Parts, func(part command.Part) bool { return r.allowsPart(q, part.Argv) })
}

func (q *Request) run(line string) {
	if parsed, err := command.Parse(line); err == nil {
		q.Command = &parsed
	}
}

// fill takes from the arguments of a call what rules are about, by the names that Assent's own tools give it.
func (q *Request) fill(arguments json.RawMessage) {
	var in struct {
		Path    string `json:"path"`
		From    string `json:"from"`
		To      string `json:"to"`
		Command string `json:"command"`
		Source  string `json:"source"`
		Edits   []struct {
			Path string `json:"path"`
		} `json:"edits"`
	}
	if json.Unmarshal(arguments, &in) != nil {
		return
	}
	named := []string{in.Path, in.From, in.To}
	for _, e := range in.Edits {
		named = append(named, e.Path)
	}
	for _, name := range named {
		if name != "" {
			q.Paths = append(q.Paths, path.Clean(name))
		}
	}
	if in.Command != "" {
		q.run(in.Command)
	}
	if in.Source != "" {
		q.Databases = []string{in.Source}
	}
}
