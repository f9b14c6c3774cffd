package toolcall

import (
	"bytes"
	"regexp"
	"strings"
)

// Formats whose replies are messages with a header: who it is for, then the text. The header decides how the text is read.

// withText lets a recipient stand for the user: what follows the mark is prose.
func (h headed) withText(recipient, mark string) block {
	b := h.block()
	b.runsOn = true
	scan := b.scan
	b.scan = func(r *reader) scanner {
		inner := scan(r)
		decided := false
		return scanFunc(func(body []byte) (verdict, int) {
			if !decided && strings.HasSuffix(string(body[max(0, len(body)-len(mark)):]), mark) {
				decided = true
				if strings.TrimSpace(strings.TrimSuffix(string(body), mark)) == recipient {
					return whole, 0
				}
			}
			return inner.next(body)
		})
	}
	b.read = func(r *reader, f found) ([]Event, bool) {
		if string(bytes.TrimSpace(bytes.TrimSuffix(f.body, []byte(mark)))) == recipient {
			return nil, true
		}
		return h.read(r, f)
	}
	return b
}

// recipientGrammar reads replies that begin with their recipient, and go on after ">>>".
func recipientGrammar() func() *grammar {
	h := headed{closers: nil, stops: []string{">>>", "<|eot_id|>"}, head: pattern(`^\s*NAME\s*\n`), code: true}
	scan := func(r *reader) scanner {
		json := jsonScan{}
		line, tail := false, 0
		return scanFunc(func(body []byte) (verdict, int) {
			b := body[len(body)-1]
			if !line {
				switch {
				case b == '\n':
					name := strings.TrimSpace(string(body))
					if name == "all" {
						return whole, 0
					}
					if name != "python" && r.catalog.exact(name) == nil && !plainName.MatchString(name) {
						return notCall, 0
					}
					line = true
				case !isNameByte(b) && b != ' ' || len(body) > maxHead || len(body) == 1 && b == ' ':
					return notCall, 0
				}
				return more, 0
			}
			if json.next(b); json.inText {
				tail = 0
				return more, 0
			}
			if b == '>' {
				if tail++; tail == 3 {
					return whole, 3
				}
			} else {
				tail = 0
			}
			return more, 0
		})
	}
	read := func(r *reader, f found) ([]Event, bool) {
		if string(bytes.TrimSpace(f.body)) == "all" {
			return nil, true
		}
		name, rest, found := bytes.Cut(f.body, []byte("\n"))
		named := string(bytes.TrimSpace(name))
		rest = bytes.TrimSpace(rest)
		if !found || len(rest) == 0 || r.catalog.exact(named) == nil && rest[0] != '{' {
			return nil, false
		}
		return h.read(r, f)
	}
	next := block{open: []string{">>>"}, scan: scan, read: read, runsOn: true}
	first := block{scan: scan, read: read}
	return tongue([]block{next}, func(g *grammar) { g.opening = &first }, acceptingJSON)
}

var plainName = regexp.MustCompile(`^[A-Za-z_][\w.\-]*$`)

// nameLineGrammar reads calls whose first line is the name of an offered tool, and the next JSON.
func nameLineGrammar() func() *grammar {
	h := headed{head: pattern(`^\s*NAME\s*\n`)}
	return tongue(nil, accepting(candidate{kind: "name line", starts: letters, scan: scanNameLine, own: true, certain: true, read: func(r *reader, body string, final bool) ([]Event, bool) {
		line, rest, cut := strings.Cut(strings.TrimSpace(body), "\n")
		if !cut || r.catalog.exact(strings.TrimSpace(line)) == nil || !strings.HasPrefix(strings.TrimSpace(rest), "{") {
			return nil, false
		}
		return h.read(r, found{body: []byte(body), final: final})
	}}), acceptingJSON)
}

func scanNameLine(r *reader) scanner {
	json := scanJSON("{")(r)
	line := false
	return scanFunc(func(body []byte) (verdict, int) {
		b := body[len(body)-1]
		switch {
		case line:
			return json.next(body)
		case b == '\n':
			if line = r.catalog.exact(strings.TrimSpace(string(body))) != nil; !line {
				return notCall, 0
			}
		case !isNameByte(b) && b != ' ' || len(body) > maxHead:
			return notCall, 0
		}
		return more, 0
	})
}

