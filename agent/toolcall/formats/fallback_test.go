package formats

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/envelope"
)

// profiled is the format of one profile, with what a reply begins with to leave the thought that the prompt opens.
type profiled struct {
	name   string
	format toolcall.Format
	begin  string
}

// everyProfile gives the formats of all profiles; profiles with the same formats share one.
var everyProfile = sync.OnceValues(func() ([]profiled, error) {
	profiles, err := model.LoadProfiles()
	if err != nil {
		return nil, err
	}
	var all []profiled
	seen := map[string]bool{}
	for _, p := range profiles.All() {
		key := fmt.Sprint(p.Formats, p.Opened)
		if seen[key] {
			continue
		}
		seen[key] = true
		f, err := With(nil).ForModel(p.Formats, p.Opened)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		begin := ""
		if g := grammarOf(f); p.Opened && f.Name() != "native" && f.Name() != "guided" && len(g.Thoughts) > 0 {
			begin = "Hm." + g.Thoughts[0].Close[0]
		}
		all = append(all, profiled{p.Name, f, begin})
	}
	return all, nil
})

// envelopes gives a call of ping in every known envelope, by name: what each format writes, and forms that models were
// seen to write.
func envelopes(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{
		"function= with JSON":       `<function=ping>{"host": "db1"}</function>`,
		"function_call with JSON":   `<function_call>{"name": "ping", "arguments": {"host": "db1"}}</function_call>`,
		"tool_call with JSON":       `<tool_call>{"name": "ping", "arguments": {"host": "db1"}}</tool_call>`,
		"tool_call with parameters": "<tool_call>\n<function=ping>\n<parameter=host>\ndb1\n</parameter>\n</function>\n</tool_call>",
		"function= with parameters": "<function=ping>\n<parameter=host>\ndb1\n</parameter>\n</function>",
		"tool_calls with a list":    `<tool_calls>[{"name": "ping", "arguments": {"host": "db1"}}]</tool_calls>`,
		"[TOOL_CALLS] with a name":  `[TOOL_CALLS]ping{"host": "db1"}`,
		"one JSON object":           `{"name": "ping", "arguments": {"host": "db1"}}`,
		"a JSON list":               `[{"name": "ping", "arguments": {"host": "db1"}}]`,
		"a JSON fence":              "```json\n{\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}}\n```",
		"a plain fence":             "```\n{\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}}\n```",
	}
	for _, name := range Names() {
		f, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = within(f, call("ping", `{"host":"db1"}`))
	}
	return all
}

// eachProfile runs a test for the formats of every profile.
func eachProfile(t *testing.T, test func(t *testing.T, p profiled)) {
	t.Helper()
	profiles, err := everyProfile()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range profiles {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			test(t, p)
		})
	}
}

// TestACallInAnyEnvelopeRuns makes a call in every known envelope under every profile, alone and below a sentence: it
// runs, and nothing of its envelope is left in the text. In front of more text it runs or is reported.
// F10.
func TestACallInAnyEnvelopeRuns(t *testing.T) {
	t.Parallel()
	eachProfile(t, func(t *testing.T, p profiled) {
		all := envelopes(t)
		for _, name := range sampleKeys(p.name, all) {
			one := all[name]
			for _, lead := range []string{"", "Let me see.\n\n"} {
				got := decodeTwice(t, p.format, p.begin+lead+one)
				if len(got.Calls) != 1 || got.Calls[0] != pinged || len(got.Errors)+len(got.Notices) > 0 || got.Text != strings.TrimSpace(lead) {
					t.Errorf("%s: %q gives %+v", name, lead+one, got)
				}
			}
			got := decodeTwice(t, p.format, p.begin+one+"\n\nNow I wait for it.")
			if len(got.Calls)+len(got.Notices) != 1 || len(got.Errors) > 0 {
				t.Errorf("%s: %q in front of text gives %+v", name, one, got)
			}
		}
	})
}

