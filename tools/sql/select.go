package sql

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sql/statement"
)

//go:embed sql_select.md
var selectText string

const (
	callLimit = 90 * time.Second // to start the Toolbox and probe the database, or for a statement
	usualRows = 50
	maxRows   = 1000
)

type selectInput struct {
	Source string `json:"source,omitempty" jsonschema:"the database"`
	Query  string `json:"query" jsonschema:"one statement that begins with SELECT or WITH"`
	Limit  int    `json:"limit,omitempty" jsonschema:"rows to show, 50 if not given"`
}

// selectTool is the tool sql_select.
func (s *Source) selectTool(list []*database) tools.Tool {
	spec := tools.Spec{
		Name: Select, Description: selectText, Verb: "query", Effect: effect.Queries, Timeout: callLimit, PerMinute: 60,
	}
	return naming(list, spec, func(_ context.Context, call tools.Call, in selectInput) (tools.Plan, error) {
		d, err := s.find(in.Source)
		if err != nil {
			return tools.Plan{}, err
		}
		most, usual := maxRows, usualRows
		inFull := call.Whole && call.Caller == policy.Person
		if inFull {
			most, usual = maxWhole, maxWhole
		}
		if in.Limit < 0 || in.Limit > most {
			return tools.Plan{}, fmt.Errorf("limit must be 1 to %d", most)
		}
		return d.plan(in.Query, cmp.Or(in.Limit, usual), inFull)
	})
}

// plan looks at the text of a statement alone: before a person says yes nothing is started for a database, and nothing
// is asked of it.
func (d *database) plan(query string, limit int, inFull bool) (tools.Plan, error) {
	q, err := statement.Read(query, d.dialect())
	if err != nil {
		return tools.Plan{}, err
	}
	text := q.AtMost(limit + 1) // one more tells that there are more
	plan := d.planOf(q.Text, d.Place())
	plan.Binding = policy.Bind(d.Name, d.Place(), text)
	if inFull {
		plan.Preview += fmt.Sprintf("\nYou get up to %d rows as CSV. No model reads them.\n", limit)
	}
	plan.Run = func(ctx context.Context, _ tools.Reporter) tools.Result {
		rows, err := d.run(ctx, text)
		if err != nil {
			return d.failure(ctx, q, err)
		}
		result := tools.Text(shown(rows, limit))
		if inFull {
			result.Whole = whole(rows, limit)
		}
		return result
	}
	return plan, nil
}

// planOf is a plan for a statement without what it is bound to; place says to people where it runs.
func (d *database) planOf(text, place string) tools.Plan {
	return tools.Plan{
		Databases: []string{d.Name}, Target: d.Name + ": " + visible.Line(text),
		Preview: fmt.Sprintf("%s (%s)\n\n%s\n", d.Name, place, quoted(text)),
	}
}

// quoted is a statement as a question shows it: no line of a text in it can pass for one of ours.
func quoted(statement string) string { return "> " + strings.ReplaceAll(statement, "\n", "\n> ") }

// failure is the result of a statement that failed. If a name in it does not exist, the schema is read anew, and tables
// with such names are described: those with the missing name, or with the names of the tables that the statement reads.
func (d *database) failure(ctx context.Context, q statement.Query, err error) tools.Result {
	said, ok := isSaid(err)
	if !ok || !containsAny(said, kinds[d.Kind].missing) {
		return tools.FailedBy(err)
	}
	now, problem := d.schema(ctx, true)
	if problem != nil {
		return tools.FailedBy(err)
	}
	asked := append(q.Sources(), missingName(said))
	return tools.Failed(tools.FailedBy(err).Text() + "\n\n" + d.described(now, now.find(strings.Join(asked, " "), nil)))
}

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

var missingNames = lazyregexp.New(
	`(?:no such (?:table|column): |Unrecognized name: |Table not found: |(?:relation|column|Table|Unknown column) ["'])([^\s"';]+)`,
)

// missingName is the name that a database says does not exist; empty: it is not found.
func missingName(said string) string {
	if found := missingNames().FindStringSubmatch(said); found != nil {
		return found[1]
	}
	return ""
}
