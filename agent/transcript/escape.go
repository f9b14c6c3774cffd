package transcript

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// closedMark follows a line that Assent wrote to close a fence or an HTML block that a text had left open. Neither line
// is part of the text.
const closedMark = "<!-- assent: closed -->"

// maxIndent is how far a heading or fence may be indented.
const maxIndent = 3

var reservedWords = words("thinking tool result malformed context reason answer")

// match is the answer to: does a line begin with something that Assent would read as its own?
type match uint8

const (
	no    match = iota
	maybe       // not yet, but more of the line could make it so
	yes
)

// ownMark finds what Assent would read as its own in a line at the top level: a heading of a turn, a fence with a
// reserved word, an image of a result or a context, or closedMark. at is where the backslash is, or would be,
// that makes it plain text; backslashes there are already counted in. whole says that the line ends where it ends.
func ownMark(line string, whole bool) (at int, m match) {
	at = leading(line, ' ')
	if at > maxIndent {
		return 0, no
	}
	rest := line[at:]
	if rest != "" && (rest[0] == '`' || rest[0] == '~') {
		return ownFence(line, at, whole)
	}
	rest = rest[leading(rest, '\\'):]
	if rest != "" && rest[0] == '!' {
		return ownImageMark(rest, at, whole)
	}
	switch {
	case whole && (rest == "" || rest[0] != '#' && rest[0] != '<'):
	case whole && (headingRole(rest) != 0 || strings.TrimRight(rest, " \t") == closedMark):
		return at, yes
	case !whole && (headingBegins(rest) || strings.HasPrefix(closedMark, strings.TrimRight(rest, " \t"))):
		return at, maybe
	}
	return 0, no
}

// ownImageMark is ownMark for a line with an exclamation mark after its indentation and backslashes.
func ownImageMark(rest string, at int, whole bool) (int, match) {
	if !whole && mayBeImage(rest) {
		return at, maybe
	}
	if _, ok := ownImage(rest); ok {
		return at, yes
	}
	return 0, no
}

// headingBegins reports whether more text could make s the heading of a turn.
func headingBegins(s string) bool {
	if len(s) < 2 {
		return strings.HasPrefix("##", s)
	}
	title, ok := strings.CutPrefix(s, "##")
	word := strings.TrimLeft(title, " \t")
	if !ok || word == title && word != "" {
		return false
	}
	for _, name := range []string{"You", "Assistant"} {
		after, ok := strings.CutPrefix(word, name)
		if strings.HasPrefix(name, word) || ok && strings.Trim(after, " \t#") == "" {
			return true
		}
	}
	return false
}

// ownFence is ownMark for a line with a run of backticks or tildes after its indentation.
func ownFence(line string, indent int, whole bool) (at int, m match) {
	n := leading(line[indent:], line[indent])
	at = indent + n
	if n < 3 {
		if at == len(line) && !whole {
			return 0, maybe
		}
		return 0, no
	}
	for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
		at++
	}
	rest := line[at+leading(line[at:], '\\'):]
	word := firstWord(rest)
	if word != rest || whole {
		if reservedWords[word] {
			return at, yes
		}
		return 0, no
	}
	for reserved := range reservedWords {
		if strings.HasPrefix(reserved, word) {
			return 0, maybe
		}
	}
	return 0, no
}

// encodeField writes s as one word of an info string.
func encodeField(s string) string {
	switch s {
	case "":
		return "-"
	case "-":
		return "%2D"
	case notSent:
		return "not%2Dsent"
	}
	return percentEncode(s, func(r rune) bool {
		return r > ' ' && r != '`' && r != '%' && r != utf8.RuneError && !hidden(r) && !unicode.IsSpace(r)
	})
}

// percentEncode writes the bytes of what is not to be kept, and what is no UTF-8, as "%" and two digits.
func percentEncode(s string, keep func(rune) bool) string {
	var b strings.Builder
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if keep(r) && (r != utf8.RuneError || n > 1) {
			b.WriteString(s[:n])
		} else {
			for _, c := range []byte(s[:n]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		s = s[n:]
	}
	return b.String()
}

// decodeField is the inverse of encodeField; a "%" without two digits stands for itself.
func decodeField(s string) string {
	if s == "-" {
		return ""
	}
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && upperHex(s[i+1:i+3]) {
			decoded, _ := strconv.ParseUint(s[i+1:i+3], 16, 8)
			c = byte(decoded)
			i += 2
		}
		b.WriteByte(c)
	}
	return b.String()
}
