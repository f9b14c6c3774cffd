package gbnf_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A small reader of GBNF, which matches and invents texts. It takes what this package writes, and refuses all else.

// node is an expression.
type node struct {
	op     string // "literal", "class", "rule", "sequence", "choice", "star", "plus", "maybe"
	text   string // of a literal, and the name of a rule
	ranges []rune // of a class: the first and the last of each
	not    bool   // it excludes them
	sub    []*node
}

type grammar map[string]*node

type parser struct {
	t    *testing.T
	text string
}

func parse(t *testing.T, text string) grammar {
	t.Helper()
	g := grammar{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			continue
		}
		name, body, ok := strings.Cut(line, " ::= ")
		p := &parser{t, body}
		rule := p.choice()
		if !ok || g[name] != nil || p.text != "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Fatalf("the line %q cannot be read from %q on", line, p.text)
		}
		g[name] = rule
	}
	seen := map[string]string{}
	for name := range g {
		g.check(t, name, seen)
	}
	return g
}

// check sees that all rules are there, that none begins with itself, and that nothing that may be empty is repeated:
// servers would not end.
func (g grammar) check(t *testing.T, name string, seen map[string]string) {
	t.Helper()
	switch {
	case g[name] == nil:
		t.Fatalf("there is no rule %q", name)
	case seen[name] == "open":
		t.Fatalf("%s begins with itself", name)
	case seen[name] == "done":
		return
	}
	seen[name] = "open"
	g.begins(t, g[name], func(first string) { g.check(t, first, seen) })
	seen[name] = "done"
}

// begins visits the rules with which an expression may begin.
func (g grammar) begins(t *testing.T, n *node, visit func(string)) {
	t.Helper()
	if n.op == "rule" {
		visit(n.text)
	}
	if (n.op == "star" || n.op == "plus") && g.empty(n.sub[0], 0) {
		t.Fatalf("what may be empty is repeated: %+v", n.sub[0])
	}
	for _, sub := range n.sub {
		g.begins(t, sub, visit)
		if n.op == "sequence" && !g.empty(sub, 0) {
			return
		}
	}
}

// empty reports whether an expression may be nothing.
func (g grammar) empty(n *node, depth int) bool {
	some := func(sub *node) bool { return g.empty(sub, depth+1) }
	switch {
	case depth > 50 || n.op == "class":
		return false
	case n.op == "rule":
		return g[n.text] != nil && g.empty(g[n.text], depth+1)
	case n.op == "literal":
		return n.text == ""
	case n.op == "star" || n.op == "maybe":
		return true
	case n.op == "sequence":
		return !slices.ContainsFunc(n.sub, func(sub *node) bool { return !some(sub) })
	}
	return slices.ContainsFunc(n.sub, some)
}

func (p *parser) choice() *node {
	n := &node{op: "choice", sub: []*node{p.sequence()}}
	for p.skip("|") {
		n.sub = append(n.sub, p.sequence())
	}
	if len(n.sub) == 1 {
		return n.sub[0]
	}
	return n
}

func (p *parser) skip(word string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.text, " "), word)
	if ok {
		p.text = strings.TrimLeft(rest, " ")
	}
	return ok
}

func (p *parser) sequence() *node {
	n := &node{op: "sequence"}
	for p.text != "" && p.text[0] != '|' && p.text[0] != ')' {
		n.sub = append(n.sub, p.postfix())
	}
	if len(n.sub) == 0 {
		p.t.Fatalf("nothing stands before %q", p.text)
	}
	return n
}

func (p *parser) postfix() *node {
	n := p.single()
	for mark, op := range map[byte]string{'*': "star", '+': "plus", '?': "maybe"} {
		if p.text != "" && p.text[0] == mark {
			p.text = p.text[1:]
			n = &node{op: op, sub: []*node{n}}
			break
		}
	}
	p.text = strings.TrimLeft(p.text, " ")
	return n
}

func (p *parser) single() *node {
	switch p.text[0] {
	case '(':
		p.text = strings.TrimLeft(p.text[1:], " ")
		n := p.choice()
		if p.text == "" || p.text[0] != ')' {
			p.t.Fatalf("a bracket is open before %q", p.text)
		}
		p.text = p.text[1:]
		return n
	case '"':
		p.text = p.text[1:]
		n := &node{op: "literal"}
		for p.text != "" && p.text[0] != '"' {
			n.text += string(p.char())
		}
		p.text = strings.TrimPrefix(p.text, `"`)
		return n
	case '[':
		return p.class()
	}
	end := strings.IndexAny(p.text+" ", " )*+?|")
	n := &node{op: "rule", text: p.text[:end]}
	if end == 0 {
		p.t.Fatalf("%q is nothing", p.text)
	}
	p.text = p.text[end:]
	return n
}

