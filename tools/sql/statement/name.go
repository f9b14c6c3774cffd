package statement

import (
	"slices"
	"strings"
)

// reserved are words that people use as names, and that at least one of the databases takes for its own unless they
// are quoted.
var reserved = strings.Fields(
	"all and any as asc between by case check column condition constraint create current_date current_user " +
		"default delete desc distinct do drop else end except exists false fetch for foreign from function grant " +
		"group groups having if in index insert interval into is join key keys left like limit lock match natural " +
		"not null of offset on option or order over partition primary range rank read references release replace " +
		"right row rows schema select session_user set some system table then to trigger true union unique update " +
		"usage user using values view when where window with write",
)

// Name is a name as a statement has to write it: in quotes unless it is plain in every reading.
func Name(name string, d Dialect) string {
	quote := `"`
	if d == MySQL || d == GoogleSQL {
		quote = "`"
	}
	if isPlain(name, d) {
		return name
	}
	return quote + strings.ReplaceAll(name, quote, quote+quote) + quote
}

// isPlain reports whether a name means itself without quotes. PostgreSQL writes it in small letters then.
func isPlain(name string, d Dialect) bool {
	odd := func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') && (d == Postgres || r < 'A' || r > 'Z')
	}
	return name != "" && (name[0] < '0' || name[0] > '9') && !strings.ContainsFunc(name, odd) &&
		!slices.Contains(reserved, strings.ToLower(name))
}
