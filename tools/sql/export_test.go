package sql

import (
	"context"
	"strings"
	"time"
)

// Unchecked sends a statement whose words nobody looks at, to a database that was probed.
func Unchecked(s *Source, ctx context.Context, name, text string) error { //nolint:revive // as a method's
	d, err := s.find(name)
	if err != nil {
		return err
	}
	_, err = d.run(ctx, text)
	return err
}

// Hurry makes statements end sooner, or later.
func Hurry(s *Source, name string, by time.Duration) {
	if d, err := s.find(name); err == nil {
		d.limit = by
	}
}

// BeyondReading is a right that is more than reading.
func BeyondReading(grant string) string { return beyondReading(grant) }

// Unprobed sends a statement to a database that nobody looked into.
func Unprobed(s *Source, ctx context.Context, name, text string) error { //nolint:revive // as a method's
	d, err := s.find(name)
	if err != nil {
		return err
	}
	return d.inTurn(ctx, func() error {
		_, err := d.send(ctx, text)
		return err
	})
}

// CSV is a value as a table of one row has it, without the names of the columns.
func CSV(value string) string {
	_, rows, _ := strings.Cut(asCSV([]row{{{column: "c", value: value}}}), "\r\n")
	return rows
}

// AsWriter sends a statement as the account that writes, and nobody looks at it.
func AsWriter(s *Source, ctx context.Context, name, text string) error { //nolint:revive // as a method's
	d, err := s.find(name)
	if err != nil {
		return err
	}
	w := newDatabase(d.writer(), d.options)
	defer w.close()
	texts := map[Kind][]string{Postgres: {text}, SQLite: {"PRAGMA query_only = 0", text}, MySQL: {text, "COMMIT"}}
	for _, text := range texts[d.Kind] {
		if _, err := w.send(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// EndsForMemory reports whether a Toolbox with this log ended because it got no more memory.
func EndsForMemory(log string) bool { return endsForMemory(log) }
