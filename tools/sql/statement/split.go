package statement

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/internal/visible"
)

// kind is what a token is.
type kind int

const (
	symbol kind = iota
	word        // a name or a keyword, without quotes; a number
	quoted      // a text or a name in quotes
)

// token is a piece of a statement.
type token struct {
	kind   kind
	text   string
	spaced bool // something that is no token is before it
}

func (t token) is(s string) bool { return t.kind == symbol && t.text == s }

func (t token) isWord(w string) bool { return t.kind == word && strings.EqualFold(t.text, w) }

// nests is by how much what follows lies deeper between parentheses.
func (t token) nests() int {
	switch {
	case t.is("("):
		return 1
	case t.is(")"):
		return -1
	}
	return 0
}

// name is a name in lower case, without its quotes; empty: the token is none.
func (t token) name() string {
	switch {
	case t.kind == word:
		return strings.ToLower(t.text)
	case t.kind == quoted && len(t.text) > 2 && t.text[0] != '\'' && t.text[0] != '$':
		return strings.ToLower(t.text[1 : len(t.text)-1])
	}
	return ""
}

// plain is a token without quotes around it, as SQLite reads a name, in lower case.
func (t token) plain() string {
	if t.kind != quoted {
		return strings.ToLower(t.text)
	}
	q := t.text[len(t.text)-1:]
	return strings.ToLower(strings.ReplaceAll(t.text[1:len(t.text)-1], q+q, q))
}

