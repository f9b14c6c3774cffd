package formats

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// testTools are offered in every test of a decoder.
func testTools() []model.Tool {
	tool := func(name, description, parameters string) model.Tool {
		return model.Tool{Name: name, Description: description, Parameters: json.RawMessage(parameters)}
	}
	return []model.Tool{
		tool("ping", "Send a packet to a host.", `{"type":"object","properties":{"host":{"type":"string","description":"Name or address."},"count":{"type":"integer"}},"required":["host"]}`),
		tool("uptime", "Tell how long the machine runs.", `{"type":"object","properties":{}}`),
		tool("write_note", "Write a note.", `{"type":"object","properties":{"title":{"type":"string"},"pinned":{"type":"boolean"},"weight":{"type":"number"},"tags":{"type":"array","items":{"type":"string"}},"meta":{"type":"object"},"text":{"type":"string"}},"required":["title","text"]}`),
		tool("get", "Get a value.", `{"type":"object","properties":{"key":{"type":"string"}},"required":["key"]}`),
		tool("get_rate", "Get an exchange rate.", `{"type":"object","properties":{"pair":{"type":"string"},"places":{"type":["integer","null"]}},"required":["pair"]}`),
	}
}

// outcome is a reply, folded.
type outcome struct {
	Text, Thinking string
	Calls          []string // name and arguments
	Errors         []string // reason
	Notices        []string // why a call was only shown
	// Order has one letter per event, neighbours joined.
	Order string
}

func fold(events []toolcall.Event) outcome {
	var o outcome
	note := func(letter string) {
		if letter == "C" || letter == "M" || !strings.HasSuffix(o.Order, letter) {
			o.Order += letter
		}
	}
	for _, e := range events {
		switch e := e.(type) {
		case toolcall.Text:
			o.Text += e.Text
			note("T")
		case toolcall.Thinking:
			o.Thinking += e.Text
			note("R")
		case toolcall.Called:
			o.Calls = append(o.Calls, e.Call.Name+" "+string(values.Compact(e.Call.Arguments)))
			note("C")
		case toolcall.Quoted:
			o.Notices = append(o.Notices, e.Reason)
			note("Q")
		case toolcall.Unclosed:
			note("U")
		case toolcall.Malformed:
			o.Errors = append(o.Errors, e.Name+": "+e.Reason+" ["+e.Raw+"]")
			note("M")
		}
	}
	return o
}

// decode feeds a reply in pieces.
func decode(f toolcall.Format, tools []model.Tool, complete bool, pieces ...string) outcome {
	d := f.Decoder(tools)
	var events []toolcall.Event
	for _, p := range pieces {
		events = append(events, d.Push(model.Chunk{Text: p})...)
	}
	return fold(append(events, d.End(complete)...))
}

func byBytes(text string) []string {
	pieces := make([]string, 0, len(text))
	for i := range len(text) {
		pieces = append(pieces, text[i:i+1])
	}
	return pieces
}

// cutEvery is how long the pieces of cut are: longer than most markers.
const cutEvery = 24

// cut gives pieces that end at a place and at every so many bytes after it.
func cut(text string, first int) []string {
	pieces := []string{text[:first]}
	for text = text[first:]; len(text) > cutEvery; text = text[cutEvery:] {
		pieces = append(pieces, text[:cutEvery])
	}
	return append(pieces, text)
}

func randomly(r *rand.Rand, text string) []string {
	var pieces []string
	for len(text) > 0 {
		n := min(len(text), 1+r.IntN(12))
		pieces = append(pieces, text[:n])
		text = text[n:]
	}
	return pieces
}

// equals compares by hand: it is done a million times, and cmp is slow.
func (o outcome) equals(p outcome) bool {
	return o.Text == p.Text && o.Thinking == p.Thinking && o.Order == p.Order && slices.Equal(o.Calls, p.Calls) && slices.Equal(o.Errors, p.Errors) && slices.Equal(o.Notices, p.Notices)
}

// decodeEveryWay decodes a reply whole and in many chunkings (see sampleOf), fails if any differs, and gives the
// result.
func decodeEveryWay(t *testing.T, f toolcall.Format, tools []model.Tool, complete bool, text string) outcome {
	t.Helper()
	want := decode(f, tools, complete, text)
	check := func(how string, pieces []string) {
		t.Helper()
		if got := decode(f, tools, complete, pieces...); !got.equals(want) {
			t.Fatalf("%s: %q fed %s differs from fed whole (-whole +fed):\n%s", f.Name(), text, how, cmp.Diff(want, got))
		}
	}
	check("by byte", byBytes(text))
	check("by rune", strings.Split(text, ""))
	r := rand.New(rand.NewPCG(uint64(len(text)), 7))
	for range sampleOf(text, 10) {
		check("at random", randomly(r, text))
	}
	if len(text) < 160 { // every place is the end of one long piece and the beginning of another
		for _, first := range sampleOf(text, min(cutEvery, len(text))) {
			check(fmt.Sprintf("cut at %d and every %d bytes", first, cutEvery), cut(text, first))
		}
	}
	return want
}
