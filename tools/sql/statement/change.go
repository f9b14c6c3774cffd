package statement

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
)

// Change is a statement that inserts, updates or deletes rows of one table.
type Change struct {
	Text  string // what a database gets, as in Query
	Table string // as the statement writes it
	// Rows is how many rows it touches, if its words say so; else -1, and Count says it.
	Rows int
	// Count is a query for one number, how many rows it would touch now.
	Count string
	// All says that it is about all rows of the table: it has no WHERE.
	All bool
}

var errChange = errors.New(
	"only this is run: INSERT INTO table … VALUES or SELECT, UPDATE table SET … WHERE …, DELETE FROM table WHERE …, " +
		"each without another name for the table",
)

// maxChange is the longest statement that changes something, in bytes: a person has to read it whole.
const maxChange = 8 << 10

// systems are the schemas in which databases keep what tables, users and rights there are. PostgreSQL's begin with pg_.
var systems = []string{"information_schema", "performance_schema", "mysql", "sys"}

// isSystems reports whether a table is one in which a database keeps what tables, users and rights there are.
func isSystems(names []string) bool {
	last := len(names) - 1
	return strings.HasPrefix(names[last], "sqlite_") ||
		slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "pg_") }) ||
		slices.ContainsFunc(names[:last], func(name string) bool { return slices.Contains(systems, name) })
}

// more are words by which such a statement changes or gives more than its beginning says, or by which it reads from
// what it changed.
var more = strings.Fields("with returning conflict duplicate merge")

// ReadChange reads a statement that changes rows of one table. The error is a sentence without its end, for who wrote
// it.
func ReadChange(text string, d Dialect) (Change, error) {
	tokens, err := one(text, d)
	if err != nil {
		return Change{}, err
	}
	c := Change{Text: join(tokens), Rows: -1}
	inserts, deletes, at := begins(tokens, "insert", "into"), begins(tokens, "delete", "from"), 2
	if begins(tokens, "update") {
		at = 1
	} else if !inserts && !deletes {
		return Change{}, errChange
	}
	names, rest := table(tokens[at:])
	switch {
	case len(names) == 0:
		return Change{}, errChange
	case len(c.Text) > maxChange:
		return Change{}, fmt.Errorf(
			"the statement is longer than %d KB, which nobody would read who is asked: change fewer rows at a time",
			maxChange>>10,
		)
	case isSystems(names):
		return Change{}, fmt.Errorf(
			"the table %s is the database's own, which says what there is and who may do what",
			visible.Line(strings.Join(names, ".")),
		)
	}
	c.Table = strings.TrimSpace(join(tokens[at : len(tokens)-len(rest)]))
	if err := changesNoMore(rest, d); err != nil {
		return Change{}, err
	}
	switch {
	case inserts && d == SQLite && commands(tokens[len(tokens)-len(rest)-1], rest):
		return Change{}, fmt.Errorf(
			"a column has the name of the table %s, which is a command where that is made for a full-text search; "+
				"if it is none, leave the list of columns out",
			visible.Line(c.Table),
		)
	case inserts:
		if err := c.readInsert(rest); err != nil {
			return Change{}, err
		}
	case deletes && len(rest) > 0 && !rest[0].isWord("where"), !deletes && (len(rest) < 2 || !rest[0].isWord("set")):
		return Change{}, errChange
	default:
		if err := c.readWhere(rest); err != nil {
			return Change{}, err
		}
	}
	if c.Count != "" {
		if _, err := Read(c.Count, d); err != nil {
			return Change{}, fmt.Errorf("its rows could not be counted before it runs: %w", err)
		}
	}
	return c, nil
}

// begins reports whether a statement begins with some words, and goes on.
func begins(tokens []token, words ...string) bool {
	for i, w := range words {
		if i+1 >= len(tokens) || !tokens[i].isWord(w) {
			return false
		}
	}
	return true
}

// table reads the name of a table, which may have that of its schema in front, in lower case; nil: there is none.
func table(tokens []token) (names []string, rest []token) {
	for i := 0; i < len(tokens) && tokens[i].name() != ""; i += 2 {
		names = append(names, tokens[i].name())
		if i+1 == len(tokens) || !tokens[i+1].is(".") {
			return names, tokens[i+1:]
		}
	}
	return nil, nil
}

