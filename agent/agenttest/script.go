package agenttest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Script is what a [Server] plays. See the package's documentation for its grammar.
type Script struct {
	version  string
	models   []installed
	loadTime time.Duration
	overflow Overflow // what is done with a prompt that is longer than the context; empty: nothing
	window   int      // the context that the server really has; 0: what it is asked for
	insert   string   // what is between two texts; "hang": nothing comes until the client goes away
	embed    step     // what comes in the place of vectors; without a word: vectors
	means    [][]string
	size     int  // of vectors
	oneModel bool // loading a model takes the others out of memory
	turns    []turn
}

// installed is one model that the server says it has.
type installed struct {
	name, family, parameters, quantization, template, parser string
	remoteHost, remoteModel                                  string

	capabilities []string
	context      int
	bytes        int64
	vram         int64 // of bytes, what is in the memory of a GPU; 0: all
	loaded       int
	missing      bool   // until it is pulled
	pulling      []step // what happens when half of it is fetched
}

// turn is the answer to one chat request.
type turn struct {
	repeat                          bool
	expect, expectNot, expectLast   []string
	steps                           []step
	promptTokens, outputTokens      int
	cachedTokens                    *int // nil: as servers before 0.34, it does not tell
	loadTime, promptTime, replyTime time.Duration
	reason                          string
}

// step is one action of a turn; what its fields mean depends on the word.
type step struct {
	word  string
	text  string
	name  string
	n     int
	rate  int
	delay time.Duration
}

// ParseScript reads a script. Errors name the line and what was expected.
func ParseScript(text string) (*Script, error) {
	p := &scriptParser{script: &Script{version: "0.32.15", size: 256}}
	for _, l := range logicalLines(text) {
		if err := p.line(l.text); err != nil {
			return nil, fmt.Errorf("script line %d: %w", l.number, err)
		}
	}
	if len(p.script.models) == 0 {
		p.script.models = []installed{defaultModel("qwen2.5-coder:1.5b")}
	}
	return p.script, nil
}

func defaultModel(name string) installed {
	return installed{
		name: name, family: "qwen2", parameters: "1.5B", quantization: "Q4_K_M",
		capabilities: []string{"completion", "tools"}, context: 32768, bytes: 986_048_768,
		template: "{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n" +
			"{{ end }}<tools></tools><tool_call></tool_call>",
	}
}

type logicalLine struct {
	number int
	text   string
}

// logicalLines joins continuations and drops empty lines and comments.
func logicalLines(text string) []logicalLine {
	var lines []logicalLine
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		line = strings.TrimLeft(strings.TrimSuffix(line, "\r"), " \t")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "|") && len(lines) > 0:
			last := &lines[len(lines)-1]
			last.text += "\n" + strings.TrimPrefix(line[1:], " ")
		default:
			lines = append(lines, logicalLine{number, line})
		}
	}
	return lines
}

type scriptParser struct {
	script *Script
	turn   *turn // nil before the first
}

func (p *scriptParser) line(line string) error {
	end := strings.IndexAny(line, " \n")
	if end < 0 {
		end = len(line)
	}
	word, rest := strings.TrimSuffix(line[:end], ":"), line[end:]
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, " "), "\n")
	if text, err := strconv.Unquote(strings.TrimRight(rest, " ")); err == nil && strings.HasPrefix(rest, `"`) {
		rest = text
	}
	if word == "turn" {
		if rest != "" && rest != "repeat" {
			return fmt.Errorf(`turn takes nothing or "repeat", not %q`, rest)
		}
		p.script.turns = append(
			p.script.turns, turn{repeat: rest == "repeat", reason: "stop", promptTokens: -1, outputTokens: -1},
		)
		p.turn = &p.script.turns[len(p.script.turns)-1]
		return nil
	}
	if p.turn == nil {
		return p.header(word, rest)
	}
	return p.turn.line(word, rest)
}

