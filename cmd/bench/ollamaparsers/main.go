// Command ollamaparsers compares Assent's decoder of tool calls with Ollama's parsers, for `make bench`. It is a module
// of its own, so that the product does not depend on those parsers. It prints one JSON object per format.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/model/parsers"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
)

const chunkSize = 4

// pair is one format as both know it, by name.
type pair struct {
	ours, theirs string
	stop         string // a stop word at the end, which a server keeps to itself
}

// pairs are the formats for which Ollama has a parser.
func pairs() []pair {
	return []pair{
		{"hermes", "qwen3", ""},
		{"qwen3-coder", "qwen3-coder", ""},
		{"glm-4.7", "glm-4.7", ""},
		{"laguna", "laguna", ""},
		{"gemma4", "gemma4-no-thinking", ""},
		{"functiongemma", "functiongemma", ""},
		{"mistral-args", "ministral", ""},
		{"deepseek-v3.1", "deepseek3", ""},
		{"deepseek-r1", "cogito", ""},
		{"lfm2", "lfm2", ""},
		{"olmo3", "olmo3", ""},
		{"cohere-action", "cohere", ""},
		{"harmony", "harmony", "<|call|>"},
		{"glimmer", "glimmer", "<|eot|>"},
	}
}

// written is a call as the model writes it: as our format gives an earlier call back to it.
func (p pair) written(f toolcall.Format, content string) string {
	arguments, _ := json.Marshal(map[string]string{"path": "notes.txt", "content": content}) // strings always marshal
	turns := []toolcall.Turn{
		{Role: model.RoleUser, Text: "Write it."},
		{Role: model.RoleAssistant, Calls: []toolcall.Call{{ID: "c1", Name: "write_file", Arguments: arguments}}},
	}
	messages := f.Request("", turns, ourTools(), toolcall.Hints{}).Messages
	return strings.TrimSuffix(messages[len(messages)-1].Text, p.stop)
}

// prose makes a string argument of n bytes: lines of a program with quotes and tabs.
func prose(n int) string {
	const line = "\tif err := run(ctx, \"name\", 42); err != nil { return fmt.Errorf(\"run: %w\", err) } // as before\n"
	return strings.Repeat(line, n/len(line)+1)[:n]
}

// marker is a marker of any of the formats; the argument holds none.
var marker = regexp.MustCompile(`<[^<>\s]+>|\[[A-Z_]+\]`)

// chunks cuts a reply into pieces of a few bytes; with whole a marker stays one piece, as a token is.
func chunks(s string, whole bool) []string {
	var out []string
	cut := func(s string) {
		for ; len(s) > chunkSize; s = s[chunkSize:] {
			out = append(out, s[:chunkSize])
		}
		if s != "" {
			out = append(out, s)
		}
	}
	from := 0
	if whole {
		for _, at := range marker.FindAllStringIndex(s, -1) {
			cut(s[from:at[0]])
			out, from = append(out, s[at[0]:at[1]]), at[1]
		}
	}
	cut(s[from:])
	return out
}

const schema = `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`

func ourTools() []model.Tool {
	return []model.Tool{{Name: "write_file", Description: "Writes a file.", Parameters: json.RawMessage(schema)}}
}

// decode runs our decoder and returns the arguments of the call.
func decode(f toolcall.Format, tools []model.Tool, pieces []string) (json.RawMessage, error) {
	decoder := f.Decoder(tools)
	var events []toolcall.Event
	for _, p := range pieces {
		events = append(events, decoder.Push(model.Chunk{Text: p})...)
	}
	for _, e := range append(events, decoder.End(true)...) {
		if called, ok := e.(toolcall.Called); ok {
			return called.Call.Arguments, nil
		}
	}
	return nil, fmt.Errorf("%s decoded no call", f.Name())
}

