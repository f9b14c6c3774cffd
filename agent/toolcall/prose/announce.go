package prose

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/internal/lazyregexp"
)

// The words before every marker in prose are checked, so this is written by hand: a regular expression takes many times
// as long.

// namesExample reports whether a line announces an example of what follows it, or ends with a word for writing.
func namesExample(line []byte) bool {
	for at := 0; at < len(line); at++ {
		if !isWordByte(line[at]) {
			continue
		}
		end := wordEnd(line, at)
		rest := line[end:]
		switch lowered(line[at:end]) {
		case "example", "syntax", "template":
			return true
		case "for":
			if startsWith(rest, " instance") {
				return true
			}
		case "such":
			if startsWith(rest, " as") {
				return true
			}
		case "e":
			if hasPrefixFold(rest, ".g.") {
				return true
			}
		case "i":
			if hasPrefixFold(rest, ".e.") {
				return true
			}
		case "write", "writes", "written", "writing", "emit", "emits", "output", "outputs", "print", "prints", "say", "says", "type", "types", "like", "as", "is", "form", "shape", "format":
			rest = bytes.TrimPrefix(bytes.TrimLeft(rest, scan.Whitespace), []byte(":"))
			if len(bytes.TrimLeft(rest, scan.Whitespace)) == 0 {
				return true
			}
		}
		at = end
	}
	return false
}

// foreignExamples says "for example" in other languages, without a first letter that may be a capital.
var foreignExamples = []string{
	"um Beispiel", "z. B.", "z.B.", "eispielsweise", "ar exemple", "or ejemplo", "or exemplo", "er esempio", "d esempio", "ijvoorbeeld", //nolint:misspell // French
	"a przykład", "апример", "例如", "比如", "例えば", "たとえば", "예를 들어",
}

func namesForeignExample(line []byte) bool {
	return slices.ContainsFunc(foreignExamples, func(words string) bool { return bytes.Contains(line, []byte(words)) })
}

// bullet matches list markers that Markdown does not know.
var bullet = lazyregexp.New(`^\s*(?:[•◦‣▪●·–—]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s+$`)

const maxBullet = 20 // bytes of a line that may be one

// endsWithReport reports whether prose ends with a sentence that quotes somebody. Text that looks like another marker
// may follow that sentence.
func endsWithReport(prose []byte) bool {
	end := len(bytes.TrimRight(prose, scan.Whitespace))
	for colon := bytes.LastIndexByte(prose[:end], ':'); colon >= 0; colon = bytes.LastIndexByte(prose[:colon], ':') {
		between := bytes.TrimLeft(prose[colon+1:end], scan.Whitespace)
		marker, found := bytes.CutPrefix(between, []byte("<"))
		if !found {
			marker, found = bytes.CutPrefix(between, []byte("to="))
		}
		if len(between) > 0 && (!found || bytes.IndexByte(marker, '\n') >= 0 || utf8.RuneCount(marker) > 60) {
			continue
		}
		if saidBefore(prose[:colon]) {
			return true
		}
	}
	return false
}

// saidBefore reports whether a sentence has a word for saying among its last 40 characters.
func saidBefore(sentence []byte) bool {
	count := 0
	for end := len(sentence); end > 0 && count <= 40; end-- {
		last := sentence[end-1]
		if isWordByte(last) && (end == len(sentence) || !isWordByte(sentence[end])) {
			start := end
			for start > 0 && isWordByte(sentence[start-1]) {
				start--
			}
			switch lowered(sentence[start:end]) {
			case "says", "said", "contains", "contained", "reads", "states", "stated", "shows", "showed", "prints", "printed", "returns", "returned", "writes", "wrote", "quotes", "quoted", "replies", "replied":
				return true
			}
		}
		if strings.IndexByte(".!?\n", last) >= 0 {
			return false
		}
		if utf8.RuneStart(last) {
			count++
		}
	}
	return false
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

func wordEnd(text []byte, at int) int {
	for at < len(text) && isWordByte(text[at]) {
		at++
	}
	return at
}

// startsWith reports whether text goes on with words, in any case.
func startsWith(text []byte, words string) bool {
	return hasPrefixFold(text, words) && (len(text) == len(words) || !isWordByte(text[len(words)]))
}

func hasPrefixFold(text []byte, words string) bool {
	return len(text) >= len(words) && strings.EqualFold(string(text[:len(words)]), words)
}

// lowered is a short word in lower case, and empty for words longer than all that are compared.
func lowered(word []byte) string {
	if len(word) > len("contained") {
		return ""
	}
	return strings.ToLower(string(word))
}
