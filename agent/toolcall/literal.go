package toolcall

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// literal reads values as models write them when they do not write JSON: Python literals and near-JSON. It works token by
// token, so quotes inside strings are never mistaken.
type literal struct {
	text  string
	at    int
	depth int
	// bare allows words without quotes, as keys and as values.
	bare bool
}

var errLiteral = errors.New("not a literal")

const maxLiteralDepth = 200

// pythonToJSON turns a whole Python literal (or JSON) into JSON; bare allows unquoted keys and words.
func pythonToJSON(text string, bare bool) (json.RawMessage, bool) {
	p := &literal{text: text, bare: bare}
	value, err := p.value()
	if err != nil {
		return nil, false
	}
	p.blanks()
	if p.at != len(p.text) {
		return nil, false
	}
	return value, true
}

func (p *literal) blanks() {
	for p.at < len(p.text) && isSpace(p.text[p.at]) {
		p.at++
	}
}

// peek gives the next byte after blanks, 0 at the end.
func (p *literal) peek() byte {
	p.blanks()
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *literal) value() (json.RawMessage, error) {
	switch p.peek() {
	case '{':
		return p.object()
	case '[':
		return p.list('[', ']')
	case '(':
		return p.list('(', ')')
	case '"', '\'':
		return p.joined()
	case 0:
		return nil, errLiteral
	default:
		return p.word()
	}
}

// joined reads a string and those that follow it directly, as Python joins them.
func (p *literal) joined() (json.RawMessage, error) {
	start := p.at
	if end := validString(p.text, start); p.text[start] == '"' && end > 0 { // JSON already
		p.at = end
		if b := p.peek(); b != '"' && b != '\'' {
			return json.RawMessage(p.text[start:end]), nil
		}
		p.at = start
	}
	var whole []byte
	for {
		text, err := p.string(false)
		if err != nil {
			return nil, err
		}
		if b := p.peek(); b == '"' || b == '\'' {
			whole = append(whole, text...)
			continue
		}
		if whole == nil {
			return quote(text), nil
		}
		return quote(string(append(whole, text...))), nil
	}
}

func (p *literal) object() (json.RawMessage, error) {
	if p.depth++; p.depth > maxLiteralDepth {
		return nil, errLiteral
	}
	defer func() { p.depth-- }()
	p.at++
	var members []member
	for {
		if p.peek() == '}' {
			p.at++
			return writeObject(members), nil
		}
		key, err := p.key()
		if err != nil {
			return nil, err
		}
		if p.peek() != ':' {
			return nil, errLiteral
		}
		p.at++
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		members = append(members, member{key: key, value: value})
		switch p.peek() {
		case ',':
			p.at++
		case '}':
		default:
			return nil, errLiteral
		}
	}
}

func (p *literal) key() (string, error) {
	if b := p.peek(); b == '"' || b == '\'' {
		return p.string(false)
	}
	if !p.bare {
		return "", errLiteral
	}
	start := p.at
	for p.at < len(p.text) && isNameByte(p.text[p.at]) {
		p.at++
	}
	if p.at == start {
		return "", errLiteral
	}
	return p.text[start:p.at], nil
}

func (p *literal) list(open, closer byte) (json.RawMessage, error) {
	if p.depth++; p.depth > maxLiteralDepth {
		return nil, errLiteral
	}
	defer func() { p.depth-- }()
	p.at++
	out := []byte{'['}
	for {
		if p.peek() == closer {
			p.at++
			return append(out, ']'), nil
		}
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, value...)
		switch p.peek() {
		case ',':
			p.at++
		case closer:
		default:
			return nil, errLiteral
		}
	}
}

// word reads a number, a constant, a prefixed string or, if allowed, a bare word.
func (p *literal) word() (json.RawMessage, error) {
	start := p.at
	for p.at < len(p.text) && (isNameByte(p.text[p.at]) || p.text[p.at] == '+') {
		p.at++
	}
	word := p.text[start:p.at]
	if p.at < len(p.text) && (p.text[p.at] == '"' || p.text[p.at] == '\'') {
		switch strings.ToLower(word) {
		case "r", "b", "u", "f", "rb", "br":
			text, err := p.string(strings.ContainsAny(word, "rR"))
			return quote(text), err
		}
	}
	switch word {
	case "True", "true":
		return json.RawMessage("true"), nil
	case "False", "false":
		return json.RawMessage("false"), nil
	case "None", "null":
		return json.RawMessage("null"), nil
	case "":
		return nil, errLiteral
	}
	if number, ok := numberOf(word); ok {
		if spelledOddly(word) {
			return quote(word), nil
		}
		return number, nil
	}
	if !p.bare {
		return nil, errLiteral
	}
	return quote(word), nil
}

