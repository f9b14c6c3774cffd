package formats

import (
	"bytes"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/envelope"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// mistralGrammar reads both notations, since servers mix them: JSON after the marker, or NAME[ARGS]{json}.
func mistralGrammar() func() *grammar.Grammar {
	args := envelope.Headed{
		Open: []string{"[TOOL_CALLS]"},
		Head: envelope.Pattern(`^\s*NAME\s*(?:\[CALL_ID\](?P<id>[^\[{]*))?(?:\[ARGS\])?\s*$`),
	}
	b := args.Block()
	begin := b.Scan
	b.Scan = func(r *grammar.Reader) grammar.Scanner {
		named, listed := begin(r), envelope.ScanJSONs("[{")(r)
		var first byte
		chosen := func() grammar.Scanner {
			if first == '[' || first == '{' {
				return listed
			}
			return named
		}
		return grammar.Skipping{Stops: func() *scan.ByteSet { return chosen().StopBytes() }, ScanFunc: func(
			body []byte,
		) (grammar.Verdict, int) {
			if last := body[len(body)-1]; first == 0 && !scan.IsSpace(last) {
				first = last
			}
			if first == 0 {
				return grammar.More, 0
			}
			return chosen().Next(body)
		}}
	}
	b.Read = func(r *grammar.Reader, f grammar.Found) ([]toolcall.Event, bool) {
		if inside := bytes.TrimSpace(f.Body); len(inside) > 0 && (inside[0] == '[' || inside[0] == '{') {
			raw, body := f.Text()
			return envelope.JSONCalls(r, raw, strings.TrimSpace(body), f.Final), true
		}
		return args.Read(r, f)
	}
	return grammar.OneBlock(
		b, grammar.AlsoThoughts(grammar.Between("[THINK]", "[/THINK]")),
		grammar.Dropping("[/TOOL_CALLS]"),
	)
}

// deepseekGrammar reads both generations: function, separator, NAME and a fence; or NAME, separator and JSON.
func deepseekGrammar() func() *grammar.Grammar {
	ends := envelope.Variants("<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>")
	begins := envelope.Variants("<｜tool▁call▁begin｜>")
	h := envelope.Headed{
		Open: begins, Closers: ends, Stops: append(
			begins, envelope.Variants("<｜tool▁outputs▁begin｜>", "<｜end▁of▁sentence｜>")...,
		),
		Code: true,
		Head: envelope.Pattern(`^\s*(?:function\s*<[|｜]tool[▁_]sep[|｜]>)?\s*NAME\s*(?:` + "```" +
			`(?:json|python)?|<[|｜]tool[▁_]sep[|｜]>|$)`),
	}
	return grammar.New([]grammar.Block{
		h.Block(), envelope.Silent("<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"),
		envelope.Silent("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
	},
		grammar.CallsEndThoughts, grammar.WithSections(envelope.Variants("<｜tool▁calls▁begin｜>")...),
		grammar.Dropping(envelope.Variants("<｜end▁of▁sentence｜>")...))
}

func kimiGrammar() func() *grammar.Grammar {
	ends := []string{"<|tool_call_end|>", "<|tool_calls_section_end|>", "<|tool_call_section_end|>"}
	h := envelope.Headed{
		Open: []string{"<|tool_call_begin|>"}, Closers: ends, Stops: []string{"<|tool_call_begin|>", "<|im_end|>"},
		Head: envelope.Pattern(`^\s*(?P<id>NAME)\s*<\|tool_call_argument_begin\|>`),
	}
	return grammar.OneBlock(h.Block(), func(g *grammar.Grammar) {
		g.Thoughts = append(
			grammar.ThinkTags(true),
			grammar.Thought{Open: []string{"◁think▷"}, Close: []string{"◁/think▷"}, Breaks: true},
		)
	}, grammar.WithSections("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"))
}

func reactGrammar() func() *grammar.Grammar {
	h := envelope.Headed{
		Open: []string{"Action:"},
		Head: envelope.Pattern(`^[ \t]*NAME[ \t]*\n+[ \t]*Action Input:\s*` + "(?:```(?:json)?\\s*)?" + `$`),
	}
	action := h.Block()
	action.BeginsLine = true
	return grammar.New([]grammar.Block{action, silentRest("Observation:")}, grammar.Dropping("Final Answer:"))
}

// silentRest drops everything after a marker that begins a line behind a call: results that the model made up.
func silentRest(open string) grammar.Block {
	return grammar.Block{Open: []string{open}, BeginsLine: true, Rest: true, Scan: func(
		*grammar.Reader,
	) grammar.Scanner {
		return grammar.ScanFunc(func([]byte) (grammar.Verdict, int) { return grammar.More, 0 })
	}}
}

// recipientGrammar reads replies that begin with their recipient, and go on after ">>>".
func recipientGrammar() func() *grammar.Grammar {
	h := envelope.Headed{
		Stops: []string{">>>", "<|eot_id|>"}, Head: envelope.Pattern(`^\s*NAME\s*\n`), Code: true,
	}
	scan := func(r *grammar.Reader) grammar.Scanner {
		json := values.Scan{}
		line, tail := false, 0
		return grammar.ScanFunc(func(body []byte) (grammar.Verdict, int) {
			b := body[len(body)-1]
			if !line {
				switch {
				case b == '\n':
					name := strings.TrimSpace(string(body))
					if name == "all" {
						return grammar.Whole, 0
					}
					if name != "python" && r.Catalog.Exact(name) == nil && !grammar.PlainName.MatchString(name) {
						return grammar.NotCall, 0
					}
					line = true
				case !scan.IsNameByte(b) && b != ' ' || len(body) > envelope.MaxHead || len(body) == 1 && b == ' ':
					return grammar.NotCall, 0
				}
				return grammar.More, 0
			}
			if json.Next(b); json.InString() {
				tail = 0
				return grammar.More, 0
			}
			if b == '>' {
				if tail++; tail == 3 {
					return grammar.Whole, 3
				}
			} else {
				tail = 0
			}
			return grammar.More, 0
		})
	}
	read := func(r *grammar.Reader, f grammar.Found) ([]toolcall.Event, bool) {
		if string(bytes.TrimSpace(f.Body)) == "all" {
			return nil, true
		}
		name, rest, found := bytes.Cut(f.Body, []byte("\n"))
		named := string(bytes.TrimSpace(name))
		rest = bytes.TrimSpace(rest)
		if !found || len(rest) == 0 ||
			r.Catalog.Exact(named) == nil && (rest[0] != '{' || strings.HasPrefix(named, "_")) {
			return nil, false // prose, perhaps in emphasis
		}
		return h.Read(r, f)
	}
	next := grammar.Block{
		Open: []string{">>>"}, Scan: scan, Read: read, RunsOn: true,
		Elsewhere: &grammar.Block{Open: []string{">>>"}, Scan: scanNameLine, Read: read},
	}
	first := grammar.Block{Scan: scan, Read: read}
	return grammar.OneBlock(next, func(g *grammar.Grammar) { g.Opening = &first })
}

// nameLineGrammar reads calls whose first line is the name of an offered tool, and the next JSON.
func nameLineGrammar() func() *grammar.Grammar {
	h := envelope.Headed{Head: envelope.Pattern(`^\s*NAME\s*\n`)}
	read := func(r *grammar.Reader, body string, final bool) ([]toolcall.Event, bool) {
		line, rest, cut := strings.Cut(strings.TrimSpace(body), "\n")
		if !cut || r.Catalog.Exact(strings.TrimSpace(line)) == nil || !strings.HasPrefix(strings.TrimSpace(rest), "{") {
			return nil, false
		}
		return h.Read(r, grammar.Found{Body: []byte(body), Final: final})
	}
	return grammar.New(nil, grammar.Accepting(grammar.Candidate{
		Kind: "name line", Starts: scan.Letters, Scan: scanNameLine, OwnForm: true, Unambiguous: true, Read: read,
	}), grammar.AcceptingJSON)
}

func scanNameLine(r *grammar.Reader) grammar.Scanner {
	json := grammar.ScanJSON("{")(r)
	line := false
	return grammar.ScanFunc(func(body []byte) (grammar.Verdict, int) {
		b := body[len(body)-1]
		switch {
		case line:
			return json.Next(body)
		case b == '\n':
			if line = r.Catalog.Exact(strings.TrimSpace(string(body))) != nil; !line {
				return grammar.NotCall, 0
			}
		case !r.Catalog.Begins(strings.TrimRight(string(body), " ")) || len(body) > envelope.MaxHead:
			return grammar.NotCall, 0
		}
		return grammar.More, 0
	})
}

// inklingGrammar reads typed messages: text, reasoning or a call.
func inklingGrammar() func() *grammar.Grammar {
	marks := []string{
		"<|content_text|>", "<|content_thinking|>", "<|content_invoke_tool_json|>", "<|content_invoke_tool_text|>",
		"<|content_model_end_sampling|>", "<|end_message|>",
	}
	body := grammar.Block{
		Closers: []string{"<|end_message|>"},
		Scan: envelope.ScanTagged(
			[]string{"<|end_message|>"}, []string{"<|message_model|>", "<|content_model_end_sampling|>"}, "{[",
		),
		Read: envelope.ReadTagged("<|end_message|>"),
	}
	reasoning := grammar.Thought{Close: []string{"<|end_message|>"}, Shared: true}
	header := grammar.Block{
		Open: []string{"<|message_model|>"},
		Scan: envelope.ScanTagged(marks, nil, ""), Then: func(f grammar.Found) grammar.Next {
			switch {
			case bytes.HasSuffix(f.Body, []byte("<|content_invoke_tool_json|>")):
				return grammar.Next{Block: &body}
			case bytes.HasSuffix(f.Body, []byte("<|content_thinking|>")):
				return grammar.Next{Thought: &reasoning}
			}
			return grammar.Next{}
		},
	}
	return grammar.OneBlock(header, func(g *grammar.Grammar) {
		reasoning.Build(nil, nil)
		g.Thoughts = []grammar.Thought{
			{Open: []string{"<|content_thinking|>"}, Close: []string{"<|end_message|>"}, Shared: true},
		}
	}, grammar.Dropping("<|end_message|>", "<|content_text|>", "<|content_model_end_sampling|>"))
}

// harmonyGrammar reads messages with a header: role, recipient, channel. Only a message to a tool is a call; the
// analysis channel is reasoning.
func harmonyGrammar() func() *grammar.Grammar {
	ends := []string{"<|call|>", "<|end|>", "<|return|>"}
	starts := []string{"<|start|>", "<|channel|>"}
	body := grammar.Block{Closers: ends, Scan: envelope.ScanMessage(ends, starts), Read: func(
		r *grammar.Reader, f grammar.Found,
	) ([]toolcall.Event, bool) {
		return envelope.HarmonyCall(r, f, ends), true
	}}
	reasoning := grammar.Thought{Close: ends, Shared: true, Greedy: true}
	then := func(f grammar.Found) grammar.Next {
		header, _ := f.Text()
		to := envelope.Group1(envelope.Recipient, header)
		switch {
		case !strings.HasSuffix(header, "<|message|>"):
			return grammar.Next{}
		case to != "" && to != "assistant" && to != "user" && to != "all" && to != "final":
			return grammar.Next{Block: &body}
		case envelope.Group1(envelope.Channel, header) == "analysis":
			return grammar.Next{Thought: &reasoning}
		}
		return grammar.Next{}
	}
	header := grammar.Block{Open: starts, Closers: ends, Scan: envelope.ScanHeader(ends), Then: then}
	first := grammar.Block{Scan: envelope.ScanFirstHeader(ends), Then: then}
	return grammar.OneBlock(header, func(g *grammar.Grammar) {
		reasoning.Build(g.Blocks, nil)
		g.Opening = &first
	}, grammar.WithThoughts(grammar.Think()),
		grammar.WithSections("<|message|>"), grammar.Dropping("<|constrain|>"))
}
