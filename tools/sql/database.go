package sql

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/sql/statement"
)

const (
	queryLimit = 30 * time.Second // of a statement
	grace      = 3 * time.Second  // what the database has to say that its time is over
	probedFor  = 10 * time.Minute // how long a probe counts: rights change
	maxMemory  = 1 << 30          // bytes of the Toolbox, which holds a whole result
)

// database is a declared database, and the Toolbox that asks it.
type database struct {
	Declaration
	options Options
	child   *mcp.Child
	limit   time.Duration // of a statement
	turn    chan struct{} // one statement at a time: the Toolbox reads them one after the other
	probed  time.Time     // guarded by turn: when it was shown last that nothing can be written
	session atomic.Pointer[session]
	names   tableNames
}

// session is how the Toolbox is started to be used, as the probe found it: values for its configuration. nil: it is
// started to be probed.
type session map[string]string

func newDatabase(d Declaration, o Options) *database {
	db := &database{Declaration: d, options: o, limit: queryLimit, turn: make(chan struct{}, 1)}
	db.names.watch = diskfile.NewWatch(db.schemaFile())
	db.child = mcp.NewChild(mcp.ChildOptions{
		Name: "database-" + d.Name, State: o.State, Shell: o.Shell.Bounded(maxMemory), Version: o.Version,
		Start: func() (mcp.Start, error) {
			setting := ""
			if o.Toolbox != nil {
				setting = o.Toolbox()
			}
			program, err := FindToolbox(setting, append(o.Others, o.Folder)...)
			if err != nil {
				return mcp.Start{}, &startError{err}
			}
			start, err := d.start(program, o.State, db.session.Load(), db.limit)
			if err != nil {
				err = &startError{fmt.Errorf("the database %s cannot be used: %w", d.Name, err)}
			}
			return start, err
		},
	})
	return db
}

func (d *database) dialect() statement.Dialect { return kinds[d.Kind].dialect }

func (d *database) close() { d.child.Close() }

// open makes sure that the Toolbox runs and that the database refuses to be written to. The error is a sentence without
// its end. The turn is held.
func (d *database) open(ctx context.Context) error {
	if !d.probed.IsZero() && time.Since(d.probed) < probedFor {
		return nil
	}
	d.probed = time.Time{}
	d.session.Store(nil)
	d.child.Stop()
	if err := d.begin(ctx); err != nil {
		return err
	}
	session, err := d.probe(ctx)
	if err != nil {
		return err
	}
	d.child.Stop()
	d.session.Store(&session)
	d.probed = time.Now()
	return nil
}

// begin starts the Toolbox. The error is a sentence without its end.
func (d *database) begin(ctx context.Context) error {
	name, version, err := d.child.Serves(ctx)
	if err != nil {
		return d.notStarted(ctx, err)
	}
	return checkVersion("the program toolbox", name, version)
}

// startError says why the Toolbox was not even started.
type startError struct{ error }

// notStarted says why there is no Toolbox for the database: in its own words, if it has some.
func (d *database) notStarted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("the database %s cannot be reached in time", d.Name)
	}
	if e, ok := errors.AsType[*startError](err); ok {
		return e.error
	}
	const mark = "\nError: "
	said := sinceStart(d.child.Said())
	if at := strings.LastIndex(said, mark); at >= 0 {
		lines := strings.Split(said[at+len(mark):], "\n")
		words := lines[0]
		last := "" // of several ways that were tried, the one that came nearest
		for _, line := range lines[1:] {
			attempt, indented := strings.CutPrefix(line, "<U+0009>")
			if !indented {
				break
			}
			last = " " + strings.TrimSpace(attempt)
		}
		words += last
		if _, cause, found := strings.Cut(words, `unable to initialize source "database": `); found {
			cause = strings.TrimPrefix(cause, "unable to connect successfully: ")
			return fmt.Errorf("the database %s cannot be opened: %s", d.Name, cause)
		}
		return fmt.Errorf("the Toolbox does not start for the database %s: %s", d.Name, words)
	}
	return fmt.Errorf("the Toolbox for the database %s %w", d.Name, err)
}

// queryError is what a database says against a statement.
type queryError struct{ said string }

