package formats

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/toolcall"
)

var update = flag.Bool("update", false, "write docs/tool-calls.md")

const (
	page  = "../../../docs/tool-calls.md"
	cases = "testdata/conformance.txt" // what becomes of some replies in each format
)

// TestDocs keeps docs/tool-calls.md and the cases equal to what the decoders do; go test -run TestDocs -update writes
// them.
func TestDocs(t *testing.T) {
	t.Parallel()
	intro, err := os.ReadFile("testdata/tool-calls.md")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{page: string(intro) + formatsTable(t), cases: conformanceTable(t)} {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s is not what the decoders do; run go test ./agent/toolcall/formats -run TestDocs -update (-want +got):\n%s", path, diff)
		}
	}
}

// formatsTable lists every format with a call.
func formatsTable(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	out.WriteString("\n## Every format\n\n`assent decode --list` shows them with their aliases. What becomes of more than a thousand replies is in\n`agent/toolcall/formats/testdata/conformance.txt`.\n\n| format | calls | one call |\n|---|---|---|\n")
	for _, info := range List() {
		f, err := ByName(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		example := strings.NewReplacer("\n", "⏎", "|", "\\|").Replace(Example(f))
		if example != "" {
			example = "`` " + example + " ``"
		}
		fmt.Fprintf(&out, "| %s | %s | %s |\n", info.Name, strings.NewReplacer("|", "\\|", "<", "\\<").Replace(info.Summary), example)
	}
	return out.String()
}

// conformanceTable decodes the cases of every format and writes what became of them.
func conformanceTable(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	for _, info := range List() {
		f, err := ByName(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "\n### %s\n\nCalls: %s. Aliases: %s.\n\n", info.Name, info.Summary, strings.Join(info.Aliases, ", "))
		if definitions := f.Request("", nil, testTools()[:1], toolcall.Hints{}).Messages; len(definitions) > 0 {
			out.WriteString("definitions\n" + indent(definitions[0].Text))
		} else if first := f.Request("", conversation()[:1], testTools()[:1], toolcall.Hints{}); len(first.Messages) > 0 && first.Tools == nil {
			out.WriteString("definitions, in the first user message\n" + indent(first.Messages[0].Text))
		}
		turns := f.Request("", conversation()[:3], nil, toolcall.Hints{}).Messages
		out.WriteString("a result, as " + string(turns[2].Role) + "\n" + indent(turns[2].Text))
		for _, c := range docCases(f) {
			whole := decodeEveryWay(t, f, testTools(), c.complete, c.reply)
			fmt.Fprintf(&out, "%s\n  %q\n%s", c.name, c.reply, becomes(whole))
		}
	}
	return "What becomes of replies in every format. Each gives the same whole, by rune, by byte, in random pieces and, if short, cut at any place.\n" + out.String()
}

type docCase struct {
	name, reply string
	complete    bool
}

func docCases(f toolcall.Format) []docCase {
	ping := toolcall.Turn{Calls: []toolcall.Call{call("ping", `{"host":"db1"}`)}}
	one := written(f, ping)
	long := written(f, toolcall.Turn{Text: "Let me see.", Calls: ping.Calls})
	cases := []docCase{
		{"one call", one, true},
		{"text and a call", long, true},
		{"several calls", written(f, toolcall.Turn{Calls: []toolcall.Call{call("uptime", `{}`), call("ping", `{"host":"db1"}`)}}), true},
		{"typed arguments", written(f, toolcall.Turn{Calls: []toolcall.Call{call("write_note", `{"title":"5","pinned":true,"weight":2.5,"tags":["x"],"text":"a<b \"c\"\n"}`)}}), true},
		{"unknown tool", written(f, toolcall.Turn{Calls: []toolcall.Call{call("pong", `{"host":"db1"}`)}}), true},
		{"missing argument", written(f, toolcall.Turn{Calls: []toolcall.Call{call("ping", `{"count":2}`)}}), true},
		{"the stream breaks off", one[:len(one)*2/3], false},
		{"quoted in a fence", "So:\n````\n" + one + "\n````\nis a call.", true},
		{"quoted in a span", "Write ``" + strings.ReplaceAll(one, "\n", " ") + "`` to ping.", true},
		{"quoted in a block quote", "> " + strings.ReplaceAll(one, "\n", "\n> ") + "\n\nwas a call.", true},
		{"quoted in a list", "- " + strings.ReplaceAll(one, "\n", " ") + "\n- more", true},
		{"quoted in a sentence", "He wrote “" + one + "” to me.", true},
		{"below a sentence that could quote", written(f, toolcall.Turn{Text: "Let me see what it says:", Calls: ping.Calls}), true},
		{"in a thought", "<think>Maybe " + one + "</think>No.", true},
		{"text after a call", one + "\nNow I wait.", true},
		{"prose", "a < b, [x], {y} and f(x) are prose.", true},
	}
	for _, w := range witnesses() {
		if w.format == f.Name() {
			reply := w.reply
			if w.format == "minimax-m3" {
				reply = replaceMark(reply)
			}
			cases = append(cases, docCase{"seen: " + w.about, reply, true})
		}
	}
	return cases
}

func becomes(o outcome) string {
	var out strings.Builder
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&out, "  -> %s %s\n", label, text)
		}
	}
	if o.Thinking != "" {
		line("thinking", fmt.Sprintf("%q", o.Thinking))
	}
	if o.Text != "" {
		line("text", fmt.Sprintf("%q", o.Text))
	}
	for _, c := range o.Calls {
		line("call", c)
	}
	for _, e := range o.Errors {
		reason, _, _ := strings.Cut(e, ". ")
		_, reason, _ = strings.Cut(reason, ": ")
		line("error", reason)
	}
	for _, n := range o.Notices {
		_, reason, _ := strings.Cut(n, ", because ")
		reason, _, _ = strings.Cut(reason, ": ")
		line("notice:", reason)
	}
	if strings.HasSuffix(o.Order, "U") {
		line("the thought", "is the answer")
	}
	if out.Len() == 0 {
		return "  -> nothing\n"
	}
	return out.String()
}

func indent(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString("  " + strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}