// parse runs Ollama's parser and returns the argument. The last piece comes before the end, as from Ollama's own
// engine.
func parse(name string, tools []api.Tool, pieces []string) (any, error) {
	p := parsers.ParserForName(name)
	p.Init(tools, nil, &api.ThinkValue{Value: false})
	var calls []api.ToolCall
	for i := range len(pieces) + 1 {
		piece, done := "", i == len(pieces)
		if !done {
			piece = pieces[i]
		}
		_, _, found, err := p.Add(piece, done)
		if err != nil {
			return nil, err
		}
		calls = append(calls, found...)
	}
	if len(calls) == 0 {
		return nil, fmt.Errorf("ollama's %s found no call", name)
	}
	content, _ := calls[0].Function.Arguments.Get("content")
	return content, nil
}

// result is what cmd/bench reads.
type result struct {
	Format, Theirs string
	Whole          bool   // markers were fed whole: cut into pieces, Ollama's parser loses the call
	Lost           string // what Ollama's parser made of the call, if it lost it even so; then nothing is compared
	Ratio          float64
	Ours, Other    float64 // µs
	RatioLong      float64 // at Sizes[1]
	Sizes          []int
	NsPerByte      []float64
	AllocsChunk    []float64
}

func compare(p pair) (result, error) {
	f, err := formats.ByName(p.ours)
	if err != nil {
		return result{}, err
	}
	r := result{Format: f.Name(), Theirs: p.theirs, Sizes: []int{4300, 64 << 10, 1 << 20}}
	tools := ourTools()
	var theirTool api.Tool
	if err := json.Unmarshal(
		[]byte(`{"type":"function","function":{"name":"write_file","parameters":`+schema+`}}`), &theirTool,
	); err != nil {
		return r, err
	}
	theirTools := []api.Tool{theirTool}
	content := prose(r.Sizes[0])
	pieces := chunks(p.written(f, content), false)
	right := func(got string) bool { return strings.TrimRight(got, "\n") == strings.TrimRight(content, "\n") }

	raw, err := decode(f, tools, pieces)
	if err != nil {
		return r, err
	}
	var got struct{ Content string }
	if err := json.Unmarshal(raw, &got); err != nil || !right(got.Content) {
		return r, fmt.Errorf("%s decoded something else: %.200s", f.Name(), raw)
	}
	if theirs, err := parse(p.theirs, theirTools, pieces); err != nil || !right(fmt.Sprint(theirs)) {
		r.Whole = true
		pieces = chunks(p.written(f, content), true)
		if theirs, err := parse(p.theirs, theirTools, pieces); err != nil || !right(fmt.Sprint(theirs)) {
			r.Lost = fmt.Sprintf("%.60q", fmt.Sprint(theirs))
			if err != nil {
				r.Lost = fmt.Sprintf("%.60s", err)
			}
		}
	}
	race := func(pieces []string, rounds int) (ours, theirs float64) {
		best := [2]time.Duration{1 << 62, 1 << 62}
		for range rounds {
			best[0] = min(best[0], timed(func() { _, _ = decode(f, tools, pieces) }))
			best[1] = min(best[1], timed(func() { _, _ = parse(p.theirs, theirTools, pieces) }))
		}
		return best[0].Seconds() * 1e6, best[1].Seconds() * 1e6
	}
	r.Ours, r.Other = race(pieces, 200)
	r.Ratio = r.Other / r.Ours
	ours, theirs := race(chunks(p.written(f, prose(r.Sizes[1])), r.Whole), 2)
	r.RatioLong = theirs / ours
	for _, size := range r.Sizes {
		pieces := chunks(p.written(f, prose(size)), r.Whole)
		best := time.Duration(1 << 62)
		for range 60 {
			best = min(best, timed(func() { _, _ = decode(f, tools, pieces) }))
		}
		r.NsPerByte = append(r.NsPerByte, best.Seconds()*1e9/float64(size))
		r.AllocsChunk = append(
			r.AllocsChunk, allocations(func() { _, _ = decode(f, tools, pieces) })/float64(len(pieces)),
		)
	}
	return r, nil
}

func timed(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

func allocations(do func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs - before.Mallocs)
}

func main() {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	out := json.NewEncoder(os.Stdout)
	failed := false
	for _, p := range pairs() {
		r, err := compare(p)
		if err == nil {
			err = out.Encode(r)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "ollamaparsers:", err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}