func (e *queryError) Error() string { return "the database says: " + e.said }

// run runs a statement that is ours, or was checked, once it is known that the database refuses writes. The error is a
// *queryError if the database said it.
func (d *database) run(ctx context.Context, text string) (rows []row, err error) {
	err = d.inTurn(ctx, func() error {
		if err := d.open(ctx); err != nil {
			return err
		}
		rows, err = d.send(ctx, text)
		if writable := d.stillReadOnly(ctx, err); writable != nil {
			rows, err = nil, writable
		}
		return err
	})
	return rows, err
}

// stillReadOnly looks, after a statement, whether the only connection to PostgreSQL still lets transactions read alone:
// a function that the words of a statement do not show may have changed that for the statements that come. In doubt the
// connection is given up. The turn is held.
func (d *database) stillReadOnly(ctx context.Context, failed error) error {
	if _, said := isSaid(failed); d.Kind != Postgres || failed != nil && !said {
		return nil // or the Toolbox is asked no more over this connection
	}
	rows, err := d.send(ctx, "SHOW default_transaction_read_only")
	if err == nil && len(rows) == 1 && rows[0].of("default_transaction_read_only") == "on" {
		return nil
	}
	d.child.Stop()
	return fmt.Errorf(
		"the database %s was about to let statements write after this one: its connection was ended", d.Name,
	)
}

// ready makes sure that the database can be asked, and refuses to be written to.
func (d *database) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	return d.inTurn(ctx, func() error { return d.open(ctx) })
}

// inTurn does something while nothing else is done with the database.
func (d *database) inTurn(ctx context.Context, do func() error) error {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
		return do()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// send sends a statement to the database as it is. The turn is held.
func (d *database) send(ctx context.Context, text string) ([]row, error) {
	short, cancel := context.WithTimeout(ctx, d.limit+grace)
	defer cancel()
	texts, failed, err := d.child.Call(short, "run", map[string]string{"sql": text})
	switch {
	case ctx.Err() != nil:
		d.child.Stop() // it would go on
		return nil, ctx.Err()
	case short.Err() != nil:
		d.child.Stop()
		return nil, fmt.Errorf("the database %s took longer than %v: ask for less", d.Name, d.limit)
	case err != nil && endsForMemory(d.child.Said()), failed && d.Kind == SQLite &&
		strings.Contains(said(texts), "out of memory (7)"):
		return nil, fmt.Errorf(
			"what the statement reads from the database %s takes more than %d GB of memory: ask for less", d.Name,
			maxMemory>>30,
		)
	case err != nil:
		return nil, fmt.Errorf("the Toolbox for the database %s does not answer: %w", d.Name, err)
	case failed:
		return nil, &queryError{said(texts)}
	}
	return readRows(texts)
}

// endsForMemory reports whether the Toolbox that was started last ended because it got no more memory.
func endsForMemory(log string) bool {
	// What Go's runtime says before it gives up: for the heap, and for the stack of a thread.
	return containsAny(sinceStart(log), []string{
		"out of memory", "cannot allocate memory", "pthread_create failed", "failed to create new OS thread",
	})
}

// sinceStart is the log of a child from where it was started last.
func sinceStart(log string) string { return log[max(0, strings.LastIndex(log, " it is started\n")):] }

// said is what a database says against a statement, without what the Toolbox puts in front.
func said(texts []string) string {
	text := strings.Join(strings.Fields(strings.Join(texts, " ")), " ")
	for _, prefix := range []string{
		"error processing request: ", "unable to execute query: ", "errors encountered during query execution: ",
		"error during query execution: ", "SQL logic error: ",
	} {
		text = strings.TrimPrefix(text, prefix)
	}
	if len(text) > maxSaid {
		// PostgreSQL's code is at the end
		text = strings.ToValidUTF8(text[:maxSaid]+" … "+text[len(text)-len("(SQLSTATE 00000)"):], "")
	}
	if text == "" {
		return "no, without a reason"
	}
	return text
}

const maxSaid = 500

// isSaid reports whether an error is the database's own, and what it says.
func isSaid(err error) (string, bool) {
	e, ok := errors.AsType[*queryError](err)
	if !ok {
		return "", false
	}
	return e.said, true
}
