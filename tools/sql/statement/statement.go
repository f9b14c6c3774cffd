// Package statement tells of an SQL statement whether it is one that only reads, or one that changes rows of one table,
// as far as its words say. It refuses in doubt: what really holds is what the database lets an account do. No I/O.
package statement

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
)

// Dialect is how a database reads SQL.
type Dialect string

// The dialects.
const (
	SQLite    Dialect = "sqlite"
	Postgres  Dialect = "postgres"
	MySQL     Dialect = "mysql" // and MariaDB
	GoogleSQL Dialect = "googlesql"
)

// maxText is the longest statement that is read, in bytes.
const maxText = 64 << 10

// Query is a statement that only reads.
type Query struct {
	// Text is what a database gets: the statement without comments, and without the semicolon at its end.
	Text string
	// Explains says that it asks for a plan alone.
	Explains bool

	tokens []token
	count  int // the place of the number of rows in tokens; 0: there is none
}

// Read reads a statement. The error is a sentence without its end, for who wrote it.
func Read(text string, d Dialect) (Query, error) {
	tokens, err := one(text, d)
	if err != nil {
		return Query{}, err
	}
	q := Query{tokens: tokens, Text: join(tokens)}
	if err := q.begins(d); err != nil {
		return Query{}, err
	}
	if err := onlyReads(tokens, d); err != nil {
		return Query{}, err
	}
	return q, q.readLimit()
}

// one divides a text that is one statement into tokens, without the semicolon at its end.
func one(text string, d Dialect) ([]token, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("the statement is longer than %d KB", maxText>>10)
	}
	tokens, err := split(text, d)
	if err != nil {
		return nil, err
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].is(";") {
		tokens = tokens[:len(tokens)-1]
	}
	if len(tokens) == 0 {
		return nil, errors.New("there is no statement")
	}
	if slices.ContainsFunc(tokens, func(t token) bool { return t.is(";") }) {
		return nil, errors.New("these are two statements: send one at a time")
	}
	return tokens, nil
}

// readers are the words with which a statement begins that reads.
var readers = []string{"select", "with"}

// analyzers are the words with which EXPLAIN runs what it explains.
var analyzers = []string{"analyze", "analyse"}

// begins checks the first words.
func (q *Query) begins(d Dialect) error {
	rest := q.tokens
	if rest[0].isWord("explain") {
		q.Explains = true
		rest = rest[1:]
		switch {
		case d == SQLite && len(rest) > 2 && rest[0].isWord("query") && rest[1].isWord("plan"):
			rest = rest[2:]
		case d == Postgres && len(rest) > 1 && rest[0].isWord("verbose"):
			rest = rest[1:]
		}
	}
	if analyzes := slices.IndexFunc(
		rest, func(t token) bool { return slices.Contains(analyzers, t.name()) },
	); q.Explains && analyzes >= 0 {
		return errors.New("EXPLAIN with ANALYZE runs the statement: leave ANALYZE out")
	}
	if len(rest) == 0 || !slices.ContainsFunc(readers, rest[0].isWord) {
		return errors.New(
			"only statements that read are run: they begin with SELECT or WITH and no parenthesis, " +
				"or with EXPLAIN in front of that",
		)
	}
	return nil
}

// changers are words of statements that change something, or of parts of a SELECT that do.
var changers = strings.Fields("insert update delete merge into procedure")

// onlyReads checks all words of a statement that reads, or of a part of one.
func onlyReads(tokens []token, d Dialect) error {
	for i, t := range tokens {
		if name := t.plain(); d == SQLite && strings.HasPrefix(name, "pragma_") &&
			!slices.Contains(tellingPragmas, name) {
			return fmt.Errorf("%s is none of the pragmas that only tell something: leave it out", visible.Line(name))
		}
		if slices.ContainsFunc(changers, t.isWord) {
			return fmt.Errorf(
				"the word %s can change something: only statements that read are run; if it is the name of a column, "+
					"quote it",
				strings.ToUpper(t.text),
			)
		}
		next := func(n int, words ...string) bool {
			return i+n < len(tokens) && slices.ContainsFunc(words, tokens[i+n].isWord)
		}
		if t.isWord("for") && next(1, "share", "key", "no") || t.isWord("lock") && next(1, "in") {
			return errors.New("the statement locks rows: leave that out")
		}
		if t.isWord("next") && next(1, "value") && next(2, "for") {
			return errors.New("the statement takes a number from a sequence, which changes it")
		}
		called := i+1 < len(tokens) && tokens[i+1].is("(")
		if name := t.name(); called && name != "" && acts(name) {
			return fmt.Errorf("the function %s does more than read: leave it out", visible.Line(name))
		}
	}
	return nil
}
