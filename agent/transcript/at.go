package transcript

import (
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// listItem begins an item of a list, and with it a paragraph of its own.
var listItem = lazyregexp.New(`^[ \t]*([-+*]|\d{1,9}[.)])[ \t]`)

// AtWords finds the words that begin with "@": at the start of a line or behind a blank, an opening bracket or a
// quotation mark, and not in code, HTML blocks or comments. A word ends at a blank, or is quoted: @"a word". The time
// is linear in the length of the text.
func AtWords(markdown string) []Span {
	if !strings.Contains(markdown, "@") {
		return nil
	}
	var found []Span
	var run Span // a paragraph, whose code may go over several lines
	for line, goesOn := range proseLines(markdown) {
		if goesOn && !listItem().MatchString(markdown[line.Start:line.End]) {
			run.End = line.End
			continue
		}
		found = append(found, atWordsIn(markdown[run.Start:run.End], run.Start)...)
		run = line
	}
	return append(found, atWordsIn(markdown[run.Start:run.End], run.Start)...)
}

// atWordsIn finds them in one paragraph, which begins at an offset of its text.
func atWordsIn(text string, offset int) []Span {
	if !strings.Contains(text, "@") {
		return nil
	}
	var found []Span
	ends := codeEnds(text)
	for i := 0; i < len(text); {
		if next := skip(text, i, ends); next > i {
			i = next
			continue
		}
		n := 1
		if text[i] == '@' && opensWord(text[:i]) {
			n = atWordLength(text[i:])
			found = append(found, Span{offset + i, offset + i + n})
		}
		i += n
	}
	return found
}

// opensWord reports whether an "@" behind this text begins a word: that of an address of mail does not.
func opensWord(before string) bool {
	last, size := utf8.DecodeLastRuneInString(before)
	return size == 0 || strings.ContainsRune(" \t\r\n([{<>\"'“‘«„*|,;—–\u00a0", last)
}

// maxAtWord is how far a word is looked at, in bytes.
const maxAtWord = 8 << 10

// atWordLength is the length of the word that a text begins with.
func atWordLength(text string) int {
	at := 1
	text = text[:min(len(text), maxAtWord)]
	if strings.HasPrefix(text[1:], `"`) {
		if end := strings.IndexAny(text[2:], "\"\r\n"); end >= 0 && text[2+end] == '"' {
			at = 2 + end + 1
		}
	}
	if end := strings.IndexAny(text[at:], " \t\r\n`"); end >= 0 {
		text = text[:at+end]
	}
	for _, next := range []string{",@", ";@"} {
		if i := strings.Index(text[at:], next); i >= 0 {
			text = text[:at+i]
		}
	}
	return len(text)
}
