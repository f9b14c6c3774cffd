package formats

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/toolcall"
)

// aloud is more prose than any decoder looks back.
var aloud = strings.Repeat("The host is down and nobody knows why. ", 13) + "\n\n"

// oneLine puts a call on one line, as a span, a table or a list item needs it.
func onOneLine(call string) string { return strings.ReplaceAll(call, "\n", " ") }

// quotations are ways to show a call that is not made; in a thought, see TestConformanceInThought. A new format is held
// to all of them by its own renderer.
func quotations() map[string]func(call string) string {
	round := func(before, after string) func(string) string {
		return func(call string) string { return before + call + after }
	}
	flat := func(before, after string) func(string) string {
		return func(call string) string { return before + onOneLine(call) + after }
	}
	each := func(prefix, before, after string) func(string) string {
		return func(call string) string { return before + prefix + strings.ReplaceAll(call, "\n", "\n"+prefix) + after }
	}
	return map[string]func(string) string{
		"in quotation marks":             round(`He wrote "`, `" to me.`),
		"in quotation marks, late":       round(aloud+`He wrote "`, `" to me.`),
		"in apostrophes":                 round("He wrote '", "' to me."),
		"in typographic quotation marks": round("He wrote “", "” to me."),
		"in German quotation marks":      round("Er schrieb „", "“ an mich."),
		"in French quotation marks":      round("Il a écrit « ", " » hier."),
		"in Japanese quotation marks":    round("「", "」と書く。"),
		"in single typographic marks":    round("He wrote ‘", "’ to me."),
		"in Polish quotation marks":      round("Napisał „", "” wczoraj."),
		"in Swedish quotation marks":     round("Han skrev ”", "” i går."),
		"in guillemets that point in":    round("Er schrieb »", "« gestern."),
		"in single guillemets":           round("Il dit ‹", "› ici."),
		"in low single marks":            round("Er sagte ‚", "‘ dazu."),
		"in double corner marks":         round("『", "』と書く。"),
		"in angle marks":                 round("见《", "》。"),
		"in wide quotation marks":        round("他写了＂", "＂。"),
		"after marks within marks":       round("He wrote “Look: ‘this’ ", "” to me."),
		"in parentheses":                 round("The call (", ") pings."),
		"as the text of a link":          round("See [the call [", "]](https://example.com)."),
		"in strong emphasis":             round("So **", "** is a call."),
		"in emphasis that begins a line": round("_", "_ is a call."),
		"later between quotation marks":  round(`He wrote "Look: `, `" to me.`),
		"in a fence":                     round("So:\n\n````\n", "\n````\n\nis a call."),
		"in a labelled fence":            round("So:\n````xml\n", "\n````\n"),
		"in a fence of tildes":           round("So:\n~~~~\n", "\n~~~~\n"),
		"in a fence, late":               round(aloud+"So:\n````\n", "\n````\n"),
		"in a fence that nothing closes": round("So:\n````\nIt is\n", "\n"),
		"in a fence after a bullet":      round("- ````\n", "\n````\n"),
		"in a fence after a number":      round("1. ````\n", "\n````\n"),
		"in a fence in a list":           each("  ", "- So:\n  ````\n", "\n  ````\n"),
		"in a fence after text":          round("It is like this: ````\n", "\n````\nand no more."),
		"in a fence after text, parted":  round("It is like this: ````\nFirst.\n\n", "\n````\nand no more."),
		"in a fence in a quote":          each("> ", "> ````\n", "\n> ````\n\nwas a call."),
		"in a span":                      flat("Write ``", "`` to ping."),
		"in a span, late":                flat(aloud+"Write ``", "`` to ping."),
		"in a span of two lines":         flat("Write ``this and\nthat ", "`` to ping."),
		"in a span that a line begins":   flat("Write ``this:\n", "`` to ping."),
		"in a quote":                     each("> ", "", "\n\nwas a call."),
		"in a quote without blanks":      each(">", "", "\n\nwas a call."),
		"in a quote that is indented":    each("  > ", "He said:\n\n", "\n"),
		"in a bullet":                    flat("Calls:\n\n- ", "\n- more"),
		"in a starred bullet":            flat("* ", "\n* more"),
		"in a numbered item":             flat("1. ", "\n2. more"),
		"in an item with a bracket":      flat("1) ", "\n2) more"),
		"indented below a bullet":        each("  ", "- A call:\n\n", "\n- more"),
		"in an item of another bullet":   flat("Calls:\n\n• ", "\n• more"),
		"in an item of a dash":           flat("Calls:\n\n  – ", "\n  – more"),
		"in an item of a letter":         flat("a) ", "\nb) more"),
		"in an item in parentheses":      flat("(1) ", "\n(2) more"),
		"in a row of a table":            flat("| call | does |\n|---|---|\n| ", " | pings |\n"),
		"in a table without outer pipes": flat("does | call\n--- | ---\npings | ", "\n"),
		"in preformatted HTML":           round("<pre>\n", "\n</pre>\n"),
		"in preformatted HTML, parted":   round("<pre>\n\n", "\n\n</pre>\n"),
		"in an HTML code element":        flat("Write <code>", "</code> to ping."),
		"in an HTML comment":             round("<!-- ", " -->\nSo."),
		"in an HTML comment, parted":     round("<!--\n\n", "\n\n-->\nSo."),
		"in HTML details":                round("<details>\n<summary>A call</summary>\n\n", "\n\n</details>\n"),
		"as indented code":               each("    ", "So:\n\n", "\n\nis a call."),
		"as an example":                  flat("For example: ", " is a call."),
		"as an example, abbreviated":     flat("A call, e.g. ", " and so on."),
		"as an example below it":         round("For example, you could send:\n\n", "\n\nThis pings db1."),
		"as an example, in German":       flat("Ein Aufruf sieht zum Beispiel so aus: ", " und mehr nicht."),
		"as an example, in Chinese":      flat("例如：", " 是一个调用。"),
		"after a verb":                   flat("To ping you write ", " and wait."),
		"in a sentence that reports":     flat("The file says: ", " and ends."),
	}
}