// changesNoMore checks all that is behind the name of the table: a part of it may be between parentheses of a
// longer statement.
func changesNoMore(rest []token, d Dialect) error {
	depth := 0
	for _, t := range rest {
		if slices.ContainsFunc(more, t.isWord) {
			return fmt.Errorf(
				"the word %s is not taken here: insert, update or delete rows of one table, and nothing else; "+
					"if it is the name of a column, quote it",
				strings.ToUpper(t.text),
			)
		}
		if depth += t.nests(); depth < 0 {
			break
		}
	}
	if depth != 0 {
		return unclear("its parentheses do not fit")
	}
	return onlyReads(rest, d)
}

// outside finds the first of some words that is between no parentheses; -1: there is none.
func outside(tokens []token, words ...string) int {
	depth := 0
	return slices.IndexFunc(tokens, func(t token) bool {
		depth += t.nests()
		return depth <= 0 && slices.ContainsFunc(words, t.isWord)
	})
}

// columns is the list of columns of an INSERT, with its parentheses, if one is here.
func columns(rest []token) []token {
	depth := 0
	for i, t := range rest {
		if depth += t.nests(); depth == 0 {
			return rest[:i+min(i, 1)]
		}
	}
	return nil
}

// commands reports whether an INSERT gives a table of SQLite's full-text search a command, by the column with the name
// of the table.
func commands(table token, rest []token) bool {
	return slices.ContainsFunc(columns(rest), func(t token) bool { return t.plain() == table.plain() })
}

// readInsert reads what an INSERT gives the table, behind its name.
func (c *Change) readInsert(rest []token) error {
	if len(rest) == 2 && rest[0].isWord("default") && rest[1].isWord("values") {
		c.Rows = 1
		return nil
	}
	rest = rest[len(columns(rest)):]
	switch {
	case len(rest) > 1 && rest[0].isWord("select"):
		c.Count = "SELECT count(*) AS n FROM (" + join(rest) + ") AS inserted"
		return nil
	case len(rest) > 1 && rest[0].isWord("values"):
		rows, depth := 0, 0
		for i, t := range rest[1:] {
			switch {
			case t.is("("):
				if depth == 0 && i > 0 && !rest[i].is(",") {
					return errChange
				}
				if depth++; depth == 1 {
					rows++
				}
			case t.is(")"):
				depth--
			case depth == 0 && (!t.is(",") || !rest[i].is(")")):
				return errChange
			}
		}
		if rest[len(rest)-1].is(")") {
			c.Rows = rows
			return nil
		}
	}
	return errChange
}

// uncounted are words by which other tables, or a number of rows, have a part in what is touched.
var uncounted = strings.Fields("from using join order limit fetch current")

// readWhere makes the count of an UPDATE or a DELETE from what is behind the name of the table.
func (c *Change) readWhere(rest []token) error {
	at := outside(rest, "where")
	c.All = at < 0
	for start := 0; ; {
		found := outside(rest[start:], uncounted...)
		if found < 0 {
			break
		}
		start += found + 1
		if isDistinctFrom(rest[:start]) {
			continue
		}
		return fmt.Errorf("its rows could not be counted before it runs, because of the word %s: "+
			"say which are meant by WHERE … IN (SELECT …); if it is the name of a column, quote it",
			strings.ToUpper(rest[start-1].text))
	}
	c.Count = "SELECT count(*) AS n FROM " + c.Table
	if !c.All {
		c.Count += " " + join(rest[at:])
	}
	return nil
}

// isDistinctFrom reports whether tokens end with the comparison IS DISTINCT FROM, or IS NOT DISTINCT FROM.
func isDistinctFrom(tokens []token) bool {
	last := len(tokens) - 1
	return last > 1 && tokens[last].isWord("from") && tokens[last-1].isWord("distinct") &&
		(tokens[last-2].isWord("is") || tokens[last-2].isWord("not"))
}
