package values

import (
	"encoding/json"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// Keyword reads "key=" or "key:"; it reads nothing if a value is there.
func (p *Literal) Keyword() string {
	start := p.At
	if b := p.Peek(); b == '"' || b == '\'' {
		key, err := p.String(false)
		if err == nil && (p.Peek() == '=' || p.Peek() == ':') {
			p.At++
			return key
		}
		p.At = start
		return ""
	}
	begin := p.At
	for p.At < len(p.Text) && scan.IsNameByte(p.Text[p.At]) {
		p.At++
	}
	key := p.Text[begin:p.At]
	if key != "" && (p.Peek() == '=' || p.Peek() == ':') {
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
	if b := p.Peek(); b == '"' || b == '\'' {
		return nil, false // a string without an end is not completed
	}
	depth := 0
	for ; p.At < len(p.Text); p.At++ {
		switch p.Text[p.At] {
		case '(', '[', '{':
			depth++
		case ']', '}':
			depth--
		case ')':
			if depth == 0 {
				return CoerceText(strings.TrimSpace(p.Text[start:p.At]), s), true
			}
			depth--
		case ',':
			if depth == 0 {
				return CoerceText(strings.TrimSpace(p.Text[start:p.At]), s), true
			}
		}
	}
	return nil, false
}
