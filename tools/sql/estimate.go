package sql

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/tools/sql/statement"
)

// maxSteps is how many steps of a plan are shown.
const maxSteps = 12

// estimate says what the database would do for a statement. It reads no row.
func (d *database) estimate(ctx context.Context, q statement.Query, text string) (string, error) {
	if q.Explains {
		return "It asks for a plan alone.", d.ready(ctx)
	}
	switch d.Kind {
	case SQLite:
		rows, err := d.run(ctx, "EXPLAIN QUERY PLAN "+text)
		return steps(rows, func(r row) string { return r.of("detail") }), err
	case Postgres:
		rows, err := d.run(ctx, "EXPLAIN (FORMAT JSON) "+text)
		if err != nil || len(rows) != 1 || len(rows[0]) != 1 {
			return "", err
		}
		return estimateOfPostgres(rows[0][0].value), nil
	case MySQL:
		rows, err := d.run(ctx, "EXPLAIN "+text)
		return steps(rows, func(r row) string {
			if r.of("table") == "" {
				return r.of("Extra")
			}
			return fmt.Sprintf("%s: some %s rows (%s)", r.of("table"), r.of("rows"), r.of("type"))
		}), err
	case BigQuery, Spanner:
	}
	return "The database gives no estimate.", d.ready(ctx)
}

// steps lists the steps of a plan.
func steps(rows []row, step func(row) string) string {
	var b strings.Builder
	b.WriteString("The database would do:")
	for i, r := range rows {
		if i == maxSteps {
			fmt.Fprintf(&b, "\n  … and %d more steps", len(rows)-maxSteps)
			break
		}
		b.WriteString("\n  " + short(step(r), maxCell))
	}
	return b.String()
}

// estimateOfPostgres reads a plan in JSON.
func estimateOfPostgres(text string) string {
	var plans []struct {
		Plan struct {
			Rows float64 `json:"Plan Rows"`
			Cost float64 `json:"Total Cost"`
		} `json:"Plan"`
	}
	if json.Unmarshal([]byte(text), &plans) != nil || len(plans) != 1 {
		return "The database gives no estimate."
	}
	return fmt.Sprintf("The database expects some %.0f rows, at a cost of %.0f.", plans[0].Plan.Rows, plans[0].Plan.Cost)
}
