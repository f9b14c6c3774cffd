package model

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
)

func prompt(texts ...string) Request {
	r := Request{Model: "m"}
	for _, text := range texts {
		r.Messages = append(r.Messages, Message{Role: RoleUser, Text: text})
	}
	return r
}

// A model whose tokens are three bytes long: the meter finds that out from one count, and is then within three percent.
func TestMeterLearnsFromCounts(t *testing.T) {
	m := NewMeter()
	count := func(r Request) int {
		total := 0
		for _, message := range r.Messages {
			total += 5 + len(message.Text)/3
		}
		return total
	}
	first := prompt(strings.Repeat("The quick brown fox jumps over it.\n", 100))
	if e := m.Estimate(first); e.Fitted || e.Counted != 0 {
		t.Errorf("before any count: %+v", e)
	}
	if !m.Learn(first, count(first)) {
		t.Error("the first count changed nothing")
	}
	grown := prompt(first.Messages[0].Text, "Fine.", strings.Repeat("A lazy dog sleeps under the tree.\n", 80))
	e := m.Estimate(grown)
	want := count(grown)
	if e.Counted != count(first) || e.Tokens*100 < want*97 || e.Tokens*100 > want*103 {
		t.Errorf("%+v, want %d", e, want)
	}
	other := NewMeter()
	other.Recall("M:latest", m.Known("m"))
	if got := other.Estimate(grown); !got.Fitted || got.Tokens*100 < want*97 || got.Tokens*100 > want*103 {
		t.Errorf("another process: %+v, want %d", got, want)
	}
	m.Learn(grown, want)
	if e := m.Estimate(grown); e.Tokens != want || e.Counted != want {
		t.Errorf("the same prompt again: %+v", e)
	}
	if e := m.Estimate(prompt("Something else.")); e.Counted != 0 {
		t.Errorf("another prompt: %+v", e)
	}
}

func TestCountsOfAPrompt(t *testing.T) {
	e := Estimate{Tokens: 2000, Counted: 1500, Fitted: true}
	for _, test := range []struct {
		count                    int
		small, shrunk, plausible bool
	}{
		{2000, false, false, true},
		{1900, false, false, true},
		{1500, true, false, true},      // as far as before, without what is new
		{1100, true, true, false},      // less than before
		{500, true, false, false},      // only what is new
		{1, true, false, false},        // nothing is new to the server
		{5000, false, false, true},     // more than expected
		{0, true, false, false},        // does not tell
		{1125, true, false, true},      // three quarters: old thinking was left out
		{1124, true, true, false},      //
		{1064, true, false, false},     // twice what is new
		{1065, true, true, false},      //
		{1 << 60, false, false, false}, // nonsense
	} {
		if e.Small(test.count) != test.small || e.Shrunk(test.count) != test.shrunk || e.Plausible(test.count) != test.plausible {
			t.Errorf("%d: small %v, shrunk %v, plausible %v", test.count, e.Small(test.count), e.Shrunk(test.count), e.Plausible(test.count))
		}
	}
}

// What a file or a server says may be anything.
func TestMeterTakesNonsense(t *testing.T) {
	m := NewMeter()
	m.Recall("m", Known{Factor: 1e308, Reading: -1, Context: 1 << 40})
	if k := m.Known("m"); k.Factor != 4 || k.Reading != 0 || k.Context != 0 {
		t.Errorf("%+v", k)
	}
	m.Recall("m", Known{Factor: -3})
	if k := m.Known("m"); k.Factor != 0 {
		t.Errorf("%+v", k)
	}
	if e := m.Estimate(Request{Model: "m"}); e.Tokens != 0 || m.Learn(Request{Model: "m"}, 10) || m.Learn(prompt("x"), -1) {
		t.Errorf("an empty request: %+v", e)
	}
	for i := range 3 * maxAnchors {
		m.Learn(prompt(strings.Repeat("a", i+1)), i+1)
	}
	if n := len(m.models["m"].anchors); n != maxAnchors {
		t.Errorf("%d counts are kept", n)
	}
}

// A meter takes any text, and what it says grows with the text.
func FuzzRoughTokens(f *testing.F) {
	f.Add("func main() {\n\tfmt.Println(\"Grüße, 世界 🎉\")\n}", "\xff\xfe12345")
	f.Fuzz(func(t *testing.T, a, b string) {
		one, both := RoughTokens(a), RoughTokens(a+"\n"+b)
		if one < 0 || one > 3*len(a)+1 || both+1 < one {
			t.Errorf("%q takes %d, with %q behind it %d", a, one, b, both)
		}
	})
}

func BenchmarkEstimate(b *testing.B) {
	m := NewMeter()
	r := prompt(strings.Repeat("The quick brown fox jumps over 12 lazy dogs.\n", 9000)) // about 100,000 tokens
	for b.Loop() {
		m.Estimate(r)
	}
}

// Texts of many kinds, with what the tokenizer of Qwen2.5 makes of them: without knowing a model the rule is near each,
// and after a count of some of them a prompt that grew by all the others is within three percent.
func TestTextsOfManyKinds(t *testing.T) {
	data, err := os.ReadFile("testdata/counted.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts []struct {
		Kind, Text string
		Tokens     int
	}
	if err := json.Unmarshal(data, &texts); err != nil {
		t.Fatal(err)
	}
	for _, c := range texts {
		if got := RoughTokens(c.Text); got*100 < c.Tokens*80 || got*100 > c.Tokens*120 {
			t.Errorf("%s: %d, and it takes %d", c.Kind, got, c.Tokens)
		}
	}
	m, grown, count := NewMeter(), Request{Model: "m"}, 0
	add := func(first int) {
		for i := first; i < len(texts); i += 2 {
			grown.Messages = append(grown.Messages, Message{Role: RoleUser, Text: texts[i].Text})
			count += texts[i].Tokens + messageTokens
		}
	}
	add(0)
	m.Learn(grown, count)
	add(1)
	if e := m.Estimate(grown); e.Tokens*100 < count*97 || e.Tokens*100 > count*103 {
		t.Errorf("%+v, and it takes %d", e, count)
	}
}

// What a server was asked to count of a request is what the request takes, and nothing else changes by it.
func TestACountBeforehand(t *testing.T) {
	m := NewMeter()
	req := Request{Model: "m", Messages: []Message{{Role: RoleUser, Text: strings.Repeat("some words of a text, ", 300)}}}
	before := m.Estimate(req)
	if off := m.Told(req, 3*before.Tokens); off < 2.9 || off > 3.1 {
		t.Errorf("the estimate is off by %f", off)
	}
	if now := m.Estimate(req); now != (Estimate{Tokens: 3 * before.Tokens, Counted: 3 * before.Tokens, Fitted: true, Exact: true}) {
		t.Errorf("%+v", now)
	}
	other := req
	other.Tools = []Tool{{Name: "read_file"}}
	if now := m.Estimate(other); now.Exact || m.Known("m").Factor != 0 {
		t.Errorf("%+v of another request, %+v", now, m.Known("m"))
	}
	for i := range 200 { // and those that were not asked for again are forgotten
		m.Told(Request{Model: "m", MaxTokens: i, Messages: []Message{{Role: RoleUser, Text: strconv.Itoa(i)}}}, 7)
	}
	if m.Estimate(req).Exact {
		t.Error("it is remembered for ever")
	}
}
