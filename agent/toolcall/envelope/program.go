package envelope

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/values"
	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/tools/python/signature"
)

// The info words of a fence that may hold a program. Nobody labels code so that is only to be read, as they do with
// the others.
const (
	ToolCodeFence = "tool_code"
	PythonFence   = "python"
)

// labels are all such words.
var labels = []string{ToolCodeFence, PythonFence, "py", "python3"}

// Programs are candidates: a program of Python in a fence, which is a call of the tool that runs programs. In a fence
// that is labelled as Python it must call an offered tool as a function, unless that is the fence of the profile, since
// an answer may end with code for the user. Where no such tool is offered, a fence may hold calls of tools, and nothing
// else.
func Programs(fence string) []grammar.Candidate {
	own := programIn("program", func(label string) bool { return label == ToolCodeFence }, true)
	own.Marked = programOffered
	python := programIn("python", func(label string) bool { return label != ToolCodeFence }, fence == PythonFence)
	own.Wary, python.Wary = true, true
	return []grammar.Candidate{own, python}
}

// programIn is a candidate for fences with some labels. sure says that a program in one of them is certainly meant.
func programIn(kind string, labelled func(string) bool, sure bool) grammar.Candidate {
	return grammar.Candidate{
		Kind: kind, Starts: "`",
		Scan: func(*grammar.Reader) grammar.Scanner {
			p := fencedProgram{labelled: labelled}
			return grammar.ScanFunc(func(body []byte) (grammar.Verdict, int) { return p.next(body[len(body)-1]), 0 })
		},
		Read: func(r *grammar.Reader, body string, _ bool) ([]toolcall.Event, bool) {
			p := readProgram(body)
			if !programOffered(r) {
				events, ok := offeredCalls(r, body, printed(p.code))
				if ok || !r.Catalog.Open {
					return events, ok
				}
			}
			switch {
			case p.label == "" || strings.TrimSpace(p.code) == "", !sure && (!p.closed || !callsTools(r, p.code)):
				return nil, false
			case !p.closed:
				return one(r.Broken(cutProgram(body)))
			}
			arguments := values.WriteObject([]values.Member{{Key: signature.Program, Text: p.code}})
			return []toolcall.Event{
				r.Event(grammar.Draft{Name: signature.Execution, Arguments: arguments, Raw: body}),
			}, true
		},
		Cut: func(r *grammar.Reader, body string) (grammar.Draft, bool) {
			p := readProgram(body)
			return cutProgram(body), sure && p.label != "" && labelled(p.label) && programOffered(r)
		},
	}
}

func cutProgram(body string) grammar.Draft {
	return grammar.Draft{Name: signature.Execution, Raw: body, Broken: "the fence around the program has no end"}
}

// programOffered reports whether the tool that runs programs is offered, and not another one of its name.
func programOffered(r *grammar.Reader) bool {
	t := r.Catalog.Exact(signature.Execution)
	if t == nil {
		return false
	}
	program, declared := t.Schema().Property(signature.Program)
	return declared && program.Only("string")
}

// printed is the inside of print(...), or the code itself.
func printed(code string) string {
	code = strings.TrimSpace(code)
	if inside, found := strings.CutPrefix(code, "print("); found {
		return strings.TrimSuffix(inside, ")")
	}
	return code
}

var (
	calledNames = lazyregexp.New(`\b(\w+)[ \t]*\(`)
	ownNames    = lazyregexp.New(`\b(?:def|class|import)[ \t]+(\w+(?:[ \t]*,[ \t]*\w+)*)`)
)

// callsTools reports whether code calls an offered tool as a function, or what is there for programs alone. A function
// that the code defines or imports itself is none.
func callsTools(r *grammar.Reader, code string) bool {
	code = pythonCode(code)
	var own []string
	for _, m := range ownNames().FindAllStringSubmatch(code, -1) {
		own = append(own, strings.FieldsFunc(m[1], func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })...)
	}
	for _, m := range calledNames().FindAllStringSubmatchIndex(code, -1) {
		switch name := code[m[2]:m[3]]; {
		case slices.Contains(own, name), strings.HasSuffix(strings.TrimRight(code[:m[2]], " \t"), "."): // a method
		case name == signature.Parallel, !signature.Reserved(name) && r.Catalog.Resolve(name) != nil:
			return true
		}
	}
	return false
}

