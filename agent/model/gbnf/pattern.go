package gbnf

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var errPattern = errors.New("a pattern that a grammar cannot say")

// pattern is the expression of what stands between the quotes of a string that fits a regular expression. A character
// that JSON escapes is written so.
func (w *writer) pattern(text string) (string, error) {
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return "", err
	}
	before, err := anchored(re, syntax.OpBeginText)
	if err != nil {
		return "", err
	}
	behind, err := anchored(re, syntax.OpEndText)
	if err != nil {
		return "", err
	}
	body, err := w.expression(re, true, true)
	if err != nil {
		return "", err
	}
	body = group(body)
	if !before {
		body = "char* " + body
	}
	if !behind {
		body += " char*"
	}
	return body, nil
}

// anchored reports whether each way through an expression begins, or ends, with an anchor; an error, if some do.
func anchored(re *syntax.Regexp, anchor syntax.Op) (bool, error) {
	switch re.Op { //nolint:exhaustive // the others have none of it
	case anchor:
		return true, nil
	case syntax.OpCapture:
		return anchored(re.Sub[0], anchor)
	case syntax.OpConcat:
		edge := re.Sub[0]
		if anchor == syntax.OpEndText {
			edge = re.Sub[len(re.Sub)-1]
		}
		return anchored(edge, anchor)
	case syntax.OpAlternate:
		first, err := anchored(re.Sub[0], anchor)
		for _, sub := range re.Sub[1:] {
			other, otherErr := anchored(sub, anchor)
			if err = errors.Join(err, otherErr); err == nil && other != first {
				err = errPattern
			}
		}
		return first, err
	}
	return false, nil
}

// expression writes an expression. Anchors are allowed at the edges of the text alone.
func (w *writer) expression(re *syntax.Regexp, left, right bool) (string, error) {
	if re.Flags&syntax.FoldCase != 0 {
		return "", errPattern
	}
	switch re.Op { //nolint:exhaustive // the others have none of it
	case syntax.OpEmptyMatch:
		return `""`, nil
	case syntax.OpBeginText:
		return `""`, allowed(left)
	case syntax.OpEndText:
		return `""`, allowed(right)
	case syntax.OpLiteral:
		return literal(escaped(string(re.Rune))), nil
	case syntax.OpCharClass:
		return class(re.Rune)
	case syntax.OpAnyCharNotNL:
		return class([]rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune})
	case syntax.OpAnyChar:
		return "plain", nil
	case syntax.OpCapture:
		return w.expression(re.Sub[0], left, right)
	case syntax.OpConcat, syntax.OpAlternate:
		return w.several(re, left, right)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return w.repeated(re)
	}
	return "", errPattern
}

func allowed(ok bool) error {
	if !ok {
		return errPattern
	}
	return nil
}

// several writes what comes one after the other, or one of several.
func (w *writer) several(re *syntax.Regexp, left, right bool) (string, error) {
	var parts []string
	for i, sub := range re.Sub {
		atLeft, atRight := left, right
		if re.Op == syntax.OpConcat {
			atLeft, atRight = left && i == 0, right && i == len(re.Sub)-1
		}
		part, err := w.expression(sub, atLeft, atRight)
		if err != nil {
			return "", err
		}
		if re.Op == syntax.OpConcat && part == `""` {
			continue
		}
		if re.Op == syntax.OpConcat && sub.Op != syntax.OpLiteral {
			part = group(part)
		}
		parts = append(parts, part)
	}
	switch {
	case re.Op == syntax.OpAlternate:
		return strings.Join(parts, " | "), nil
	case len(parts) == 0:
		return `""`, nil
	}
	return strings.Join(parts, " "), nil
}

// repeated writes what comes again. What may be empty does not come again without end: servers do not end then.
func (w *writer) repeated(re *syntax.Regexp) (string, error) {
	least, most, mark := re.Min, re.Max, ""
	switch re.Op { //nolint:exhaustive // the others have none of it
	case syntax.OpStar:
		least, most, mark = 0, -1, "*"
	case syntax.OpPlus:
		least, most, mark = 1, -1, "+"
	case syntax.OpQuest:
		least, most, mark = 0, 1, "?"
	}
	body, err := w.expression(re.Sub[0], false, false)
	switch {
	case err != nil:
		return "", err
	case most < 0 && mayBeEmpty(re.Sub[0]), max(least, most) > mostRepeats:
		return "", errPattern
	case mark != "":
		return group(body) + mark, nil
	case most == 0:
		return `""`, nil
	}
	return repeat(w.rule(body), "", least, most), nil
}

func mayBeEmpty(re *syntax.Regexp) bool {
	switch re.Op { //nolint:exhaustive // the others have none of it
	case syntax.OpLiteral:
		return len(re.Rune) == 0
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return false
	case syntax.OpCapture, syntax.OpPlus:
		return mayBeEmpty(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || mayBeEmpty(re.Sub[0])
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !mayBeEmpty(sub) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, mayBeEmpty)
	}
	return true
}

// group makes one thing of an expression.
func group(text string) string {
	if !strings.ContainsAny(text, " |") {
		return text
	}
	return "(" + text + ")"
}

// class writes a set of characters, given by the first and the last of each range. One that excludes some has no line
// breaks and no tabs: few are meant to have them.
func class(ranges []rune) (string, error) {
	if len(ranges) == 2 && ranges[0] == 0 && ranges[1] == unicode.MaxRune {
		return "plain", nil
	}
	excludes := len(ranges) > 0 && ranges[0] == 0
	var plain strings.Builder
	var all []string
	for i := 0; i < len(ranges); i += 2 {
		first, last := ranges[i], ranges[i+1]
		for _, c := range "\t\n\r\"\\" {
			if first <= c && c <= last && (c >= ' ' || !excludes) {
				all = append(all, literal(escaped(string(c))))
			}
		}
		for _, part := range [][2]rune{{' ', '!'}, {'#', '['}, {']', '~'}, {0x80, 0xD7FF}, {0xE000, unicode.MaxRune}} {
			if from, to := max(first, part[0]), min(last, part[1]); from <= to {
				plain.WriteString(spell(from))
				if to > from {
					plain.WriteString("-" + spell(to))
				}
			}
		}
	}
	if plain.Len() > 0 {
		all = append([]string{"[" + plain.String() + "]"}, all...)
	}
	if len(all) == 0 {
		return "", errPattern
	}
	return strings.Join(all, " | "), nil
}

// escaped is a text as it is between the quotes of a string in JSON.
func escaped(text string) string {
	quoted := quote(text)
	return quoted[1 : len(quoted)-1]
}

// spell writes a character of a set, by its number where it could mean something else.
func spell(c rune) string {
	switch {
	case c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("_/.:;,!+*", c)):
		return string(c)
	case c < 0x100:
		return fmt.Sprintf(`\x%02X`, c)
	case c < 0x10000:
		return fmt.Sprintf(`\u%04X`, c)
	}
	return fmt.Sprintf(`\U%08X`, c)
}
