package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
)

// Exec changes an index behind its back.
func Exec(t *testing.T, file, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err == nil {
		_, err = db.Exec(statement)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// SetMost changes how many chats of one workspace are indexed.
func SetMost(h *History, most int) { h.most = most }

// Count asks an index for a number.
func Count(t *testing.T, h *History, query string) (n int) {
	t.Helper()
	s, err := h.open()
	if err == nil {
		err = s.db.QueryRow(query).Scan(&n)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Fill leaves no space for more pages.
func Fill(t *testing.T, h *History) {
	t.Helper()
	s, err := h.open()
	if err != nil {
		t.Fatal(err)
	}
	s.db.SetMaxIdleConns(1)
	s.db.SetMaxOpenConns(1)
	var pages int
	if err := s.db.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages+2)); err != nil {
		t.Fatal(err)
	}
}

// TakeAll indexes the chats N.chat.md of a folder, and says after each how many that were.
func TakeAll(ctx context.Context, h *History, root string, many int, took func(n int)) error {
	s, err := h.open()
	if err != nil {
		return err
	}
	p := &place{root: root}
	if err := h.enter(p); err != nil {
		return err
	}
	w := s.writer()
	for i := range many {
		if err := w.take(ctx, p, fmt.Sprintf("%d.chat.md", i)); err != nil {
			return err
		}
		took(i + 1)
	}
	return w.end(true)
}

// Accepts reports whether FTS5 takes the expression that a text makes.
func Accepts(db *sql.DB, text string) error {
	terms := parse(text)
	if len(terms) == 0 {
		return nil
	}
	for _, some := range [][]term{terms, terms[:1]} {
		rows, err := db.Query("SELECT rowid FROM words0 WHERE words0 MATCH ?", expression(some))
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Memory is an empty index in memory.
func Memory(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Exec(schema + fmt.Sprintf(shardSchema, 0)); err != nil {
		t.Fatal(err)
	}
	return db
}

// Parsed are the terms of a text, prefixes with a star.
func Parsed(text string) (terms []string) {
	for _, t := range parse(text) {
		if t.prefix {
			t.text += "*"
		}
		terms = append(terms, t.text)
	}
	return terms
}

// Indexed says how the index holds a text.
func Indexed(text string) (words, pairs string) { return indexedAs(text) }
