package tasks

import (
	"context"
	"errors"

	"github.com/assent-ls/assent/tools/sql"
)

// sqlTasks are questions about a company's database of sixty tables, half of them on SQLite and half on PostgreSQL.
func sqlTasks() []Task {
	ask := func(name string, kind sql.Kind, request string, answer ...string) Task {
		t := serverTask(name, request, asksDatabase(), answers(answer...))
		t.servers, t.database = false, kind
		return t
	}
	return []Task{
		ask("sql-open-orders", sql.Postgres, "Which customer has the most open orders?", "birch"),
		ask("sql-support", sql.SQLite, "How many employees work in the Support department?", "4|four"),
		ask("sql-unpaid", sql.Postgres, "What do all unpaid invoices come to together?", "85295"),
		ask("sql-warehouse", sql.SQLite, "Which of our warehouses has the largest capacity?", "turin"),
		ask(
			"sql-products", sql.Postgres, "List the three most expensive products.", "green tea no. 4",
			"green tea no. 3", "wine glass no. 3",
		),
		ask("sql-supplier", sql.SQLite, "Which supplier takes the longest to deliver?", "harbor"),
		ask("sql-tickets", sql.Postgres, "How many tickets with high priority are not closed yet?", "2|two"),
		ask("sql-salary", sql.SQLite, "Who of the employees earns the most?", "mia north"),
	}
}

// asksDatabase requires that rows were read.
func asksDatabase() check {
	return func(_ context.Context, o Outcome) error {
		if !o.Went[sql.Select] {
			return errors.New("no row of the database was read")
		}
		return nil
	}
}
