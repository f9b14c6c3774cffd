package command

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Pattern says which programs with which arguments a rule is about. The zero value matches nothing.
type Pattern struct {
	words []string // literal, or any where it is true at the same place
	any   []bool
	more  bool // any further words may follow
}

// ParsePattern reads a pattern: words as a shell splits them, all literal but for a bare *, which stands for one word,
// and a bare ** at the end, which stands for any further words or none. The error is a sentence that says what is
// wrong.
func ParsePattern(text string) (Pattern, error) {
	var p Pattern
	words, err := split(text)
	if err != nil {
		return Pattern{}, err
	}
	for i, w := range words {
		switch bare := w.Lit(); {
		case bare == "*":
			p.words, p.any = append(p.words, ""), append(p.any, true)
		case bare == "**" && i == len(words)-1:
			p.more = true
		case bare == "**":
			return Pattern{}, errors.New("** may be only at the end of a command")
		default:
			value, err := word(w)
			if err != nil {
				return Pattern{}, errors.New(
					"a command's words are literal, or * for any one word; put others in single quotes",
				)
			}
			p.words, p.any = append(p.words, value), append(p.any, false)
		}
	}
	if len(p.words) == 0 || p.any[0] {
		return Pattern{}, errors.New("a command's pattern begins with the name of a program")
	}
	return p, nil
}

// split splits a pattern into words.
func split(text string) ([]*syntax.Word, error) {
	file, err := syntax.NewParser(syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	wrong := errors.New(
		"a command's pattern is one program and its arguments, without operators, variables or comments",
	)
	if err != nil || len(file.Stmts) != 1 || len(file.Last) > 0 {
		return nil, wrong
	}
	s := file.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns)+len(s.Redirs)+len(s.Comments) > 0 || s.Negated || s.Background ||
		s.Semicolon.IsValid() {
		return nil, wrong
	}
	return call.Args, nil
}

// Match reports whether the pattern is about a program with its arguments.
func (p Pattern) Match(argv []string) bool {
	if len(p.words) == 0 || len(argv) < len(p.words) || len(argv) > len(p.words) && !p.more {
		return false
	}
	for i, w := range p.words {
		if !p.any[i] && w != argv[i] {
			return false
		}
	}
	return true
}

// Covers reports whether a pattern is about everything that another is about.
func (p Pattern) Covers(other Pattern) bool {
	if len(p.words) > len(other.words) || len(p.words) < len(other.words) && !p.more || other.more && !p.more {
		return false
	}
	for i, w := range p.words {
		if !p.any[i] && (other.any[i] || w != other.words[i]) {
			return false
		}
	}
	return len(p.words) > 0
}

// Quote is how words are written in a command line and in a pattern, so that each stands for itself.
func Quote(argv ...string) string {
	out := make([]string, len(argv))
	for i, w := range argv {
		out[i] = w
		if w == "" || strings.Trim(w, programLetters+"=:,%@") != "" || slices.Contains(shellWords, w) ||
			strings.Contains(w, "=") && i == 0 {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}
