package statement

import (
	"errors"
	"slices"
	"strconv"
)

var errLimit = errors.New(
	"the number of rows is not clear: end the statement with LIMIT and a plain number, " +
		"such as LIMIT 20 or LIMIT 20 OFFSET 40, or leave it out",
)

// readLimit finds the number of rows that a statement asks for, and refuses one that bounds them in a way that is not
// understood.
func (q *Query) readLimit() error {
	at := outside(q.tokens, "fetch", "limit")
	switch {
	case at < 0:
		return nil
	case q.tokens[at].isWord("fetch"):
		return errLimit
	}
	return q.readCount(at + 1)
}

// readCount reads what is behind LIMIT: it must be the end of the statement.
func (q *Query) readCount(at int) error {
	rest := q.tokens[at:]
	number := func(n int) bool {
		_, err := strconv.ParseUint(rest[n].text, 10, 31)
		return rest[n].kind == word && err == nil
	}
	switch {
	case len(rest) == 1 && number(0), len(rest) == 3 && number(0) && rest[1].isWord("offset") && number(2):
		q.count = at
	case len(rest) == 3 && number(0) && rest[1].is(",") && number(2): // LIMIT offset, count
		q.count = at + 2
	default:
		return errLimit
	}
	return nil
}

// AtMost is the statement as it asks for at most n rows; a plan has as many as it has.
func (q Query) AtMost(n int) string {
	switch {
	case q.Explains:
		return q.Text
	case q.count == 0:
		return q.Text + " LIMIT " + strconv.Itoa(n)
	}
	if asked, err := strconv.Atoi(q.tokens[q.count].text); err == nil && asked <= n {
		return q.Text
	}
	tokens := slices.Clone(q.tokens)
	tokens[q.count].text = strconv.Itoa(n)
	return join(tokens)
}

// Sources are the names behind FROM and JOIN.
func (q Query) Sources() (names []string) {
	for i, t := range q.tokens {
		if (t.isWord("from") || t.isWord("join")) && i+1 < len(q.tokens) {
			names = append(names, q.tokens[i+1].name())
		}
	}
	return names
}
