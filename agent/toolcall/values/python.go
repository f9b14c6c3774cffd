package values

import (
	"encoding/json"
	"strings"
)

// Keyword reads "key=" or "key:"; it reads nothing if a value is there.
func (p *Literal) Keyword() string {
	start := p.At
	var key string
	var err error
	if p.AtQuote() {
		key, err = p.String(false)
	} else if key = p.Name(); key == "" {
		err = ErrLiteral
	}
	if err == nil && (p.Peek() == '=' || p.Peek() == ':') {
		p.At++
		return key
	}
	p.At = start
	return ""
}

// Argument reads a value up to the comma or bracket after it. Text without quotation marks is a string.
func (p *Literal) Argument(s *Schema) (json.RawMessage, bool) {
	p.SkipSpace()
	start := p.At
	if value, err := p.value(); err == nil {
		end := p.At
		if b := p.Peek(); b == ',' || b == ')' {
			if s.Only("string") && IsNumber(value) { // as it is spelt
				value = Quote(p.Text[start:end])
			}
			return value, true
		}
	}
	p.At = start
	if p.AtQuote() {
		return nil, false // a string without an end is not completed
	}
	depth := 0
	for ; p.At < len(p.Text); p.At++ {
		switch b := p.Text[p.At]; {
		case depth == 0 && (b == ')' || b == ','):
			return CoerceText(strings.TrimSpace(p.Text[start:p.At]), s), true
		case b == '(' || b == '[' || b == '{':
			depth++
		case b == ')' || b == ']' || b == '}':
			depth--
		}
	}
	return nil, false
}