func (p *parser) class() *node {
	p.text = p.text[1:]
	n := &node{op: "class"}
	if p.text[0] == '^' {
		n.not, p.text = true, p.text[1:]
	}
	for p.text[0] != ']' {
		first := p.char()
		last := first
		if p.text[0] == '-' && p.text[1] != ']' {
			p.text = p.text[1:]
			last = p.char()
		}
		n.ranges = append(n.ranges, first, last)
	}
	p.text = p.text[1:]
	return n
}

// char reads a character of a literal or a class, as llama.cpp does.
func (p *parser) char() rune {
	if p.text[0] != '\\' {
		c := []rune(p.text)[0]
		p.text = p.text[len(string(c)):]
		return c
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[p.text[1]]
	if digits == 0 {
		c := map[byte]rune{'n': '\n', 'r': '\r', 't': '\t', '\\': '\\', '"': '"', '[': '[', ']': ']'}[p.text[1]]
		if c == 0 {
			p.t.Fatalf("%q is no escape", p.text)
		}
		p.text = p.text[2:]
		return c
	}
	n, err := strconv.ParseInt(p.text[2:2+digits], 16, 64)
	if err != nil {
		p.t.Fatal(err)
	}
	p.text = p.text[2+digits:]
	return rune(n)
}

func (n *node) has(c rune) bool {
	for i := 0; i < len(n.ranges); i += 2 {
		if n.ranges[i] <= c && c <= n.ranges[i+1] {
			return !n.not
		}
	}
	return n.not
}

// ends are the places where a match from a place on may end.
func (g grammar) ends(n *node, text []rune, from int) map[int]bool {
	all := map[int]bool{}
	switch n.op {
	case "rule":
		return g.ends(g[n.text], text, from)
	case "literal":
		if strings.HasPrefix(string(text[from:]), n.text) {
			all[from+len([]rune(n.text))] = true
		}
	case "class":
		if from < len(text) && n.has(text[from]) {
			all[from+1] = true
		}
	case "choice":
		for _, sub := range n.sub {
			for end := range g.ends(sub, text, from) {
				all[end] = true
			}
		}
	case "sequence":
		all[from] = true
		for _, sub := range n.sub {
			next := map[int]bool{}
			for at := range all {
				for end := range g.ends(sub, text, at) {
					next[end] = true
				}
			}
			all = next
		}
	case "maybe":
		all = g.ends(n.sub[0], text, from)
		all[from] = true
	default: // star and plus
		todo := []int{from}
		for len(todo) > 0 {
			at := todo[0]
			todo = todo[1:]
			for end := range g.ends(n.sub[0], text, at) {
				if !all[end] {
					all[end], todo = true, append(todo, end)
				}
			}
		}
		all[from] = all[from] || n.op == "star"
		if !all[from] {
			delete(all, from)
		}
	}
	return all
}

func (g grammar) accepts(text string) bool {
	return g.ends(g["root"], []rune(text), 0)[len([]rune(text))]
}

// invent writes a text that the grammar allows.
func (g grammar) invent(r *rand.Rand, n *node, depth int) string {
	again := func(most int) string {
		var b strings.Builder
		for range r.IntN(most + 1) {
			b.WriteString(g.invent(r, n.sub[0], depth+1))
		}
		return b.String()
	}
	most := 3
	if depth > 60 {
		most = 0
	}
	switch n.op {
	case "rule":
		return g.invent(r, g[n.text], depth+1)
	case "literal":
		return n.text
	case "class":
		return n.invent(r)
	case "choice":
		if depth > 60 { // the last one is the simplest
			return g.invent(r, n.sub[len(n.sub)-1], depth+1)
		}
		return g.invent(r, n.sub[r.IntN(len(n.sub))], depth+1)
	case "maybe":
		return again(min(most, 1))
	case "star":
		return again(most)
	case "plus":
		return g.invent(r, n.sub[0], depth+1) + again(most)
	}
	var b strings.Builder
	for _, sub := range n.sub {
		b.WriteString(g.invent(r, sub, depth+1))
	}
	return b.String()
}

func (n *node) invent(r *rand.Rand) string {
	for range 10000 {
		var c rune
		if pick := 2 * r.IntN(max(len(n.ranges)/2, 1)); n.not || r.IntN(4) == 0 {
			c = []rune("\x00\n\x1f\x7f \"\\/az09AZ[]^-éß中😀\u2028\U0010FFFF")[r.IntN(24)]
		} else {
			c = n.ranges[pick] + rand.N(n.ranges[pick+1]-n.ranges[pick]+1)
		}
		if n.has(c) && (c < 0xD800 || c > 0xDFFF) {
			return string(c)
		}
	}
	panic(fmt.Sprintf("nothing is in %+v", n))
}