// spelledOddly reports whether a number has a leading zero, a plus or a base: it may be a mode or a telephone number, so it
// stays text until a schema wants a number.
func spelledOddly(number string) bool {
	digits := strings.TrimPrefix(number, "-")
	return digits[0] == '+' || strings.ContainsAny(digits, "xX") || len(digits) > 1 && digits[0] == '0' && digits[1] != '.' && digits[1] != 'e' && digits[1] != 'E'
}

// numberOf reads a number in JSON's or Python's notation. A leading zero means nothing.
func numberOf(word string) (json.RawMessage, bool) {
	plain := strings.TrimPrefix(strings.ReplaceAll(word, "_", ""), "+")
	if !strings.ContainsAny(plain, "0123456789") || strings.Trim(plain, "0123456789+-.xXabcdefABCDEF") != "" || strings.IndexByte("0123456789-.", plain[0]) < 0 {
		return nil, false
	}
	if validJSON(plain) {
		return json.RawMessage(plain), true
	}
	if strings.ContainsAny(plain, "xX") {
		n, err := strconv.ParseInt(plain, 0, 64)
		return json.RawMessage(strconv.FormatInt(n, 10)), err == nil
	}
	if short := withoutZeros(plain); validJSON(short) {
		return json.RawMessage(short), true
	}
	if f, err := strconv.ParseFloat(plain, 64); err == nil {
		if text, err := json.Marshal(f); err == nil {
			return text, true
		}
	}
	return nil, false
}

// withoutZeros drops the zeros that a decimal number begins with, but the last one before the point.
func withoutZeros(number string) string {
	digits := strings.TrimPrefix(number, "-")
	short := strings.TrimLeft(digits, "0")
	if short == "" || short[0] < '0' || short[0] > '9' {
		short = "0" + short
	}
	return number[:len(number)-len(digits)] + short
}

// string reads one quoted string with Python's escapes, which include JSON's.
func (p *literal) string(raw bool) (string, error) {
	quoteMark := p.text[p.at : p.at+1]
	if triple := strings.Repeat(quoteMark, 3); strings.HasPrefix(p.text[p.at:], triple) {
		quoteMark = triple
	}
	p.at += len(quoteMark)
	var out strings.Builder
	if end := strings.Index(p.text[p.at:], quoteMark); end > 0 {
		out.Grow(end)
	}
	for p.at < len(p.text) {
		switch {
		case strings.HasPrefix(p.text[p.at:], quoteMark):
			p.at += len(quoteMark)
			return out.String(), nil
		case p.text[p.at] == '\\' && !raw && p.at+1 < len(p.text):
			r, size := unescape(p.text[p.at:])
			out.WriteString(r)
			p.at += size
		default: // a backslash or a mark that stand for themselves, and the plain text after them
			end := p.at + 1
			for end < len(p.text) && p.text[end] != '\\' && p.text[end] != quoteMark[0] {
				end++
			}
			out.WriteString(p.text[p.at:end])
			p.at = end
		}
	}
	return "", errLiteral
}

// unescape reads the escape at the start of text. An escape that no language knows stays as it is.
func unescape(text string) (string, int) {
	switch text[1] {
	case 'n':
		return "\n", 2
	case 't':
		return "\t", 2
	case 'r':
		return "\r", 2
	case 'b':
		return "\b", 2
	case 'f':
		return "\f", 2
	case '0':
		return "\x00", 2
	case '\n':
		return "", 2
	case '\\', '"', '\'', '/':
		return text[1:2], 2
	case 'x':
		return hexRune(text, 2)
	case 'u':
		return hexRune(text, 4)
	case 'U':
		return hexRune(text, 8)
	}
	return text[:2], 2
}

func hexRune(text string, digits int) (string, int) {
	end := 2 + digits
	if len(text) < end {
		return text[:2], 2
	}
	n, err := strconv.ParseUint(text[2:end], 16, 32)
	if err != nil {
		return text[:2], 2
	}
	if low := text[end:]; n >= 0xD800 && n < 0xDC00 && strings.HasPrefix(low, `\u`) && len(low) >= 6 {
		if second, err := strconv.ParseUint(low[2:6], 16, 32); err == nil && second >= 0xDC00 && second < 0xE000 {
			return string(rune((n-0xD800)<<10 + (second - 0xDC00) + 0x10000)), end + 6
		}
	}
	if n > utf8.MaxRune {
		return string(utf8.RuneError), end
	}
	return string(rune(n)), end
}

// isNameByte reports whether b may stand in a bare word, a number or a dotted name.
func isNameByte(b byte) bool {
	return b == '_' || b == '.' || b == '-' || b >= 0x80 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