// SameProgram reports whether a program reads back as it is from a fence.
func SameProgram(code string) bool {
	p := readProgram("```" + ToolCodeFence + "\n" + code + "\n```")
	return p.closed && p.whole && p.code == code && strings.TrimSpace(code) != ""
}

// program is what a fence holds.
type program struct {
	label  string // the info word; empty: it is no such fence
	code   string
	closed bool // the fence has an end
	whole  bool // and nothing follows it
}

// readProgram reads a fence from its beginning.
func readProgram(body string) program {
	var p fencedProgram
	for i := range len(body) {
		switch p.next(body[i]) {
		case grammar.NotCall:
			return program{}
		case grammar.Whole:
			code := strings.TrimRight(body[p.start:i+1-ticks], " \t\r\n")
			return program{p.label, strings.TrimLeft(code, "\r\n"), true, i+1 == len(body)}
		case grammar.More:
		}
	}
	if p.start == 0 {
		return program{}
	}
	return program{label: p.label, code: body[p.start:]}
}

// ticks is how many of them make a fence.
const ticks = 3

// fencedProgram finds the end of a fence with Python, byte by byte: three ticks outside of texts and comments.
type fencedProgram struct {
	labelled func(string) bool // nil: any label is right
	label    string
	start    int // where the code begins; 0: in the opening line
	at       int
	info     []byte
	run      int // of ticks
	lexer    pythonLexer
}

func (p *fencedProgram) next(b byte) grammar.Verdict {
	p.at++
	if p.start == 0 {
		return p.opening(b)
	}
	fence := p.lexer.inCode()
	if p.lexer.next(b); b != '`' || !fence {
		p.run = 0
		return grammar.More
	}
	if p.run++; p.run == ticks {
		return grammar.Whole
	}
	return grammar.More
}

// opening reads the opening line.
func (p *fencedProgram) opening(b byte) grammar.Verdict {
	switch {
	case p.at <= ticks:
		if b != '`' {
			return grammar.NotCall
		}
		return grammar.More
	case b != '\n':
		p.info = append(p.info, b)
		word := strings.TrimSpace(string(p.info))
		begins := func(label string) bool { return strings.HasPrefix(label, word) }
		if len(p.info) > len(ToolCodeFence)+4 || !slices.ContainsFunc(labels, begins) {
			return grammar.NotCall
		}
		return grammar.More
	}
	if p.label, p.start = strings.TrimSpace(string(p.info)), p.at; !slices.Contains(labels, p.label) ||
		p.labelled != nil && !p.labelled(p.label) {
		return grammar.NotCall
	}
	return grammar.More
}

// pythonCode is code with blanks in the place of texts and comments.
func pythonCode(code string) string {
	out := []byte(code)
	var lexer pythonLexer
	for i, b := range out {
		if lexer.next(b); b != '\n' && lexer.state != plainCode {
			out[i] = ' '
		}
	}
	return string(out)
}

// pythonLexer tells code from texts and comments, byte by byte.
type pythonLexer struct {
	state   lexed
	quote   byte // of the text
	escaped bool
	closing int // how many quotes in a row a long text has now
}

type lexed int

const (
	plainCode lexed = iota
	oneQuote        // a quote was just seen
	twoQuotes       // two of them: an empty text, or the beginning of a long one
	shortText
	longText
	comment
)

// inCode reports whether the next byte is code, unless it makes a text of the quotes before it.
func (l *pythonLexer) inCode() bool { return l.state == plainCode || l.state == twoQuotes }

func (l *pythonLexer) next(b byte) {
	switch {
	case l.state == comment:
		if b == '\n' {
			l.state = plainCode
		}
	case l.state == oneQuote && b == l.quote:
		l.state = twoQuotes
	case l.state == twoQuotes && b == l.quote:
		l.state, l.closing = longText, 0
	case l.state == oneQuote:
		l.state = shortText
		l.inText(b)
	case l.state == shortText, l.state == longText:
		l.inText(b)
	case b == '"', b == '\'':
		l.state, l.quote = oneQuote, b
	case b == '#':
		l.state = comment
	default:
		l.state = plainCode
	}
}

func (l *pythonLexer) inText(b byte) {
	long := l.state == longText
	switch {
	case l.escaped:
		l.escaped = false
	case b == '\\':
		l.escaped, l.closing = true, 0
	case !long && (b == l.quote || b == '\n'):
		l.state = plainCode
	case long && b == l.quote:
		if l.closing++; l.closing == ticks {
			l.state = plainCode
		}
	default:
		l.closing = 0
	}
}
