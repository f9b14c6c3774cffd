package envelope

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// PythonTags is an envelope that holds Python-like calls.
func PythonTags(open []string, closers ...string) grammar.Block {
	return grammar.Block{Open: open, Closers: closers, Scan: scanPython(closers, open), Read: func(
		r *grammar.Reader, f grammar.Found,
	) ([]toolcall.Event, bool) {
		raw, body := f.Text(closers...)
		body = strings.TrimSpace(body)
		drafts, ok := pythonCalls(r, body)
		if !ok {
			if body != "" && (body[0] == '{' || strings.HasPrefix(body, "[{")) {
				return JSONCalls(r, raw, body, f.Final), true
			}
			return []toolcall.Event{r.Broken(
				grammar.Draft{Name: pythonName(body), Raw: raw, Broken: "it is not a call in Python's notation"},
			)}, true
		}
		var events []toolcall.Event
		for _, d := range drafts {
			d.Raw = raw
			events = append(events, r.Event(d))
		}
		return events, true
	}}
}

// scanPython ends at a closer outside strings.
func scanPython(closers, openers []string) grammar.Scans {
	m := scan.NewMatcher(slices.Concat(closers, openers))
	single, double := m.StopBytes(`'\`), m.StopBytes(`"\`)
	return func(*grammar.Reader) grammar.Scanner {
		var (
			python = values.Scan{Python: true}
			state  int16
			hit    int
		)
		stops := func() *scan.ByteSet {
			switch {
			case python.Escaped || m.Depth(state) > 0:
			case python.Quote == '"':
				return double
			case python.Quote == '\'':
				return single
			}
			return nil
		}
		return grammar.Skipping{Stops: stops, ScanFunc: func(body []byte) (grammar.Verdict, int) {
			b := body[len(body)-1]
			python.Next(b)
			state, hit = m.Step(state, b)
			switch {
			case hit < 0 || python.InString():
				return grammar.More, 0
			case hit < len(closers):
				return grammar.Whole, 0
			case python.Depth == 0 && python.Started:
				return grammar.Whole, len(openers[hit-len(closers)])
			}
			return grammar.More, 0
		}}
	}
}

// PythonList is a candidate: Python-like calls without a marker, [f(a=1), g()] or f(a=1), of offered tools.
func PythonList(own bool) grammar.Candidate {
	return grammar.Candidate{
		Kind: "Python", Starts: "[" + scan.Letters, Beside: "[", Scan: scanPythonList, OwnForm: own,
		Read: func(r *grammar.Reader, body string, _ bool) ([]toolcall.Event, bool) {
			return offeredCalls(r, body, strings.TrimSpace(body))
		},
	}
}

// offeredCalls reads code that is calls of offered tools and nothing else; raw is all that was written.
func offeredCalls(r *grammar.Reader, raw, code string) ([]toolcall.Event, bool) {
	drafts, ok := pythonCalls(r, code)
	if !ok {
		return nil, false
	}
	var events []toolcall.Event
	for _, d := range drafts {
		if r.Catalog.Resolve(d.Name) == nil {
			return nil, false
		}
		d.Raw = raw
		events = append(events, r.Event(d))
	}
	return events, true
}

// scanPythonList gives up as soon as the first name is not an offered one.
func scanPythonList(r *grammar.Reader) grammar.Scanner {
	python := values.Scan{Python: true}
	named := false
	return grammar.ScanFunc(func(body []byte) (grammar.Verdict, int) {
		b := body[len(body)-1]
		if !named {
			name := strings.TrimLeft(string(body), "[ \t\r\n")
			switch {
			case len(body) > MaxHead:
				return grammar.NotCall, 0
			case b == '(':
				if r.Catalog.Resolve(strings.TrimSuffix(name, "(")) == nil {
					return grammar.NotCall, 0
				}
				named = true
			case name != "" && !r.Catalog.Begins(strings.TrimRight(name, " ")):
				return grammar.NotCall, 0
			}
		}
		return grammar.WholeIf(python.Next(b))
	})
}

func pythonName(body string) string {
	name, _, found := strings.Cut(strings.TrimLeft(body, "[ \n"), "(")
	if !found {
		return ""
	}
	return strings.TrimSpace(name)
}

// pythonCalls reads calls separated by commas, semicolons or newlines, in a list or not.
func pythonCalls(r *grammar.Reader, body string) ([]grammar.Draft, bool) {
	body = strings.TrimSpace(body)
	if inner, listed := strings.CutPrefix(body, "["); listed {
		body = strings.TrimSpace(strings.TrimSuffix(inner, "]"))
	}
	p := &values.Literal{Text: body}
	var drafts []grammar.Draft
	for p.Peek() != 0 {
		d, ok := pythonCall(r, p)
		if !ok {
			return nil, false
		}
		drafts = append(drafts, d)
		for p.Peek() == ',' || p.Peek() == ';' {
			p.At++
		}
	}
	return drafts, len(drafts) > 0
}

// pythonCall reads one call: name(key=value, key: value, value).
func pythonCall(r *grammar.Reader, p *values.Literal) (grammar.Draft, bool) {
	p.SkipSpace()
	name := p.Name()
	if name == "" || p.Peek() != '(' {
		return grammar.Draft{}, false
	}
	p.At++
	s := r.SchemaOf(name)
	var members values.Members
	for place := 0; ; place++ {
		if p.Peek() == ')' {
			p.At++
			return grammar.Draft{Name: name, Members: values.NonNil(members.List)}, true
		}
		key := p.Keyword()
		if key == "" {
			if place >= len(s.Order) {
				return grammar.Draft{}, false
			}
			key = s.Order[place]
		}
		property, _ := s.Property(key)
		value, ok := p.Argument(property)
		if !ok {
			return grammar.Draft{}, false
		}
		members.Set(values.Member{Key: key, Value: value})
		switch p.Peek() {
		case ',':
			p.At++
		case ')':
		default:
			return grammar.Draft{}, false
		}
	}
}

// ScanPythonValue ends with the bracket that balances the first, Python's strings considered.
func ScanPythonValue(*grammar.Reader) grammar.Scanner {
	python := values.Scan{Python: true}
	return grammar.ScanFunc(func(body []byte) (grammar.Verdict, int) {
		b := body[len(body)-1]
		if !python.Started && !scan.IsSpace(b) && b != '[' && b != '{' {
			return grammar.NotCall, 0
		}
		return grammar.WholeIf(python.Next(b))
	})
}

// ToolCode is a call in a fence that is labelled tool_code, tool_call or json; a print(...) around it is removed.
func ToolCode() grammar.Candidate {
	return grammar.Candidate{
		Kind: "tool_code", Starts: "`", Scan: func(r *grammar.Reader) grammar.Scanner {
			json := grammar.ScanFence(r)
			python := values.Scan{Python: true}
			label, ticks, code := false, 0, false
			return grammar.ScanFunc(func(body []byte) (grammar.Verdict, int) {
				b := body[len(body)-1]
				if !label {
					if b == '\n' {
						label = true
						info := strings.TrimSpace(strings.TrimLeft(string(body), "`"))
						code = info == "tool_code" || info == "python"
					}
					if !label && len(body) <= len("```tool_code \n") &&
						strings.HasPrefix("```tool_code \n```python \n", string(body[:min(3, len(body))])) {
						_, _ = json.Next(body)
						return grammar.More, 0
					}
				}
				if !code {
					return json.Next(body)
				}
				if python.Next(b); python.InString() || b != '`' {
					ticks = 0
					return grammar.More, 0
				}
				ticks++
				return grammar.WholeIf(ticks == 3)
			})
		},
		Read: func(r *grammar.Reader, body string, final bool) ([]toolcall.Event, bool) {
			info, inner, _ := strings.Cut(body, "\n")
			if info = strings.Trim(info, "` \t\r"); info != "tool_code" && info != "python" {
				return grammar.ReadFence(r, body, final)
			}
			inner = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(inner), "`"))
			return offeredCalls(r, body, printed(inner))
		},
	}
}
