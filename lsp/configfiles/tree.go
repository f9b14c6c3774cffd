package configfiles

import (
	"encoding/json"
	"strings"
)

// Span is a range of bytes of a text.
type Span struct{ Start, End int }

// holds says whether a place lies in the span or at one of its ends.
func (s Span) holds(at int) bool { return s.Start <= at && at <= s.End }

// node is a value of a text that may be half written: what package jsonc refuses has places here all the same.
type node struct {
	kind    byte // '{', '[', '"', 'w' for any other word, 0 if a value should be here and is not
	span    Span
	text    string // what a text in quotes means; of a word the word
	members []member
	items   []*node
	open    bool // the end is missing: the node reaches to the end of the text
}

type member struct {
	key   *node
	colon bool
	value *node
}

// maxDepth is far above what these files have: what lies deeper is not looked at.
const maxDepth = 64

// parse reads a text as far as it can.
func parse(text string) (root *node, comments []Span) {
	p := parser{text: text}
	p.space()
	root = p.value()
	p.space()
	return root, p.comments
}

type parser struct {
	text     string
	at       int
	depth    int
	comments []Span
}

// space skips white space and comments.
func (p *parser) space() {
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		var end string
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.at++
			continue
		case strings.HasPrefix(rest, "//"):
			end = "\n"
		case strings.HasPrefix(rest, "/*"):
			end = "*/"
		default:
			return
		}
		start := p.at
		if n := strings.Index(rest[2:], end); n >= 0 {
			p.at += 2 + n + len(end)
		} else {
			p.at = len(p.text) + 1 // no place is behind its end
		}
		p.comments = append(p.comments, Span{start, p.at})
		p.at = min(p.at, len(p.text))
	}
}

// peek is the next byte; 0 at the end.
func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// value reads a value. It consumes nothing of what ends or separates values.
func (p *parser) value() *node {
	start := p.at
	switch c := p.peek(); {
	case (c == '{' || c == '[') && p.depth < maxDepth:
		p.depth++
		defer func() { p.depth-- }()
		return p.list(c)
	case c == '"':
		return p.quoted()
	case p.at == len(p.text) || strings.IndexByte("}],:", c) >= 0:
		return &node{span: Span{start, start}}
	default:
		p.at++
		for p.at < len(p.text) && strings.IndexByte(" \t\r\n{}[],:\"/", p.text[p.at]) < 0 {
			p.at++
		}
		return &node{kind: 'w', span: Span{start, p.at}, text: p.text[start:p.at]}
	}
}

// list reads an object or an array.
func (p *parser) list(kind byte) *node {
	n := &node{kind: kind, span: Span{Start: p.at}}
	end := kind + 2 // in ASCII, of both
	p.at++
	for {
		p.space()
		switch c := p.peek(); {
		case p.at == len(p.text):
			n.span.End, n.open = p.at, true
			return n
		case c == end:
			p.at++
			n.span.End = p.at
			return n
		case strings.IndexByte("}],:", c) >= 0:
			p.at++
		case kind == '{':
			n.members = append(n.members, p.member())
		default:
			n.items = append(n.items, p.value())
		}
	}
}

func (p *parser) member() member {
	m := member{key: p.value()}
	p.space()
	if m.colon = p.peek() == ':'; !m.colon {
		m.value = &node{span: Span{m.key.span.End, m.key.span.End}}
		return m
	}
	p.at++
	colon := p.at
	p.space()
	start := p.at
	if m.value = p.value(); m.value.kind == '"' && p.isKey() {
		p.at, m.value = start, &node{} // the value is missing: this is the next key
	}
	if m.value.kind == 0 {
		m.value.span = Span{colon, p.at} // anywhere after the colon it can be written
	}
	return m
}

// isKey says whether a colon follows the text in quotes that was just read.
func (p *parser) isKey() bool {
	end := p.at
	p.space()
	key := p.peek() == ':'
	p.at = end
	return key
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// quoted reads a text in quotes; one without its end ends with the line, or before the next one.
func (p *parser) quoted() *node {
	start := p.at
	for p.at++; p.at < len(p.text) && p.text[p.at] != '\n'; p.at++ {
		if p.text[p.at] == '\\' && p.at+1 < len(p.text) && p.text[p.at+1] != '\n' {
			p.at++
			continue
		}
		if p.text[p.at] == '"' {
			if p.at+1 < len(p.text) && isLetter(p.text[p.at+1]) {
				break // the next text begins here: somebody is writing this one in front of it
			}
			p.at++
			n := &node{kind: '"', span: Span{start, p.at}}
			if json.Unmarshal([]byte(p.text[start:p.at]), &n.text) != nil {
				n.text = p.text[start+1 : p.at-1]
			}
			return n
		}
	}
	end := len(strings.TrimRight(p.text[:p.at], "\r"))
	return &node{kind: '"', span: Span{start, max(end, start+1)}, text: p.text[start+1 : max(end, start+1)]}
}
