package sql

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

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
		Name: Select, Description: strings.TrimSpace(selectText) + " " + sources(list), Verb: "query", Effect: effect.Queries, About: about(list), Timeout: callLimit, PerMinute: 60,
	}
	return naming(list, spec, func(ctx context.Context, call tools.Call, in selectInput) (tools.Plan, error) {
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
		return d.plan(ctx, in.Query, cmp.Or(in.Limit, usual), inFull)
	})
}

// plan looks at a statement and asks the database what it would do for it. No row is read.
func (d *database) plan(ctx context.Context, query string, limit int, inFull bool) (tools.Plan, error) {
	q, err := statement.Read(query, d.dialect())
	if err != nil {
		return tools.Plan{}, err
	}
	text := q.AtMost(limit + 1) // one more tells that there are more
	plan := tools.Plan{Databases: []string{d.Name}, Target: d.Name + ": " + q.Text, Binding: policy.Bind(d.Name, d.Place(), text)}
	estimate, err := d.estimate(ctx, q, text)
	if said, ok := isSaid(err); ok {
		if !namesOrSyntax(d.Kind, said) { // it may have come of rows
			estimate, err = "The database does not say what it would do.", nil
		}
	}
	if err != nil {
		result := d.failure(ctx, err)
		plan.Answered = &result
		return plan, nil
	}
	plan.Preview = fmt.Sprintf("%s (%s)\n\n%s\n\n%s\n", d.Name, d.Place(), q.Text, estimate)
	if inFull {
		plan.Preview += fmt.Sprintf("\nYou get up to %d rows as CSV. No model reads them.\n", limit)
	}
	plan.Run = func(ctx context.Context, _ tools.Reporter) tools.Result {
		rows, err := d.run(ctx, text)
		if err != nil {
			return d.failure(ctx, err)
		}
		result := tools.Text(shown(rows, limit))
		if inFull {
			result.Whole = whole(rows, limit)
		}
		return result
	}
	return plan, nil
}

// failure is the result of a statement that failed. If a name in it does not exist, the schema is read anew, and tables with such names are
// described.
func (d *database) failure(ctx context.Context, err error) tools.Result {
	said, ok := isSaid(err)
	if !ok || !missing(d.Kind, said) {
		return tools.FailedBy(err)
	}
	now, problem := d.schema(ctx, true)
	if problem != nil {
		return tools.FailedBy(err)
	}
	return tools.Failed(tools.FailedBy(err).Text() + "\n\n" + d.described(now, now.find(said)))
}

// missing reports whether a database says that a name in a statement does not exist.
func missing(kind Kind, said string) bool {
	switch kind {
	case SQLite:
		return strings.Contains(said, "no such table") || strings.Contains(said, "no such column")
	case Postgres:
		return strings.Contains(said, "SQLSTATE 42P01") || strings.Contains(said, "SQLSTATE 42703")
	case MySQL:
		return strings.Contains(said, "Error 1146") || strings.Contains(said, "Error 1054")
	case BigQuery, Spanner:
	}
	return strings.Contains(said, "Not found") || strings.Contains(said, "Unrecognized name") || strings.Contains(said, "not found")
}

var namesAndSyntax = sync.OnceValue(func() map[Kind]*regexp.Regexp {
	return map[Kind]*regexp.Regexp{
		SQLite: regexp.MustCompile(``), // a plan of SQLite reads no row
		// The class of errors of syntax and names, and not 428C9 and others that depend on values.
		Postgres: regexp.MustCompile(`SQLSTATE 42(601|P01|P02|P10|703|702|803|883|725|804|501|P18|P20|P21|P22)`),
		MySQL:    regexp.MustCompile(`Error (1054|1064|1142|1143|1146|1052|1055|1056|1060|1066|1109|1111|1140|1305|1327)\b`),
	}
})

// namesOrSyntax reports whether an error is about what stands in a statement, so that it tells nothing of what is in a table.
func namesOrSyntax(kind Kind, said string) bool {
	about := namesAndSyntax()[kind]
	return about != nil && about.MatchString(said)
}