// TestAQuotedCallNeverRuns shows each format's own call in every way that quotes it: it stays text, to the byte.
// Promise 3. Invariant 6.
func TestAQuotedCallNeverRuns(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		one := within(f, call("ping", `{"host":"db1"}`))
		two := within(f, call("uptime", `{}`), call("ping", `{"host":"db1"}`))
		all := quotations()
		for _, how := range sampleKeys(f.Name(), all) {
			quote := all[how]
			for _, shown := range []string{one, two} {
				reply := quote(shown)
				got := decodeTwice(t, f, reply)
				if len(got.Calls) > 0 || len(got.Errors) > 0 || got.Text != reply {
					t.Errorf("%s: %q gives %+v", how, reply, got)
				}
			}
		}
	})
}

// TestACallAfterAQuotationRuns makes a call after one that is quoted: the quotation ends where it ends.
func TestACallAfterAQuotationRuns(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		if ownForm(f) {
			return // after a quotation, JSON without a marker is an example
		}
		shown := within(f, call("get", `{"key":"k"}`))
		all := quotations()
		for _, how := range sampleKeys(f.Name(), all) {
			quote := all[how]
			if strings.Contains(how, "nothing closes") {
				continue
			}
			lead := strings.TrimSpace(quote(shown)) + "\n\nNow I do it."
			reply := written(f, toolcall.Turn{Text: lead, Calls: []toolcall.Call{call("ping", `{"host":"db1"}`)}})
			got := decodeTwice(t, f, reply)
			if !slices.Equal(got.Calls, []string{pinged}) || got.Text != lead {
				t.Errorf("%s: %q gives %+v", how, reply, got)
			}
		}
	})
}

// within is how a format writes calls in the middle of a reply.
func within(f toolcall.Format, calls ...toolcall.Call) string {
	text := strings.TrimSpace(written(f, toolcall.Turn{Calls: calls}))
	if f.Name() == "glimmer" { // a reply begins inside a header
		text = "<|start|>assistant " + text
	}
	return text
}

// decodeTwice decodes a reply whole and by byte.
func decodeTwice(t *testing.T, f toolcall.Format, reply string) outcome {
	t.Helper()
	whole, bytes := decode(f, testTools(), true, reply), decode(f, testTools(), true, byBytes(reply)...)
	if !whole.equals(bytes) {
		t.Errorf("%s: %q whole gives %+v, by byte %+v", f.Name(), reply, whole, bytes)
	}
	return whole
}

// ownForm reports whether a format's own calls are JSON, a fence or Python without a marker: there words before them
// count.
func ownForm(f toolcall.Format) bool {
	switch f.Name() {
	case "native", "text", "llama3-json", "xlam", "llama.cpp-generic", "pythonic", "gemma3", "python":
		return true
	}
	return false
}
