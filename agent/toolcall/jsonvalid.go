package toolcall

import "unicode/utf8"

// maxJSONDepth is where the standard library gives up, too.
const maxJSONDepth = 10_000

// validJSON is json.Valid, several times as fast on long strings: a call is checked whenever it is whole.
func validJSON[T string | []byte](text T) bool {
	end := validValue(text, skipBlanks(text, 0), 0)
	return end > 0 && skipBlanks(text, end) == len(text)
}

// validValue gives the end of the valid JSON value at a place, or -1.
func validValue[T string | []byte](text T, at, depth int) int {
	if at < 0 || at >= len(text) || depth > maxJSONDepth {
		return -1
	}
	switch b := text[at]; b {
	case '{':
		return validMembers(text, at+1, depth+1, '}')
	case '[':
		return validMembers(text, at+1, depth+1, ']')
	case '"':
		return validString(text, at)
	case 't':
		return validWord(text, at, "true")
	case 'f':
		return validWord(text, at, "false")
	case 'n':
		return validWord(text, at, "null")
	}
	return validNumber(text, at)
}

// validMembers reads the inside of an object or a list, its closer included.
func validMembers[T string | []byte](text T, at, depth int, closer byte) int {
	at = skipBlanks(text, at)
	if at < len(text) && text[at] == closer && depth <= maxJSONDepth {
		return at + 1
	}
	for {
		if closer == '}' {
			if at >= len(text) || text[at] != '"' {
				return -1
			}
			if at = validString(text, at); at < 0 {
				return -1
			}
			if at = skipBlanks(text, at); at >= len(text) || text[at] != ':' {
				return -1
			}
			at = skipBlanks(text, at+1)
		}
		if at = validValue(text, at, depth); at < 0 {
			return -1
		}
		switch at = skipBlanks(text, at); {
		case at >= len(text):
			return -1
		case text[at] == closer:
			return at + 1
		case text[at] != ',':
			return -1
		}
		at = skipBlanks(text, at+1)
	}
}

// plainInString are the bytes of a JSON string that stand for themselves.
var plainInString = func() (set byteSet) {
	for b := range set {
		if b < ' ' || b == '"' || b == '\\' {
			set[b] = telling
		}
	}
	return set
}()

// plainInQuotes are those that appendQuoted need not look at.
var plainInQuotes = func() (set byteSet) {
	set = plainInString
	for b := utf8.RuneSelf; b < len(set); b++ {
		set[b] = telling
	}
	return set
}()

func validString[T string | []byte](text T, at int) int {
	for at++; at < len(text); at++ {
		for at+4 <= len(text) && plainInString[text[at]]|plainInString[text[at+1]]|plainInString[text[at+2]]|plainInString[text[at+3]] == free {
			at += 4
		}
		for at < len(text) && plainInString[text[at]] == free {
			at++
		}
		switch {
		case at == len(text):
			return -1
		case text[at] == '"':
			return at + 1
		case text[at] != '\\' || at+1 == len(text):
			return -1
		}
		at++
		switch text[at] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			if at+4 >= len(text) {
				return -1
			}
			for range 4 {
				if at++; !isHex(text[at]) {
					return -1
				}
			}
		default:
			return -1
		}
	}
	return -1
}

func isHex(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

func validWord[T string | []byte](text T, at int, word string) int {
	if len(text)-at < len(word) || string(text[at:at+len(word)]) != word {
		return -1
	}
	return at + len(word)
}

func validNumber[T string | []byte](text T, at int) int {
	if text[at] == '-' {
		at++
	}
	switch end := skipDigits(text, at); {
	case end == at, text[at] == '0' && end > at+1:
		return -1
	default:
		at = end
	}
	if at < len(text) && text[at] == '.' {
		end := skipDigits(text, at+1)
		if end == at+1 {
			return -1
		}
		at = end
	}
	if at < len(text) && (text[at] == 'e' || text[at] == 'E') {
		at++
		if at < len(text) && (text[at] == '+' || text[at] == '-') {
			at++
		}
		end := skipDigits(text, at)
		if end == at {
			return -1
		}
		at = end
	}
	return at
}

func skipDigits[T string | []byte](text T, at int) int {
	for at < len(text) && text[at] >= '0' && text[at] <= '9' {
		at++
	}
	return at
}

func skipBlanks[T string | []byte](text T, at int) int {
	for at < len(text) && isSpace(text[at]) {
		at++
	}
	return at
}

// shortEscapes are the bytes that a backslash and one letter stand for.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '\n': 'n', '\t': 't', '\r': 'r', '\b': 'b', '\f': 'f'}

const hexDigits = "0123456789abcdef"

// appendQuoted appends a JSON string, four plain bytes at once where it can. It leaves <, > and & as they are, since models read it; what is not UTF-8 becomes
// U+FFFD, and the two line separators are escaped, as the standard library does.
func appendQuoted(out []byte, text string) []byte {
	out = append(out, '"')
	for i := 0; ; {
		for i+4 <= len(text) && plainInQuotes[text[i]]|plainInQuotes[text[i+1]]|plainInQuotes[text[i+2]]|plainInQuotes[text[i+3]] == free {
			out = append(out, text[i], text[i+1], text[i+2], text[i+3])
			i += 4
		}
		for i < len(text) && plainInQuotes[text[i]] == free {
			out = append(out, text[i])
			i++
		}
		if i == len(text) {
			return append(out, '"')
		}
		if short := shortEscapes[text[i]]; short != 0 {
			out = append(out, '\\', short)
			i++
			continue
		}
		var size int
		out, size = appendRune(out, text[i:])
		i += size
	}
}

// appendRune appends the first character of text for a JSON string, if it has no short escape, and gives its size.
func appendRune(out []byte, text string) ([]byte, int) {
	if b := text[0]; b < ' ' {
		return append(out, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15]), 1
	}
	switch r, size := utf8.DecodeRuneInString(text); {
	case r == utf8.RuneError && size == 1:
		return append(out, `\ufffd`...), size
	case r == '\u2028':
		return append(out, `\u2028`...), size
	case r == '\u2029':
		return append(out, `\u2029`...), size
	default:
		return append(out, text[:size]...), size
	}
}
