package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/tools/sql/statement"
)

// writer is the same database as the account that writes.
func (d *database) writer() Declaration {
	w := d.Declaration
	w.User, w.Password, w.changes = w.WriteUser, w.WritePassword, true
	return w
}

// apply runs a change as the account that writes, whole or not at all: what touches another number of rows than was
// agreed is undone. A Toolbox is started for it and ends with it, so that nothing of it is left open. The error is a
// sentence without its end, and says what became of the rows.
func (d *database) apply(ctx context.Context, c statement.Change, agreed int) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit+d.limit)
	defer cancel()
	w := newDatabase(d.writer(), d.options)
	w.limit = d.limit
	defer w.close()
	if err := w.begin(ctx); err != nil {
		return 0, untouched(err)
	}
	if w.Kind == Postgres {
		return w.changeAtOnce(ctx, c, agreed)
	}
	return w.changeInTransaction(ctx, c, agreed)
}

func untouched(err error) error { return errors.New(why(err) + ". Nothing was changed") }

func notKnown(err error) error {
	return errors.New(why(err) + ". It is not known whether rows were changed: look at them")
}

// why is an error as the beginning of a sentence.
func why(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "it was stopped"
	case errors.Is(err, context.DeadlineExceeded):
		return "it was not finished in time"
	}
	return err.Error()
}

// surprise says that other rows would have been touched than a person agreed to.
func surprise(n string, agreed int) error {
	return fmt.Errorf(
		"it touched %s rows, and not %d as agreed, so it was undone: the rows are others than before, "+
			"or a trigger leaves some out",
		n, agreed,
	)
}

// mark is in what PostgreSQL says about a statement that touched other rows than agreed, before their number.
const mark = "assent_touched_"

var marked = lazyregexp.New(mark + `(\d+)`)

// changeAtOnce changes rows of PostgreSQL, of whose connections none has a transaction for more than one call. The
// number of rows is found by the very statement, and another one than agreed makes it fail.
func (d *database) changeAtOnce(ctx context.Context, c statement.Change, agreed int) (int, error) {
	const query = "WITH changed AS (%s RETURNING 1) SELECT count(*) AS n, CASE WHEN count(*) <> %d THEN ('%s' || " +
		"count(*))::int END AS wrong FROM changed"
	rows, err := d.send(ctx, fmt.Sprintf(query, c.Text, agreed, mark))
	if said, ok := isSaid(err); ok && failedInPostgres(said) {
		if other := marked().FindStringSubmatch(said); other != nil {
			return 0, untouched(surprise(other[1], agreed))
		}
		return 0, untouched(err)
	}
	if err == nil && len(rows) != 1 {
		err = errors.New("the Toolbox did not say how many rows were touched")
	}
	if err != nil {
		return 0, notKnown(err)
	}
	return strconv.Atoi(rows[0].of("n"))
}

var codes = lazyregexp.New(`\(SQLSTATE (\w{5})\)$`)

// failedInPostgres reports whether PostgreSQL itself says that a statement failed. The Toolbox also answers with the
// errors of its connection: they have no code, or that of a lost connection or a server that ends, and then the
// statement may have been committed.
func failedInPostgres(said string) bool {
	code := codes().FindStringSubmatch(said)
	return code != nil && !strings.HasPrefix(code[1], "08") && !strings.HasPrefix(code[1], "57P")
}

// step is a statement of a transaction.
func (d *database) step(ctx context.Context, text string) ([]row, error) {
	rows, err := d.send(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return rows, nil
}

// changeInTransaction changes rows of SQLite and MySQL, whose Toolbox keeps one connection as long as it is used by one
// call after the other. If it did not, nothing would be committed: a new connection of MySQL begins a transaction by
// itself, and one of SQLite refuses writes.
func (d *database) changeInTransaction(ctx context.Context, c statement.Change, agreed int) (int, error) {
	if d.Kind == SQLite {
		for _, text := range []string{"PRAGMA query_only = 0", "BEGIN IMMEDIATE"} {
			if _, err := d.step(ctx, text); err != nil {
				return 0, untouched(err)
			}
		}
	}
	_, connection, err := d.touched(ctx)
	if err != nil {
		return 0, untouched(err)
	}
	if _, err := d.send(ctx, c.Text); err != nil {
		return 0, d.rollBack(ctx, connection, err)
	}
	n, now, err := d.touched(ctx)
	switch {
	case err != nil:
	case now != connection || n < 0:
		err = errors.New("the connection was lost after it")
	case n != agreed:
		err = surprise(strconv.Itoa(n), agreed)
	}
	if err != nil {
		return 0, d.rollBack(ctx, connection, err)
	}
	if _, err := d.step(ctx, "COMMIT"); err != nil {
		return 0, notKnown(err)
	}
	if _, now, err := d.touched(ctx); err != nil || now != connection {
		return 0, notKnown(errors.New("the connection was another one in the end"))
	}
	return n, nil
}

// touched asks how many rows the last statement touched, and over which connection it is asked.
func (d *database) touched(ctx context.Context) (n int, connection string, err error) {
	query := "SELECT changes() AS n, 1 AS connection"
	if d.Kind == MySQL {
		query = "SELECT ROW_COUNT() AS n, CONNECTION_ID() AS connection"
	}
	rows, err := d.step(ctx, query)
	if err != nil {
		return 0, "", err
	}
	if len(rows) == 1 {
		n, err = strconv.Atoi(rows[0].of("n"))
		connection = rows[0].of("connection")
	}
	if err != nil || connection == "" {
		return 0, "", errors.New("it is not known how many rows it touched")
	}
	return n, connection, nil
}

// rollBack undoes what was not committed, and gives the reason with what became of the rows. Without it, or if it
// fails, the end of the connection undoes them; but whether a table of MySQL knows transactions is told only over the
// connection that changed it.
func (d *database) rollBack(ctx context.Context, connection string, reason error) error {
	if d.Kind != MySQL {
		if ctx.Err() == nil {
			_, _ = d.send(ctx, "ROLLBACK")
		}
		return untouched(reason)
	}
	if ctx.Err() != nil {
		return notKnown(reason)
	}
	_, rolledBack := d.send(ctx, "ROLLBACK")
	warnings, err := d.send(ctx, "SHOW WARNINGS")
	_, now, lost := d.touched(ctx)
	const notTransactional = "1196"
	switch {
	case rolledBack != nil || err != nil || lost != nil || now != connection:
		return notKnown(reason)
	case slices.ContainsFunc(warnings, func(r row) bool { return r.of("Code") == notTransactional }):
		return errors.New(
			why(reason) + ". But the table keeps what was changed, since it knows no transactions: look at it",
		)
	}
	return untouched(reason)
}