// TestAQuotedCallNeverRunsUnderAnyProfile shows a call in every known envelope in every way that quotes it, under every
// profile (see sampleOf).
// F10.
func TestAQuotedCallNeverRunsUnderAnyProfile(t *testing.T) {
	t.Parallel()
	eachProfile(t, func(t *testing.T, p profiled) {
		all := quotations()
		all["in a thought"] = func(call string) string { return "<think>Maybe:\n" + call + "\nNo.</think>\nHello." }
		for name, one := range envelopes(t) {
			for _, how := range sampleKeys(p.name+name, all) {
				reply := p.begin + all[how](one)
				if got := decode(p.format, testTools(), true, reply); len(got.Calls)+len(got.Errors) > 0 {
					t.Errorf("%s %s: %q gives %+v", name, how, reply, got)
				}
			}
		}
	})
}

// TestACallReadsBackUnderEveryProfile writes a call of many arguments in every format and reads it under every profile,
// by byte and cut at every place of some profiles and at some places of all: it is the same call.
func TestACallReadsBackUnderEveryProfile(t *testing.T) {
	t.Parallel()
	const want = `write_note {"title":"5","pinned":true,"weight":2.5,"tags":["x","y"],"meta":{"n":1},"text":"if a<b \"c\" {\n\treturn üñ ｜▁ // }\n}"}`
	name, arguments, _ := strings.Cut(want, " ")
	eachProfile(t, func(t *testing.T, p profiled) {
		names := Names()
		for _, format := range sample(p.name, names) {
			i := slices.Index(names, format)
			f, err := ByName(format)
			if err != nil {
				t.Fatal(err)
			}
			reply := p.begin + within(f, call(name, arguments))
			cuts := []int{i % len(reply), len(reply) / 2, len(reply) - 1 - i%7}
			if p.name == "unknown" || p.name == "seed-oss" || p.name == "gpt-oss" {
				cuts = nil
				for at := range len(reply) {
					cuts = append(cuts, at)
				}
			}
			got := []outcome{decode(p.format, testTools(), true, byBytes(reply)...)}
			for _, at := range cuts {
				got = append(got, decode(p.format, testTools(), true, reply[:at], reply[at:]))
			}
			for _, o := range got {
				if len(o.Calls) != 1 || o.Calls[0] != want || o.Text != "" || len(o.Errors)+len(o.Notices) > 0 {
					t.Errorf("%s: %q gives %+v", format, reply, o)
					break
				}
			}
		}
	})
}

// TestTextIsShownSoon streams prose by byte under every profile: never more of it is held back than may be before
// the arguments of a call, whatever it resembles, and little where it resembles none.
func TestTextIsShownSoon(t *testing.T) {
	t.Parallel()
	eachProfile(t, func(t *testing.T, p profiled) {
		shownSoon(t, p, "Now. Let me tell of functions, actions and tools: a < b, [x], {y}, `code`, f(x) >>> z.\nping is a program.\n[1] is a note.\n"+
			"Finally, functools has partial.\n<b>bold</b> and <details>.\nget the key.\nuptime\nThe end is near, and <unknown_tag>this</unknown_tag> too.\n", 32)
		for _, marker := range []string{"Action: none.\n", "<function=ping> is one.\n", "<tool_call> is one.\n", "<|start|>is one.\n", ">>>ping\n"} {
			if p.name == "functionary-v3.2" && marker == ">>>ping\n" {
				continue // its own calls may hold code
			}
			shownSoon(t, p, marker+strings.Repeat("It goes on and on. ", 100), envelope.MaxHead*4+64)
		}
	})
}

func shownSoon(t *testing.T, p profiled, prose string, most int) {
	t.Helper()
	if p.format.Name() == "guided" {
		return // its prose is in JSON
	}
	d := p.format.Decoder(testTools())
	d.Push(model.Chunk{Text: p.begin})
	shown := 0
	for i := range len(prose) {
		for _, e := range d.Push(model.Chunk{Text: prose[i : i+1]}) {
			if text, ok := e.(toolcall.Text); ok {
				shown += len(text.Text)
			}
		}
		if held := i + 1 - shown; held > most {
			t.Errorf("of %.20q %d bytes are held back: %.60q", prose, held, prose[shown:i+1])
			return
		}
	}
}