func (p *scriptParser) header(word, rest string) (err error) {
	switch word {
	case "version":
		p.script.version = rest
	case "slow-load":
		p.script.loadTime, err = time.ParseDuration(rest)
	case "overflow":
		p.script.overflow = Overflow(rest)
		if rest != string(OverflowRefuse) && rest != string(OverflowCut) {
			err = fmt.Errorf("overflow takes refuse or cut")
		}
	case "window":
		p.script.window, err = strconv.Atoi(rest)
	case "insert":
		p.script.insert = rest
	case "embed":
		p.script.embed, err = oneOf(rest, "hang", "error", "raw", "pause", "each")
	case "means":
		p.script.means = append(p.script.means, strings.Fields(rest))
	case "vectors":
		p.script.size, err = strconv.Atoi(rest)
	case "one-model":
		p.script.oneModel = true
	case "template":
		if len(p.script.models) == 0 {
			return fmt.Errorf("template: there is no model line above it")
		}
		p.script.models[len(p.script.models)-1].template = rest
	case "pull":
		if n := len(p.script.models); n == 0 || !p.script.models[n-1].missing {
			return fmt.Errorf("pull: there is no missing line above it")
		}
		s, err := oneOf(rest, "hold", "pause", "error", "cut", "end", "line")
		if err != nil {
			return err
		}
		m := &p.script.models[len(p.script.models)-1]
		m.pulling = append(m.pulling, s)
	case "model", "missing":
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			return fmt.Errorf("%s needs a name", word)
		}
		m := defaultModel(fields[0])
		m.missing = word == "missing"
		if err := m.set(fields[1:]); err != nil {
			return err
		}
		p.script.models = append(p.script.models, m)
	default:
		return fmt.Errorf(
			"unknown word %q before the first turn (known: version, model, missing, pull, template, insert, embed, "+
				"means, vectors, one-model, slow-load, overflow, window, turn)",
			word,
		)
	}
	return err
}

// oneOf reads a step that begins with one of some words; after pause and each there is a duration.
func oneOf(text string, words ...string) (s step, err error) {
	s.word, s.text, _ = strings.Cut(text, " ")
	switch {
	case !slices.Contains(words, s.word):
		err = fmt.Errorf("%q begins with none of the words %s", text, strings.Join(words, ", "))
	case s.word == "pause" || s.word == "each":
		s.delay, err = time.ParseDuration(s.text)
	}
	return s, err
}

func (m *installed) set(pairs []string) error {
	return assign("model", pairs, map[string]any{
		"family": &m.family, "parameters": &m.parameters, "quantization": &m.quantization, "parser": &m.parser,
		"remote-host": &m.remoteHost, "remote-model": &m.remoteModel, "capabilities": &m.capabilities,
		"context": &m.context, "loaded": &m.loaded, "bytes": &m.bytes, "vram": &m.vram,
	})
}

func (t *turn) line(word, rest string) error {
	s := step{word: word, text: rest}
	var err error
	switch word {
	case "expect":
		t.expect = append(t.expect, rest)
		return nil
	case "expect-not":
		t.expectNot = append(t.expectNot, rest)
		return nil
	case "expect-last":
		t.expectLast = append(t.expectLast, rest)
		return nil
	case "reason":
		t.reason = rest
		return nil
	case "usage":
		return t.usage(strings.Fields(rest))
	case "say", "think", "json", "raw", "error-line", "cut", "end-without-done", "no-newline", "hang", "hold":
	case "call":
		s.name, s.text, _ = strings.Cut(rest, " ")
		if !json.Valid([]byte(s.text)) || !strings.HasPrefix(strings.TrimSpace(s.text), "{") {
			return fmt.Errorf("call needs a name and a JSON object")
		}
	case "pause", "slow-load":
		s.delay, err = time.ParseDuration(rest)
	case "split", "write", "fill":
		s.n, err = strconv.Atoi(rest)
	case "rate":
		if _, err = fmt.Sscanf(rest, "%d count %d", &s.rate, &s.n); err == nil && s.rate <= 0 {
			err = fmt.Errorf("the rate must be positive")
		}
	case "status":
		code, text, _ := strings.Cut(rest, " ")
		s.text = text
		s.n, err = strconv.Atoi(code)
	default:
		return fmt.Errorf("unknown word %q in a turn", word)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", word, err)
	}
	t.steps = append(t.steps, s)
	return nil
}

func (t *turn) usage(pairs []string) error {
	return assign("usage", pairs, map[string]any{
		"prompt": &t.promptTokens, "cached": &t.cachedTokens, "output": &t.outputTokens, "load": &t.loadTime,
		"prompt-time": &t.promptTime, "output-time": &t.replyTime,
	})
}

// assign sets the fields that KEY=VALUE pairs name, each by its type.
func assign(what string, pairs []string, fields map[string]any) (err error) {
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("%q is not KEY=VALUE", pair)
		}
		switch field := fields[key].(type) {
		case *string:
			*field = value
		case *[]string:
			*field = strings.Split(value, ",")
		case *int:
			*field, err = strconv.Atoi(value)
		case **int:
			*field = new(int)
			**field, err = strconv.Atoi(value)
		case *int64:
			*field, err = strconv.ParseInt(value, 10, 64)
		case *time.Duration:
			*field, err = time.ParseDuration(value)
		default:
			return fmt.Errorf("%s has no %q", what, key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// find looks a model up as Ollama does: the tag "latest" may be left out. It may be missing.
func (s *Script) find(name string) *installed {
	i := slices.IndexFunc(s.models, func(m installed) bool {
		return strings.EqualFold(strings.TrimSuffix(m.name, ":latest"), strings.TrimSuffix(name, ":latest"))
	})
	if i < 0 {
		return nil
	}
	return &s.models[i]
}