// join writes tokens as one text.
func join(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if t.spaced && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// splitter reads a statement from its beginning on.
type splitter struct {
	text    string
	at      int
	dialect Dialect
}

var errUnclear = errors.New("the statement cannot be read for certain")

func unclear(why string) error { return fmt.Errorf("%w: %s", errUnclear, why) }

// split divides a statement into tokens. Comments and spaces are none.
func split(text string, d Dialect) ([]token, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	switch {
	case !utf8.ValidString(text):
		return nil, unclear("it is not UTF-8")
	case strings.ContainsAny(text, "\r\v\f") || visible.Text(text) != text:
		return nil, unclear("it holds characters that cannot be seen")
	}
	s := &splitter{text: text, dialect: d}
	var tokens []token
	spaced := false
	for s.at < len(s.text) {
		skipped, err := s.skip()
		if err != nil {
			return nil, err
		}
		if spaced = spaced || skipped; s.at == len(s.text) {
			break
		}
		if skipped {
			continue
		}
		if n := len(tokens); n > 0 && !spaced && s.text[s.at] == '.' && tokens[n-1].name() != "" &&
			s.at+1 < len(s.text) && isDigit(s.text[s.at+1]) {
			return nil, errNumber // a column whose name begins with a digit, or a number behind a name
		}
		t, err := s.token()
		if err != nil {
			return nil, err
		}
		t.spaced, spaced = spaced, false
		tokens = append(tokens, t)
	}
	return tokens, nil
}

func (s *splitter) rest() string { return s.text[s.at:] }

// skip goes past spaces and a comment.
func (s *splitter) skip() (skipped bool, err error) {
	trimmed := strings.TrimLeft(s.rest(), " \t\n")
	skipped = len(trimmed) < len(s.rest())
	s.at = len(s.text) - len(trimmed)
	switch {
	case strings.HasPrefix(trimmed, "--") && s.dialect == MySQL && len(trimmed) > 2 &&
		strings.IndexByte(" \t\n", trimmed[2]) < 0:
		return false, unclear("MySQL takes -- for a comment only if a space follows")
	case strings.HasPrefix(trimmed, "--"), strings.HasPrefix(trimmed, "#") &&
		(s.dialect == MySQL || s.dialect == GoogleSQL):
		end := strings.IndexByte(trimmed, '\n')
		if end < 0 {
			end = len(trimmed)
		}
		s.at += end
		return true, nil
	case strings.HasPrefix(trimmed, "/*"):
		end := strings.Index(trimmed[2:], "*/")
		if end < 0 {
			return false, unclear("a comment has no end")
		}
		inner := trimmed[2 : 2+end]
		if strings.HasPrefix(inner, "!") || strings.HasPrefix(inner, "M!") || strings.HasPrefix(inner, "m!") {
			return false, unclear("MySQL runs what is in this comment")
		}
		if strings.Contains(inner, "/*") {
			return false, unclear("a comment has another one in it")
		}
		s.at += 2 + end + 2
		return true, nil
	}
	return skipped, nil
}

// token reads the token that begins here.
func (s *splitter) token() (token, error) {
	switch c := s.text[s.at]; {
	case c == '\'' || c == '"' || c == '`':
		return s.quote(c)
	case c == '[' && s.dialect == SQLite:
		return s.until("]")
	case c == '$' && s.dialect == Postgres:
		return s.dollar()
	case isDigit(c), c == '.' && s.at+1 < len(s.text) && isDigit(s.text[s.at+1]):
		return s.number()
	case inWord(c):
		return s.word()
	case strings.IndexByte("?@$#\\", c) >= 0 && !s.operator(c), c == ':' && s.dialect == SQLite:
		return token{}, unclear(fmt.Sprintf("the character %c stands for nothing here", c))
	case strings.HasPrefix(s.rest(), ":="):
		return token{}, errors.New("the statement sets a variable")
	}
	_, size := utf8.DecodeRuneInString(s.rest())
	return s.take(symbol, size), nil
}

// operator reports whether a character is one of PostgreSQL's operators, such as @> and #>>.
func (s *splitter) operator(c byte) bool {
	return s.dialect == Postgres && c != '\\' && c != '$'
}

func (s *splitter) take(k kind, n int) token {
	t := token{kind: k, text: s.text[s.at : s.at+n]}
	s.at += n
	return t
}

func inWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

var errNumber = unclear(
	"a number runs into what follows; put a space behind a number, and quotes around a name that begins with a digit",
)

// number is how all dialects write a number.
var number = lazyregexp.New(`^(0[xX][0-9a-fA-F]+|([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?)`)

// number reads a number. Where one ends is not the same in all dialects if a letter or a point follows: MySQL reads
// 1.5INTO as two words.
func (s *splitter) number() (token, error) {
	n := len(number().FindString(s.rest()))
	if n < len(s.rest()) && (inWord(s.rest()[n]) || strings.IndexByte(".$", s.rest()[n]) >= 0) {
		return token{}, errNumber
	}
	return s.take(word, n), nil
}

// word reads a name or a keyword; a letter right before a quote says how that is read.
func (s *splitter) word() (token, error) {
	n := 1
	for n < len(s.rest()) && (inWord(s.rest()[n]) || s.rest()[n] == '$') {
		n++
	}
	if strings.ContainsFunc(s.rest()[:n], unicode.IsSpace) {
		return token{}, unclear("it cannot be told whether a space that is not the usual one is part of a name")
	}
	after := s.rest()[n:]
	prefix := strings.ToLower(s.rest()[:n])
	switch {
	case s.dialect == Postgres && prefix == "e" && strings.HasPrefix(after, "'"):
		return token{}, unclear("write a text as '…' without E in front and without backslashes")
	case prefix == "u" && strings.HasPrefix(after, "&"):
		return token{}, unclear("write names and texts without U& in front")
	case s.dialect == GoogleSQL && (prefix == "r" || prefix == "rb" || prefix == "br") &&
		(strings.HasPrefix(after, "'") || strings.HasPrefix(after, `"`)):
		return token{}, unclear("write a text as '…' without R in front")
	}
	return s.take(word, n), nil
}

// quote reads a text or a name in quotes. Two quotes in it are one. Where a backslash may be an escape, it must not
// be before a quote.
func (s *splitter) quote(q byte) (token, error) {
	switch {
	case q == '`' && s.dialect == Postgres:
		return token{}, unclear("PostgreSQL knows no ` quotes: names stand in \"")
	case s.dialect == GoogleSQL && strings.HasPrefix(s.rest(), strings.Repeat(string(q), 3)):
		return token{}, unclear("write a text in one pair of quotes")
	}
	escapes := s.dialect == MySQL || s.dialect == GoogleSQL
	for i := 1; i < len(s.rest()); i++ {
		c := s.rest()[i]
		next := byte(0)
		if i+1 < len(s.rest()) {
			next = s.rest()[i+1]
		}
		switch {
		case c == '\\' && escapes && (next == '\'' || next == '"' || next == '`'):
			return token{}, unclear(`there is a backslash before a quote: write the quote twice instead`)
		case c == '\\' && escapes && next == '\\', c == q && next == q && s.dialect != GoogleSQL:
			i++
		case c == q:
			return s.take(quoted, i+1), nil
		}
	}
	return token{}, unclear("a quote has no end")
}

func (s *splitter) until(end string) (token, error) {
	n := strings.Index(s.rest(), end)
	if n < 0 {
		return token{}, unclear("a quote has no end")
	}
	return s.take(quoted, n+len(end)), nil
}

// dollar reads a text of PostgreSQL between $tag$ and $tag$.
func (s *splitter) dollar() (token, error) {
	n := 1
	for n < len(s.rest()) && inWord(s.rest()[n]) {
		n++
	}
	if n == len(s.rest()) || s.rest()[n] != '$' || n > 1 && s.rest()[1] >= '0' && s.rest()[1] <= '9' {
		return token{}, unclear("the character $ stands for nothing here")
	}
	tag := s.rest()[:n+1]
	end := strings.Index(s.rest()[len(tag):], tag)
	if end < 0 {
		return token{}, unclear("a quote has no end")
	}
	return s.take(quoted, end+2*len(tag)), nil
}