// inklingGrammar reads typed messages: text, reasoning or a call.
func inklingGrammar() func() *grammar {
	marks := []string{"<|content_text|>", "<|content_thinking|>", "<|content_invoke_tool_json|>", "<|content_invoke_tool_text|>", "<|content_model_end_sampling|>", "<|end_message|>"}
	body := block{closers: []string{"<|end_message|>"}, scan: scanTagged([]string{"<|end_message|>"}, []string{"<|message_model|>", "<|content_model_end_sampling|>"}, "{["), read: readTagged("<|end_message|>")}
	reasoning := thought{close: []string{"<|end_message|>"}, shared: true}
	header := block{open: []string{"<|message_model|>"}, scan: scanTagged(marks, nil, ""), then: func(f found) next {
		switch {
		case bytes.HasSuffix(f.body, []byte("<|content_invoke_tool_json|>")):
			return next{block: &body}
		case bytes.HasSuffix(f.body, []byte("<|content_thinking|>")):
			return next{thought: &reasoning}
		}
		return next{}
	}}
	return tongue([]block{header}, func(g *grammar) {
		reasoning.build(nil, nil)
		g.thoughts = []thought{{open: []string{"<|content_thinking|>"}, close: []string{"<|end_message|>"}, shared: true}}
	}, dropping("<|end_message|>", "<|content_text|>", "<|content_model_end_sampling|>"), acceptingJSON)
}

var (
	recipient = regexp.MustCompile(`to=([^\s<]+)`)
	channel   = regexp.MustCompile(`<\|channel\|>\s*([a-zA-Z]+)`)
)

// harmonyGrammar reads messages with a header: role, recipient, channel. Only a message to a tool is a call; the analysis
// channel is reasoning.
func harmonyGrammar() func() *grammar {
	ends := []string{"<|call|>", "<|end|>", "<|return|>"}
	starts := []string{"<|start|>", "<|channel|>"}
	body := block{closers: ends, scan: scanTagged(ends, starts, ""), read: nil}
	body.read = func(r *reader, f found) ([]Event, bool) { return harmonyCall(r, f, ends), true }
	reasoning := thought{open: nil, close: ends, shared: true, greedy: true}
	then := func(f found) next {
		header, _ := f.text()
		to := group1(recipient, header)
		switch {
		case !strings.HasSuffix(header, "<|message|>"):
			return next{}
		case to != "" && to != "assistant" && to != "user" && to != "all" && to != "final":
			return next{block: &body}
		case group1(channel, header) == "analysis":
			return next{thought: &reasoning}
		}
		return next{}
	}
	header := block{open: starts, closers: ends, scan: scanHeader(ends), then: then}
	first := block{scan: scanFirstHeader(ends), then: then}
	return once(func() *grammar {
		g := &grammar{blocks: []block{header}, noise: append(endMarkers(), append(ends, "<|message|>", "<|constrain|>")...), sections: []string{"<|message|>"}, opening: &first}
		reasoning.build(g.blocks, nil)
		g.thoughts = []thought{think()}
		acceptingJSON(g)
		return g
	})
}

// group1 gives the first group of the last match.
func group1(p *regexp.Regexp, text string) string {
	all := p.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

// scanHeader ends with the marker that begins the text; a header that has none ends where the message does.
func scanHeader(ends []string) func(*reader) scanner {
	m := newMatcher(append([]string{"<|message|>", "<|start|>"}, ends...))
	return func(*reader) scanner {
		var state int16
		var hit int
		return scanFunc(func(body []byte) (verdict, int) {
			state, hit = m.step(state, body[len(body)-1])
			switch {
			case hit == 1:
				return whole, len("<|start|>")
			case hit >= 0:
				return whole, 0
			case len(body) > 4*maxHead:
				return notCall, 0
			}
			return more, 0
		})
	}
}

// scanFirstHeader reads the header with which a reply begins, since the prompt ends inside one; a reply that begins with
// anything else is prose.
func scanFirstHeader(ends []string) func(*reader) scanner {
	header := scanHeader(ends)
	return func(r *reader) scanner {
		rest := header(r)
		return scanFunc(func(body []byte) (verdict, int) {
			if len(body) < 32 {
				text := strings.TrimLeft(string(body), " \n")
				for _, w := range []string{"assistant", "to="} {
					if strings.HasPrefix(text, w) {
						text = ""
						break
					}
					if strings.HasPrefix(w, text) {
						return more, 0
					}
				}
				if text != "" {
					return notCall, 0
				}
			}
			return rest.next(body)
		})
	}
}

// harmonyCall reads a message to a tool: its header is the opener.
func harmonyCall(r *reader, f found, ends []string) []Event {
	raw, body := f.text()
	body = strings.TrimSpace(cutAny(body, ends))
	d := draft{name: group1(recipient, f.opener), raw: raw}
	ok := d.take(body, f.final) || r.repairLast(&d, body)
	switch code := r.codeArgument(d.name, body); {
	case ok:
	case body == "":
	case code != nil && !strings.HasPrefix(body, "{"):
		d.arguments = code
	default:
		d.broken = "its arguments are broken JSON"
	}
	return []Event{r.event(d)}
}
