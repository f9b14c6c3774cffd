package values

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// Literal reads values as models write them when they do not write JSON: Python literals and near-JSON. It works token
// by token, so quotes inside strings are never mistaken.
type Literal struct {
	Text  string
	At    int
	depth int
	// bare allows words without quotes, as keys and as values.
	bare bool
}

// ErrLiteral says that a text is not a literal.
var ErrLiteral = errors.New("not a literal")

// MaxLiteralDepth bounds how deep literals may be nested.
const MaxLiteralDepth = 200

// PythonToJSON turns a whole Python literal (or JSON) into JSON; bare allows unquoted keys and words.
func PythonToJSON(text string, bare bool) (json.RawMessage, bool) {
	p := &Literal{Text: text, bare: bare}
	value, err := p.value()
	if p.SkipSpace(); err != nil || p.At < len(p.Text) {
		return nil, false
	}
	return value, true
}

// SkipSpace steps over whitespace.
func (p *Literal) SkipSpace() { p.At = scan.SkipSpace(p.Text, p.At) }

// Name steps over a bare word, which may be empty.
func (p *Literal) Name() string {
	start := p.At
	for p.At < len(p.Text) && scan.IsNameByte(p.Text[p.At]) {
		p.At++
	}
	return p.Text[start:p.At]
}

// AtQuote reports whether a quotation mark is the next byte after whitespace.
func (p *Literal) AtQuote() bool {
	b := p.Peek()
	return b == '"' || b == '\''
}

// Peek gives the next byte after whitespace, 0 at the end.
func (p *Literal) Peek() byte {
	p.SkipSpace()
	if p.At == len(p.Text) {
		return 0
	}
	return p.Text[p.At]
}

func (p *Literal) value() (json.RawMessage, error) {
	switch p.Peek() {
	case '{':
		return p.object()
	case '[':
		return p.list(']')
	case '(':
		return p.list(')')
	case '"', '\'':
		return p.joined()
	case 0:
		return nil, ErrLiteral
	default:
		return p.word()
	}
}

// joined reads a string and those that follow it directly, as Python joins them.
func (p *Literal) joined() (json.RawMessage, error) {
	start := p.At
	if end := validString(p.Text, start); p.Text[start] == '"' && end > 0 { // JSON already
		p.At = end
		if !p.AtQuote() {
			return json.RawMessage(p.Text[start:end]), nil
		}
		p.At = start
	}
	var whole []byte
	for {
		text, err := p.String(false)
		if err != nil {
			return nil, err
		}
		if p.AtQuote() {
			whole = append(whole, text...)
			continue
		}
		if whole == nil {
			return Quote(text), nil
		}
		return Quote(string(append(whole, text...))), nil
	}
}

func (p *Literal) object() (json.RawMessage, error) {
	var members []Member
	err := p.items('}', func() error {
		key, err := p.key()
		if err != nil {
			return err
		}
		if p.Peek() != ':' {
			return ErrLiteral
		}
		p.At++
		value, err := p.value()
		members = append(members, Member{Key: key, Value: value})
		return err
	})
	if err != nil {
		return nil, err
	}
	return WriteObject(members), nil
}

// items reads what is between brackets, of which the first is next, and separated by commas.
func (p *Literal) items(closer byte, read func() error) error {
	if p.depth++; p.depth > MaxLiteralDepth {
		return ErrLiteral
	}
	defer func() { p.depth-- }()
	for p.At++; p.Peek() != closer; {
		if err := read(); err != nil {
			return err
		}
		switch p.Peek() {
		case ',':
			p.At++
		case closer:
		default:
			return ErrLiteral
		}
	}
	p.At++
	return nil
}

func (p *Literal) key() (string, error) {
	if p.AtQuote() {
		return p.String(false)
	}
	if p.bare {
		if name := p.Name(); name != "" {
			return name, nil
		}
	}
	return "", ErrLiteral
}

func (p *Literal) list(closer byte) (json.RawMessage, error) {
	out := []byte{'['}
	err := p.items(closer, func() error {
		value, err := p.value()
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, value...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return append(out, ']'), nil
}

// word reads a number, a constant, a prefixed string or, if allowed, a bare word.
func (p *Literal) word() (json.RawMessage, error) {
	start := p.At
	for p.At < len(p.Text) && (scan.IsNameByte(p.Text[p.At]) || p.Text[p.At] == '+') {
		p.At++
	}
	word := p.Text[start:p.At]
	if p.At < len(p.Text) && (p.Text[p.At] == '"' || p.Text[p.At] == '\'') {
		switch strings.ToLower(word) {
		case "r", "b", "u", "f", "rb", "br":
			text, err := p.String(strings.ContainsAny(word, "rR"))
			return Quote(text), err
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
		return nil, ErrLiteral
	}
	if number, ok := numberOf(word); ok {
		if spelledOddly(word) {
			return Quote(word), nil
		}
		return number, nil
	}
	if !p.bare {
		return nil, ErrLiteral
	}
	return Quote(word), nil
}

// String reads one quoted string with Python's escapes, which include JSON's.
func (p *Literal) String(raw bool) (string, error) {
	quoteMark := p.Text[p.At : p.At+1]
	if triple := strings.Repeat(quoteMark, 3); strings.HasPrefix(p.Text[p.At:], triple) {
		quoteMark = triple
	}
	p.At += len(quoteMark)
	var out strings.Builder
	if end := strings.Index(p.Text[p.At:], quoteMark); end > 0 {
		out.Grow(end)
	}
	for p.At < len(p.Text) {
		switch {
		case strings.HasPrefix(p.Text[p.At:], quoteMark):
			p.At += len(quoteMark)
			return out.String(), nil
		case p.Text[p.At] == '\\' && !raw && p.At+1 < len(p.Text):
			r, size := unescape(p.Text[p.At:])
			out.WriteString(r)
			p.At += size
		default: // a backslash or a mark that stand for themselves, and the plain text after them
			end := p.At + 1
			for end < len(p.Text) && p.Text[end] != '\\' && p.Text[end] != quoteMark[0] {
				end++
			}
			out.WriteString(p.Text[p.At:end])
			p.At = end
		}
	}
	return "", ErrLiteral
}
